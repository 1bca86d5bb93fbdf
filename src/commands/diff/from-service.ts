import type { Context } from "../../cli/context.ts";
import { withConnection } from "../../cli/source/connection.ts";
import { LIMITS } from "../../contract/limits.ts";
import { diffDays } from "../../folder/diff/compare.ts";
import { type ComparedDays, resolveDaysOf } from "./days.ts";
import type { DiffOptions } from "./options.ts";

/** Days of the configured service, or of the demo. */
export async function withServiceDays(
  options: DiffOptions,
  context: Context,
  use: (days: ComparedDays) => Promise<void>,
): Promise<void> {
  const { concurrency } = options;
  await withConnection(options, context, async ({ client, filters, reporter, signal }) => {
    const extent = async () => (await client.coverage(filters, signal)).meta.coverage;
    const days = await resolveDaysOf(options, context.now(), async () => (await extent()).latest_date);
    const onRestart = (reason: string) => reporter.note(`reading a part of a day again: ${reason}`);
    const pulled = { ...days, filters, pageSize: LIMITS.pageSize.maximum, concurrency, signal, onRestart };
    await use({
      ...days,
      asOf: false,
      compare: (progress, onDifferences) => diffDays(client, { ...pulled, ...progress }, onDifferences),
      reporter,
      signal,
      daysWithRows: async () => {
        const { earliest_date, latest_date } = await extent();
        return earliest_date === null ? undefined : `crawled from ${earliest_date} to ${latest_date}`;
      },
    });
  });
}
