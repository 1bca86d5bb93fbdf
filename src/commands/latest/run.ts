import { hasRowFormat } from "../../cli/flags/output.ts";
import { showTable } from "../../cli/pager.ts";
import { withSyncedFolder } from "../../cli/source/synced-folder.ts";
import { screenOf } from "../../cli/terminal.ts";
import { queryRecords, SHOWN_ROWS, writeQuery } from "../../cli/write-query.ts";
import type { Context } from "../../context.ts";
import { dayOf } from "../../contract/values/day-arithmetic.ts";
import { counted, groupDigits } from "../../contract/values/decimal.ts";
import { withFolderSql } from "../../mirror/sql/folder-session.ts";
import { renderCaptioned } from "../../output/terminal/tables/table.ts";
import { type DiscountGroup, groupsTable, type LatestPrice, latestTable } from "./latest-table.ts";
import { LATEST_COLUMNS, type LatestOptions } from "./options.ts";
import { ageDays, firstDay, latestQuery, totalQuery } from "./queries.ts";

export async function runLatest(options: LatestOptions, context: Context): Promise<void> {
  await withSyncedFolder(options, context, async (synced) => {
    const { reporter } = synced;
    const { output, groupBy, list } = options;
    const ages = ageDays(synced.filters, dayOf(context.now()));
    const first = firstDay(ages, options.maxAge);
    const days = synced.days.filter((day) => day >= first);
    await withFolderSql({ ...synced, days }, async (session) => {
      if (hasRowFormat(output)) {
        const kinds = { discounted_percent: "percent", mean_discount_pct: "percent" } as const;
        await writeQuery(session, { sql: latestQuery(options, ages), kinds }, output, reporter, context);
        return;
      }
      const limit = list.limit ?? SHOWN_ROWS;
      const shown = { ...options, columns: groupBy === undefined ? LATEST_COLUMNS : options.columns };
      const found = await queryRecords(session, {
        sql: latestQuery({ ...shown, list: { ...list, limit: limit + 1 } }, ages),
      });
      const rows = found.slice(0, limit);
      const chosen = options.hasOwnColumns ? options.columns : undefined;
      const screen = screenOf(context, options);
      if (groupBy === undefined) {
        const table = latestTable(rows as unknown as LatestPrice[], chosen);
        await showTable(renderCaptioned(table, ["retailer", "currency"], screen), output, list, reporter, context);
      } else {
        const [total] = await queryRecords(session, { sql: totalQuery(options, ages) });
        const groups = rows as unknown as DiscountGroup[];
        const table = groupsTable(groups, groupBy, total as unknown as DiscountGroup, chosen);
        await showTable(renderCaptioned(table, [], screen), output, list, reporter, context);
      }
      if (found.length > limit) {
        reporter.note(`the first ${groupDigits(limit)}; -f ndjson or -o FILE has them all`);
      }
      const read =
        days.length === 0 ? "no rows match" : `prices of ${counted(days.length, "day")}, the newest ${days.at(-1)}`;
      reporter.note(read);
    });
  });
}
