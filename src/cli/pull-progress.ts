import type { Context } from "../context.ts";
import { createProgress } from "../output/terminal/progress.ts";
import type { ProgressState } from "../output/terminal/progress-line.ts";
import type { GlobalOptions } from "./flags/global.ts";
import type { Reporter } from "./reporter.ts";

/** Shows how a pull goes while `work` runs; pauses and the rate limit are shown without its doing. */
export async function withProgress<T>(
  globals: GlobalOptions,
  reporter: Reporter,
  context: Context,
  work: (update: (change: Partial<ProgressState>) => void) => Promise<T>,
): Promise<T> {
  const mode = globals.quiet ? "none" : globals.progress;
  const progress = await createProgress({ stream: context.stderr, mode, now: context.now });
  const state: ProgressState = { rows: 0 };
  const update = (change: Partial<ProgressState>) => progress.update(Object.assign(state, change));
  reporter.onWait = (reason, milliseconds) => update({ waiting: { reason, until: context.now() + milliseconds } });
  reporter.onRate = ({ remaining }) => update({ requestsLeft: remaining });
  try {
    return await work(update);
  } finally {
    progress.stop();
  }
}
