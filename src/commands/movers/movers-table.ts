import { groupDigits } from "../../contract/values/decimal.ts";
import type { CellKinds } from "../../output/formats/xlsx/cell-kinds.ts";
import { type Screen, style } from "../../output/terminal/style.ts";
import { percentCell } from "../../output/terminal/tables/cell.ts";
import { type ItemColumn, itemTable, numberColumn, textColumn } from "../../output/terminal/tables/item-table.ts";
import { renderTable, type Table, withoutConstants } from "../../output/terminal/tables/table.ts";
import { visible } from "../../output/terminal/visible.ts";
import type { Mover, MoverKind } from "../../prices/movers.ts";
import { roundedPercent } from "../../prices/observation.ts";

/** Movers of one kind and, with `--group-by`, of one group. */
export interface MoverGroup {
  kind: MoverKind;
  name: string | undefined;
  movers: readonly Mover[];
  /** Number of movers of the group, including those beyond the limit. */
  all: number;
}

/** Members of a record in their order, which is also that of the CSV columns. */
export const MOVER_COLUMNS: readonly string[] = [
  ...["kind", "retailer", "sku", "title", "department", "category", "currency"],
  ...["before_date", "before_selling_price", "date", "selling_price", "percent"],
  ...["mrp", "discount_pct", "low_date", "low_selling_price"],
];

/** The dates and percentages among them. */
export const MOVER_CELLS: CellKinds = {
  ...{ before_date: "date", date: "date", low_date: "date" },
  ...{ percent: "percent", discount_pct: "percent" },
};

/** The JSON text of a mover. `percent` has two decimals; unknown values are null. */
export function moverRecord({ kind, before, now, percent, earlierLow }: Mover, title: string): string {
  const { retailer, sku, department, category, currency } = now;
  return JSON.stringify({
    ...{ kind, retailer, sku, title, department, category, currency },
    before_date: before?.day ?? null,
    before_selling_price: before?.selling_price ?? null,
    date: now.day,
    selling_price: now.selling_price,
    percent: roundedPercent(percent),
    mrp: now.mrp,
    discount_pct: now.discount_pct,
    low_date: earlierLow?.day ?? null,
    low_selling_price: earlierLow?.selling_price ?? null,
  });
}

/** Cells of a sku that people copy into the next command. */
const SKU_CELLS = 12;

const HEADINGS = {
  drop: "Biggest drops",
  rise: "Biggest rises",
  new_low: "New lows",
  discount: "Highest discounts",
} as const satisfies Record<MoverKind, string>;

/** One table a group, each below its heading. */
export function moversText(
  groups: readonly MoverGroup[],
  titleOf: (mover: Mover) => string,
  { since, latest }: { since: string; latest: string },
  screen: Screen,
): { text: string; hidden: string[] } {
  const hidden = new Set<string>();
  const parts = groups.map(({ kind, name, movers, all }) => {
    const more = all > movers.length ? `, ${movers.length} of ${groupDigits(all)}` : "";
    const heading = `${HEADINGS[kind]} from ${since} to ${latest}${name === undefined ? "" : `, ${visible(name)}`}${more}`;
    const { table: varying, caption } = withoutConstants(moversTable(kind, movers, titleOf), ["retailer", "currency"]);
    const table = renderTable(varying, screen);
    for (const column of table.hidden) {
      hidden.add(column);
    }
    const shared = caption === "" ? "" : `${style("dim", caption, screen.colour)}\n`;
    return `${style("bold", heading, screen.colour)}\n${movers.length === 0 ? "none\n" : `${shared}${table.text}`}`;
  });
  return { text: parts.join("\n"), hidden: [...hidden] };
}

const BEFORE = numberColumn<Mover>("price before", ({ before }) => before?.selling_price);

/** The columns between the retailer and the price. */
const MIDDLE: Record<MoverKind, readonly ItemColumn<Mover>[]> = {
  drop: [BEFORE],
  rise: [BEFORE],
  new_low: [
    numberColumn("low before", ({ earlierLow }) => earlierLow?.selling_price),
    textColumn("on", ({ earlierLow }) => earlierLow?.day ?? "", { rigid: true }),
  ],
  discount: [numberColumn("mrp", ({ now }) => now.mrp)],
};

function moversTable(kind: MoverKind, movers: readonly Mover[], titleOf: (mover: Mover) => string): Table {
  const percentOf = kind === "discount" ? ({ now }: Mover) => -now.discount_pct : ({ percent }: Mover) => percent;
  return itemTable(movers, [
    textColumn("title", titleOf, { minimum: 24 }),
    textColumn("retailer", ({ now }) => now.retailer),
    ...MIDDLE[kind],
    numberColumn("price", ({ now }) => now.selling_price),
    { heading: "%", rigid: true, cell: (mover) => percentCell(percentOf(mover)) },
    textColumn("currency", ({ now }) => now.currency, { rigid: true }),
    textColumn("sku", ({ now }) => now.sku, { minimum: SKU_CELLS }),
    textColumn("seen", ({ now }) => now.day, { rigid: true }),
  ]);
}
