import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { rawMembers } from "../../contract/raw-json.ts";
import { type Cell, jsonCell } from "../../output/terminal/cell.ts";
import type { Table } from "../../output/terminal/table.ts";

/** The columns that tell a person most, first; a narrow terminal shows as many of them as fit. */
const FIRST = [
  "retailer",
  "title",
  "selling_price",
  "currency",
  "crawl_date",
  "category",
  "sku",
  "discount_pct",
  "mrp",
  "brand",
];

const BY_INTEREST = [...FIRST, ...PRODUCT_COLUMNS.filter((column) => !FIRST.includes(column))];

/** Cells of a title that tell one product from another. */
const READABLE_TITLE = 32;

/** Columns that are useless when cut. */
const RIGID = new Set<string>(["mrp", "selling_price", "discount_pct", "currency", "crawl_date"]);

/** The column that holds the address which another links to. */
const LINKS: Readonly<Record<string, string>> = { title: "url", url: "url", image_url: "image_url" };

/** The table of some rows, each the JSON text of a product. */
export function sampleTable(rows: readonly string[], columns: readonly string[] = BY_INTEREST): Table {
  return {
    columns: columns.map((heading) => ({
      heading,
      rigid: RIGID.has(heading),
      minimum: heading === "title" ? READABLE_TITLE : undefined,
    })),
    rows: rows.map((row) => {
      const members = rawMembers(row);
      return columns.map((column) => rowCell(members, column));
    }),
  };
}

/** One member of a row; the title links to the page of the product, an address to itself. */
export function rowCell(members: ReadonlyMap<string, string>, column: string): Cell {
  const cell = jsonCell(members.get(column) ?? "null");
  const address = LINKS[column];
  return address === undefined ? cell : { ...cell, link: JSON.parse(members.get(address) ?? "null") ?? undefined };
}
