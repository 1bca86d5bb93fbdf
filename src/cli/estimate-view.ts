import { type RateHeaders, windowSecondsOf } from "../client/requests/rate-window.ts";
import { LIMITS } from "../contract/limits.ts";
import type { RequestLimits } from "../pull/estimate.ts";
import type { Context } from "./context.ts";
import type { GlobalOptions } from "./flags/global.ts";
import type { Reporter } from "./reporter.ts";
import { textForStdout } from "./terminal/ascii.ts";
import { formatDuration } from "./terminal/duration.ts";
import { screenOf } from "./terminal/screen.ts";
import { itemTable, numberColumn, textColumn } from "./terminal/tables/item-table.ts";
import { renderTable } from "./terminal/tables/table.ts";

/**
 * Records the rate limits and the latency of the responses in a dry run.
 *
 * @returns a function for the limits seen so far, from which further requests are estimated
 */
export function observeLimits(
  { listeners }: Reporter,
  { maxRate, concurrency }: { maxRate: number | undefined; concurrency: number },
): () => RequestLimits {
  let rate: RateHeaders | undefined;
  let latency = 0;
  listeners.add((event) => {
    if (event.type === "response") {
      rate = event.rate ?? rate;
      latency = event.milliseconds;
    }
  });
  return () => ({
    limit: rate?.limit,
    windowSeconds: rate === undefined ? LIMITS.windowSeconds : windowSecondsOf(rate),
    remaining: rate?.remaining,
    resetSeconds: rate?.resetSeconds ?? LIMITS.windowSeconds,
    maxRate,
    latency,
    concurrency,
  });
}

/** Prints the estimate of a dry run: first the counts, then the time, then the texts. */
export async function printEstimate(
  { seconds, ...counts }: { seconds: number } & Readonly<Record<string, number>>,
  texts: Readonly<Record<string, string>>,
  globals: GlobalOptions,
  context: Context,
): Promise<void> {
  const time = seconds < 1 ? "under 1 s" : formatDuration(Math.round(seconds) * 1000);
  const columns = [
    ...Object.entries(counts).map(([name, count]) => numberColumn(name, () => count)),
    ...Object.entries({ time, ...texts }).map(([name, text]) => textColumn(name, () => text)),
  ];
  const { text } = renderTable(itemTable([counts], columns), screenOf(context, { globals }));
  await context.print(textForStdout(text, context));
}
