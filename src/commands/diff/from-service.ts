import { withConnection } from "../../cli/connection.ts";
import type { Context } from "../../context.ts";
import { serviceDays } from "../../diff/service-source.ts";
import type { ComparedDays } from "./days.ts";
import type { DiffOptions } from "./options.ts";

/** Days of the configured service, or of the demo. */
export async function withServiceDays(
  options: DiffOptions,
  context: Context,
  use: (days: ComparedDays) => Promise<void>,
): Promise<void> {
  const { filters, pageSize, concurrency } = options;
  await withConnection(options, context, async ({ client, reporter, signal }) => {
    const onRestart = (reason: string) => reporter.note(`reading a part of a day again: ${reason}`);
    await use({
      source: serviceDays(client, { filters, pageSize, concurrency, signal, onRestart }),
      reporter,
      signal,
      daysWithRows: async () => {
        const { earliest_date, latest_date } = (await client.coverage(filters, signal)).meta.coverage;
        return earliest_date === null ? undefined : `crawled from ${earliest_date} to ${latest_date}`;
      },
    });
  });
}
