import type { DiffSource } from "../export/diff-source.ts";
import type { Reporter } from "./reporter.ts";

/** The days that are compared, wherever their rows are. */
export interface ComparedDays {
  source: DiffSource;
  reporter: Reporter;
  /** Which days have rows where these have none, in words (`crawled from … to …`); undefined where no day has any. */
  daysWithRows(empty: readonly string[]): Promise<string | undefined>;
}
