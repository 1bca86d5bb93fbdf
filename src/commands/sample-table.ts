import { PRODUCT_COLUMNS } from "../contract/product.ts";
import { rawMembers } from "../contract/raw-json.ts";
import { jsonCell } from "../output/cell.ts";
import type { Table } from "../output/table.ts";

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

/** Columns that are useless when cut. */
const RIGID = new Set<string>(["mrp", "selling_price", "discount_pct", "currency", "crawl_date"]);

/** The table of some rows, each the JSON text of a product. */
export function sampleTable(rows: readonly string[], columns: readonly string[] = BY_INTEREST): Table {
  return {
    columns: columns.map((heading) => ({ heading, rigid: RIGID.has(heading) })),
    rows: rows.map((row) => {
      const members = rawMembers(row);
      return columns.map((column) => jsonCell(members.get(column) ?? "null"));
    }),
  };
}
