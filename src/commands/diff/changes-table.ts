import type { DiffSummary } from "../../diff/compare.ts";
import type { Change, Difference } from "../../diff/join.ts";
import { type Cell, groupDigits, jsonCell, textCell } from "../../output/terminal/cell.ts";
import type { Table } from "../../output/terminal/table.ts";

/** Differences of each kind that a table shows; a person reads no more, and every other format has them all. */
const SHOWN = 40;

const CHANGES = ["changed", "appeared", "vanished"] as const satisfies readonly Change[];

/** Keeps the first differences of each kind, whatever their number. */
export function collectShown(): { add: (differences: readonly Difference[]) => void; shown: () => Difference[] } {
  const kept: Record<Change, Difference[]> = { changed: [], appeared: [], vanished: [] };
  return {
    add: (differences) => {
      for (const difference of differences) {
        if (kept[difference.change].length < SHOWN) {
          kept[difference.change].push(difference);
        }
      }
    },
    shown: () => CHANGES.flatMap((change) => kept[change]),
  };
}

export function diffTable(differences: readonly Difference[]): Table {
  return {
    columns: [
      { heading: "change", rigid: true },
      { heading: "retailer" },
      { heading: "title", minimum: 24 },
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
      percentCell(from, to),
      textCell(currencies(from, to)),
      textCell(sku),
      jsonCell(from?.mrp ?? "null"),
      jsonCell(to?.mrp ?? "null"),
    ]),
  };
}

/** How far the selling price moved, in percent; empty where that has no meaning. */
function percentCell(from: Difference["from"], to: Difference["to"]): Cell {
  const before = Number(from?.selling_price ?? Number.NaN);
  const after = Number(to?.selling_price ?? Number.NaN);
  const isComparable = from?.currency === to?.currency && before > 0;
  const percent = ((after - before) / before) * 100;
  const text = isComparable && Number.isFinite(percent) ? `${percent > 0 ? "+" : ""}${percent.toFixed(1)}` : "";
  return { text, numeric: true };
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
