import type { Reporter } from "../../cli/reporter.ts";
import type { DiffSource } from "../../diff/source.ts";

/** The days that are compared, wherever their rows are. */
export interface ComparedDays {
  source: DiffSource;
  reporter: Reporter;
  /** Aborted when the command is interrupted or its `--max-time` is over. */
  signal: AbortSignal;
  /** Which days have rows where these have none, in words (`crawled from … to …`); undefined where no day has any. */
  daysWithRows(empty: readonly string[]): Promise<string | undefined>;
}
