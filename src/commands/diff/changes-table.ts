import type { ListOptions } from "../../cli/flags/list.ts";
import { type FirstOnes, firstOnes, sortBy } from "../../cli/order.ts";
import { jsonCell, percentCell } from "../../cli/terminal/tables/cell.ts";
import { type ItemColumn, itemTable, textColumn, WHOLE_SKU } from "../../cli/terminal/tables/item-table.ts";
import type { Table } from "../../cli/terminal/tables/table.ts";
import { groupDigits } from "../../contract/values/counted.ts";
import type { DiffSummary } from "../../folder/diff/compare.ts";
import { CHANGES, type Change, type Difference, type Side } from "../../folder/diff/join.ts";
import { diffValue, percentMoved } from "./record.ts";

/** Differences that a table on a terminal shows; every other output has them all. */
export const SHOWN_DIFFERENCES = 40;

/** Keeps the first `limit` differences in the order of `sort`. Without a limit, keeps all. */
export function firstInOrder({ sort, limit }: Omit<ListOptions, "pager">): FirstOnes<Difference> {
  return firstOnes(limit, (differences) => sortBy(differences, sort, diffValue));
}

/** Collects what a table shows: in the order of `--sort`, else changed products first. */
export function shownInTable({ sort, limit }: Omit<ListOptions, "pager">): FirstOnes<Difference> {
  if (sort !== undefined) {
    return firstInOrder({ sort, limit });
  }
  const kept: Record<Change, Difference[]> = { changed: [], appeared: [], vanished: [] };
  return {
    add: (differences) => {
      for (const difference of differences) {
        if (kept[difference.change].length < (limit ?? Number.POSITIVE_INFINITY)) {
          kept[difference.change].push(difference);
        }
      }
    },
    selected: () => CHANGES.flatMap((change) => kept[change]).slice(0, limit),
  };
}

/** A price as the API sent it; null on a day without the product. */
function priceColumn(heading: string, side: Side, name: "selling_price" | "mrp") {
  const cell = (difference: Difference) => jsonCell(difference[side]?.[name] ?? "null");
  return { heading, rigid: true, cell, sides: [side] };
}

/** All columns, the most important first, because a narrow terminal leaves out the last; `sides` names the days without which a column is empty. */
const COLUMNS: readonly (ItemColumn<Difference> & { sides?: readonly Side[] })[] = [
  textColumn("change", ({ change }) => change, { rigid: true }),
  textColumn("retailer", ({ retailer }) => retailer),
  { heading: "title", minimum: 20, cell: ({ from, to }) => jsonCell((to ?? from)?.title ?? "null") },
  textColumn("sku", ({ sku }) => sku, { minimum: WHOLE_SKU }),
  priceColumn("price after", "to", "selling_price"),
  { heading: "%", rigid: true, cell: (difference) => percentCell(percentMoved(difference)), sides: ["from", "to"] },
  priceColumn("price before", "from", "selling_price"),
  textColumn("currency", currencies, { rigid: true }),
  priceColumn("mrp before", "from", "mrp"),
  priceColumn("mrp after", "to", "mrp"),
];

/** Without the prices of a day on which none of the products was there. */
export function diffTable(differences: readonly Difference[]): Table {
  const isAbsent = (side: Side) => differences.length > 0 && differences.every((one) => one[side] === undefined);
  return itemTable(
    differences,
    COLUMNS.filter(({ sides = [] }) => !sides.some(isAbsent)),
  );
}

function currencies({ from, to }: Difference): string {
  const codes = [from, to].flatMap((listing) => (listing ? (JSON.parse(listing.currency) as string) : []));
  return [...new Set(codes)].join(" → ");
}

/**
 * The summary in one line: `12 changed, 3 appeared, 0 vanished, 985 unchanged`. If no product can vanish, it says so, and
 * how to find those that are gone.
 */
export function summaryLine({ products }: DiffSummary): string {
  const count = (kind: Change | "unchanged") => {
    const number = products[kind];
    return number === null ? `${kind} unknown` : `${groupDigits(number)} ${kind}`;
  };
  const counts = [...CHANGES, "unchanged" as const].map(count).join(", ");
  return products.vanished === null ? `${counts} (${HOW_TO_ASK})` : counts;
}

const HOW_TO_ASK = "--max-age 14d counts products as vanished that were not seen for 14 days";
