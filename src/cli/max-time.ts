import { startDeadline } from "../api/requests/deadline.ts";
import type { Context } from "../context.ts";
import { NetworkError } from "../errors.ts";
import { formatDuration } from "../output/terminal/duration.ts";
import type { GlobalOptions } from "./flags/global.ts";

/** Runs `use` with a signal that is aborted when the command is interrupted or its `--max-time` is over. */
export async function withinMaxTime<T>(
  { maxTime }: GlobalOptions,
  { signal }: Context,
  use: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const expired = () =>
    new NetworkError(`not done within the --max-time of ${formatDuration(maxTime ?? 0)}`, { attempts: 0 });
  const deadline = startDeadline([signal], maxTime, expired);
  try {
    return await use(deadline.signal);
  } finally {
    deadline.release();
  }
}
