import { type Screen, style } from "../../cli/terminal/style.ts";
import { percentCell } from "../../cli/terminal/tables/cell.ts";
import {
  type ItemColumn,
  itemTable,
  numberColumn,
  textColumn,
  titleColumn,
  WHOLE_SKU,
} from "../../cli/terminal/tables/item-table.ts";
import { recordTable } from "../../cli/terminal/tables/row-table.ts";
import { renderTable, type Table, withoutConstants } from "../../cli/terminal/tables/table.ts";
import { visible } from "../../cli/terminal/visible.ts";
import { groupDigits } from "../../contract/values/counted.ts";
import type { Mover, MoverKind } from "../../folder/prices/movers.ts";
import { roundedPercent } from "../../folder/prices/observation.ts";
import { MOVER_COLUMNS } from "./options.ts";

/** Movers of one kind and, with `--group-by`, of one group. */
export interface MoverGroup {
  kind: MoverKind;
  name: string | undefined;
  movers: readonly NamedMover[];
  /** Number of movers of the group, including those beyond the limit. */
  all: number;
}

/** A mover with what its row says of its product. */
export interface NamedMover extends Mover {
  title: string;
  brand: string;
  /** The address of the newest row; undefined if it was not looked up. */
  url: string | undefined;
}

/** A mover in the order of the columns. `percent` has two decimals; unknown values are null. */
export function moverRecord({ kind, before, now, percent, earlierLow, title, brand, url }: NamedMover) {
  const { retailer, sku, department, category, currency } = now;
  return {
    kind,
    retailer,
    sku,
    title,
    department,
    category,
    currency,
    before_date: before?.day ?? null,
    before_selling_price: before?.selling_price ?? null,
    date: now.day,
    selling_price: now.selling_price,
    percent: roundedPercent(percent),
    mrp: now.mrp,
    discount_pct: now.discount_pct,
    low_date: earlierLow?.day ?? null,
    low_selling_price: earlierLow?.selling_price ?? null,
    brand,
    url: url ?? null,
  };
}

export type MoverRecord = ReturnType<typeof moverRecord>;

const HEADINGS = {
  drop: "Biggest drops",
  rise: "Biggest rises",
  new_low: "New lows",
  discount: "Highest discounts",
} as const satisfies Record<MoverKind, string>;

/**
 * One table a kind, each below its heading, with a line above each group; of the chosen columns, or of those that tell the
 * kind.
 */
export function moversText(
  kinds: readonly MoverKind[],
  groups: readonly MoverGroup[],
  chosen: readonly string[] | undefined,
  { since, latest }: { since: string; latest: string },
  screen: Screen,
): { text: string; hidden: string[] } {
  const hidden = new Set<string>();
  const tableOf = (kind: MoverKind, movers: readonly NamedMover[]) =>
    chosen === undefined
      ? withoutConstants(moversTable(kind, movers), ["retailer", "currency"])
      : { table: recordTable(movers.map(moverRecord), MOVER_COLUMNS, chosen), caption: "" };
  const parts = kinds.map((kind) => {
    const own = groups.filter((group) => group.kind === kind);
    const all = own.map((group) => (group.name === undefined ? moreText(group) : "")).join("");
    const heading = `${HEADINGS[kind]} from ${since} to ${latest}${all}`;
    const movers = own.flatMap((group) => group.movers);
    const { table: varying, caption } = tableOf(kind, movers);
    const table = renderTable({ ...varying, groups: groupHeadings(own) }, screen);
    for (const column of table.hidden) {
      hidden.add(column);
    }
    const shared = caption === "" ? "" : `${style("dim", caption, screen.colour)}\n`;
    return `${style("bold", heading, screen.colour)}\n${movers.length === 0 ? "none\n" : `${shared}${table.text}`}`;
  });
  return { text: parts.join("\n"), hidden: [...hidden] };
}

function moreText({ movers, all }: MoverGroup): string {
  return all > movers.length ? `, ${movers.length} of ${groupDigits(all)}` : "";
}

/** The heading of each group that has a name, by the index of its first mover. */
function groupHeadings(groups: readonly MoverGroup[]): Map<number, string> {
  const headings = new Map<number, string>();
  let at = 0;
  for (const group of groups) {
    if (group.name !== undefined) {
      headings.set(at, `${visible(group.name)}${moreText(group)}`);
    }
    at += group.movers.length;
  }
  return headings;
}

const BEFORE = numberColumn<Mover>("price before", ({ before }) => before?.selling_price);

/** The columns after the price. */
const MIDDLE: Record<MoverKind, readonly ItemColumn<Mover>[]> = {
  drop: [BEFORE],
  rise: [BEFORE],
  new_low: [
    numberColumn("low before", ({ earlierLow }) => earlierLow?.selling_price),
    textColumn("on", ({ earlierLow }) => earlierLow?.day ?? "", { rigid: true }),
  ],
  discount: [numberColumn("mrp", ({ now }) => now.mrp)],
};

function moversTable(kind: MoverKind, movers: readonly NamedMover[]): Table {
  const percentOf = kind === "discount" ? ({ now }: Mover) => -now.discount_pct : ({ percent }: Mover) => percent;
  return itemTable(movers, [
    titleColumn(
      ({ title }) => title,
      ({ url }) => url,
    ),
    textColumn("retailer", ({ now }) => now.retailer),
    textColumn("sku", ({ now }) => now.sku, { minimum: WHOLE_SKU }),
    numberColumn("price", ({ now }) => now.selling_price),
    { heading: "%", rigid: true, cell: (mover) => percentCell(percentOf(mover)) },
    ...MIDDLE[kind],
    textColumn("currency", ({ now }) => now.currency, { rigid: true }),
    textColumn("seen", ({ now }) => now.day, { rigid: true }),
  ]);
}
