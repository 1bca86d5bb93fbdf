import { rawElements } from "../../contract/values/raw-json.ts";
import { memberOf } from "../../export/formats/row-members.ts";
import type { RowBatch } from "../../rows/batch.ts";

const FACTS = ["department", "category", "title", "mrp", "selling_price", "discount_pct", "currency"] as const;

/** What a comparison keeps of a row: the raw JSON text of each fact, prices with the digits the API sent. */
export type ProductFacts = Record<(typeof FACTS)[number], string>;

/** The facts of each product's rows on one day, as `packRow` packs them. */
export type DayFacts = ReadonlyMap<string, readonly string[]>;

/** Separates retailer and sku. No slug contains it, and it sorts before every other character. */
const SEPARATOR = "\u0000";

/** The product of a row (see `packProduct`), and its facts in one string that does not keep the row in memory. */
export function packRow(rows: RowBatch, row: number): [product: string, facts: string] {
  const raw = (name: string) => memberOf(rows, row, name);
  const text = (name: string) => JSON.parse(raw(name)) as string;
  return [packProduct(text("retailer"), text("sku")), `[${FACTS.map(raw).join(",")}]`];
}

/** The facts of some values. */
export function factsOf(values: Record<(typeof FACTS)[number], string | number>): ProductFacts {
  return Object.fromEntries(FACTS.map((name) => [name, JSON.stringify(values[name])])) as ProductFacts;
}

/** Facts in one string, by which several of a product are in an order of their own. */
export function packFacts(facts: ProductFacts): string {
  return `[${FACTS.map((name) => facts[name]).join(",")}]`;
}

export function unpackFacts(facts: string): ProductFacts {
  const values = rawElements(facts);
  return Object.fromEntries(FACTS.map((name, index) => [name, values[index] ?? "null"])) as ProductFacts;
}

/** Retailer and sku in one text; texts are ordered by retailer, then sku. */
export function packProduct(retailer: string, sku: string): string {
  return `${retailer}${SEPARATOR}${sku}`;
}

export function unpackProduct(product: string): { retailer: string; sku: string } {
  const end = product.indexOf(SEPARATOR);
  return { retailer: product.slice(0, end), sku: product.slice(end + SEPARATOR.length) };
}
