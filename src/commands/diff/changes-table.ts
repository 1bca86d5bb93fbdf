import { type ListOptions, sortBy } from "../../cli/flags/list.ts";
import { groupDigits } from "../../contract/values/decimal.ts";
import type { DiffSummary } from "../../diff/compare.ts";
import { CHANGES, type Change, type Difference } from "../../diff/join.ts";
import { jsonCell, percentCell, textCell } from "../../output/terminal/tables/cell.ts";
import type { Column, Table } from "../../output/terminal/tables/table.ts";
import { diffValue, percentMoved } from "./record.ts";

/** Differences that a table shows; a person reads no more, and every other format has them all. */
const SHOWN = 40;

/** Collects differences and returns those to show. */
export interface DifferenceList {
  add(differences: readonly Difference[]): void;
  selected(): readonly Difference[];
}

/** Number of differences beyond the limit after which the list is sorted and cut again. */
const SLACK = 10_000;

/** Keeps the first `limit` differences in the order of `sort`; memory is about twice as many. Without a limit, keeps all. */
export function firstInOrder({ sort, limit = Number.POSITIVE_INFINITY }: Omit<ListOptions, "pager">): DifferenceList {
  let kept: Difference[] = [];
  const cut = () => {
    const sorted = sort === undefined ? kept : sortBy(kept, sort, (difference) => diffValue(difference, sort.column));
    kept = sorted.slice(0, limit);
  };
  return {
    add: (differences) => {
      kept.push(...differences);
      if (kept.length > limit + SLACK) {
        cut();
      }
    },
    selected: () => {
      cut();
      return kept;
    },
  };
}

/** Collects what a table shows: in the order of `--sort`, else changed products first. */
export function shownInTable({ sort, limit = SHOWN }: ListOptions): DifferenceList {
  return sort === undefined ? changedFirst(limit) : firstInOrder({ sort, limit });
}

function changedFirst(limit: number): DifferenceList {
  const kept: Record<Change, Difference[]> = { changed: [], appeared: [], vanished: [] };
  return {
    add: (differences) => {
      for (const difference of differences) {
        if (kept[difference.change].length < limit) {
          kept[difference.change].push(difference);
        }
      }
    },
    selected: () => CHANGES.flatMap((change) => kept[change]).slice(0, limit),
  };
}

/** Without the prices of a day on which none of the products was there. */
export function diffTable(differences: readonly Difference[]): Table {
  const table = wholeTable(differences);
  const absent = ["before", "after"].filter((_, side) =>
    differences.every(({ from, to }) => [from, to][side] === undefined),
  );
  const isKept = ({ heading }: Column) => !absent.some((side) => heading === "%" || heading.endsWith(` ${side}`));
  const kept = table.columns.map((column) => differences.length === 0 || isKept(column));
  return {
    columns: table.columns.filter((_, index) => kept[index]),
    rows: table.rows.map((cells) => cells.filter((_, index) => kept[index])),
  };
}

function wholeTable(differences: readonly Difference[]): Table {
  return {
    columns: [
      { heading: "change", rigid: true },
      { heading: "retailer" },
      { heading: "title", minimum: 20 },
      ...["price before", "price after", "%", "currency"].map((heading) => ({ heading, rigid: true })),
      { heading: "sku" },
      { heading: "mrp before", rigid: true },
      { heading: "mrp after", rigid: true },
    ],
    rows: differences.map(({ change, retailer, sku, from, to }) => [
      textCell(change),
      textCell(retailer),
      jsonCell((to ?? from)?.title ?? "null"),
      jsonCell(from?.selling_price ?? "null"),
      jsonCell(to?.selling_price ?? "null"),
      percentCell(percentMoved({ from, to })),
      textCell(currencies(from, to)),
      textCell(sku),
      jsonCell(from?.mrp ?? "null"),
      jsonCell(to?.mrp ?? "null"),
    ]),
  };
}

function currencies(from: Difference["from"], to: Difference["to"]): string {
  const codes = [from, to].flatMap((listing) =>
    listing === undefined ? [] : [JSON.parse(listing.currency) as string],
  );
  return [...new Set(codes)].join(" → ");
}

/** The summary in one line: `12 changed, 3 appeared, 0 vanished, 985 unchanged`. */
export function summaryLine({ products }: DiffSummary): string {
  return [...CHANGES, "unchanged" as const].map((kind) => `${groupDigits(products[kind])} ${kind}`).join(", ");
}
