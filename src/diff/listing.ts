import { rawElements } from "../contract/values/raw-json.ts";
import { memberOf } from "../output/formats/row-members.ts";
import type { RowBatch } from "../rows/batch.ts";

const FACTS = ["department", "category", "title", "mrp", "selling_price", "discount_pct", "currency"] as const;

/** Members of a row that a comparison needs. */
export const LISTING_COLUMNS: readonly string[] = ["retailer", "sku", ...FACTS];

/** What a comparison keeps of a row: the raw JSON text of each fact, prices with the digits the API sent. */
export type Listing = Record<(typeof FACTS)[number], string>;

/** The needed members of a row: its product, and its facts in one string that does not keep the row in memory. */
export interface PackedListing {
  /** Retailer and sku; ordered by retailer, then sku. */
  product: string;
  facts: string;
}

/** Separates retailer and sku. No slug contains it, and it sorts before every other character. */
const SEPARATOR = "\u0000";

export function packListing(rows: RowBatch, row: number): PackedListing {
  const raw = (name: string) => memberOf(rows, row, name);
  const text = (name: string) => JSON.parse(raw(name)) as string;
  return {
    product: packProduct(text("retailer"), text("sku")),
    facts: `[${FACTS.map(raw).join(",")}]`,
  };
}

export function packFacts(values: Record<(typeof FACTS)[number], string | number>): string {
  return JSON.stringify(FACTS.map((name) => values[name]));
}

export function packProduct(retailer: string, sku: string): string {
  return `${retailer}${SEPARATOR}${sku}`;
}

export function unpackListing(facts: string): Listing {
  const values = rawElements(facts);
  return Object.fromEntries(FACTS.map((name, index) => [name, values[index] ?? "null"])) as Listing;
}

export function unpackProduct(product: string): { retailer: string; sku: string } {
  const end = product.indexOf(SEPARATOR);
  return { retailer: product.slice(0, end), sku: product.slice(end + SEPARATOR.length) };
}
