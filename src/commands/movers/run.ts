import { refuseHeld } from "../../cli/flags/condition.ts";
import { groupBy } from "../../cli/flags/list.ts";
import { hasRowFormat } from "../../cli/flags/output.ts";
import { showTable } from "../../cli/pager.ts";
import { withFolderPrices } from "../../cli/source/folder-prices.ts";
import { type SyncedFolder, withSyncedFolder } from "../../cli/source/synced-folder.ts";
import { screenOf } from "../../cli/terminal.ts";
import { writeRows } from "../../cli/write-rows.ts";
import type { Context } from "../../context.ts";
import { resolveDay } from "../../contract/values/date-expression.ts";
import { dayOf } from "../../contract/values/day-arithmetic.ts";
import { groupDigits } from "../../contract/values/decimal.ts";
import { UsageError } from "../../errors.ts";
import { findMovers, type Mover, type MoverKind } from "../../prices/movers.ts";
import { batchOf } from "../../rows/scan.ts";
import { MOVER_CELLS, MOVER_COLUMNS, type MoverGroup, moverRecord, moversText } from "./movers-table.ts";
import type { MoverField, MoversOptions } from "./options.ts";

export async function runMovers(options: MoversOptions, context: Context): Promise<void> {
  await withSyncedFolder(options, context, async (synced) => {
    const { days, reporter } = synced;
    const since = sinceDay(options, synced, context);
    const { all, titleOf } = await withFolderPrices(synced, context, async (prices) => ({
      all: await findMovers(prices, since),
      titleOf: ({ now }: Mover) => prices.listings.titleOf(now.listing),
    }));
    const groups = options.kinds.flatMap((kind) => groupsOf(kind, all[kind], options));
    const { output } = options;
    if (hasRowFormat(output)) {
      const records = groups.flatMap(({ movers }) => movers.map((mover) => moverRecord(mover, titleOf(mover))));
      const encoding = { known: MOVER_COLUMNS, kinds: MOVER_CELLS };
      await writeRows([batchOf(records, MOVER_COLUMNS)], output, encoding, reporter, context);
    } else {
      const text = moversText(groups, titleOf, { since, latest: days.at(-1) ?? since }, screenOf(context, options));
      await showTable(text, output, { pager: false }, reporter, context);
      reporter.note(`prices of ${groupDigits(days.length)} days, the newest ${days.at(-1)}`);
    }
    const held = options.kinds
      .flatMap((kind) => all[kind])
      .filter((mover) => options.failIf?.holds(moverFields(mover)));
    refuseHeld(options.failIf, new Set(held.map(({ now }) => `${now.retailer} ${now.sku}`)));
  });
}

/** @throws UsageError if the folder has no earlier day to compare with, or no later one */
function sinceDay({ since }: MoversOptions, { folder, days }: SyncedFolder, context: Context): string {
  const [first = "", latest = first] = [days[0], days.at(-1)];
  const day = resolveDay(since, { today: dayOf(context.now()), latest }) ?? "";
  if (days.length === 0) {
    throw new UsageError(`${folder} holds no rows that the filters match.`);
  }
  if (day >= latest || day < first) {
    const gap = day >= latest ? `no row after ${day}` : `no row up to ${day}`;
    throw new UsageError(
      `--since ${since}: ${folder} has ${gap}; it has ${first} to ${latest}. Name a day from ${first} on, before ${latest}.`,
      { flag: "--since", value: since, suggestions: ["latest-7d"] },
    );
  }
  return day;
}

function groupsOf(
  kind: MoverKind,
  movers: readonly Mover[],
  { groupBy: dimension, limit }: MoversOptions,
): MoverGroup[] {
  const groups =
    dimension === undefined
      ? [[undefined, movers] as const]
      : [...groupBy(movers, ({ now }) => now[dimension])].sort(([a], [b]) => (a < b ? -1 : 1));
  return groups.map(([name, own]) => ({ kind, name, movers: own.slice(0, limit), all: own.length }));
}

function moverFields({ percent, now, before }: Mover): Record<MoverField, number | undefined> {
  const { selling_price, mrp, discount_pct } = now;
  return { percent, selling_price, before_selling_price: before?.selling_price, mrp, discount_pct };
}
