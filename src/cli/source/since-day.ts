import { type DateExpression, resolveDay } from "../../contract/values/date-expression.ts";
import { dayOf } from "../../contract/values/day-arithmetic.ts";
import { UsageError } from "../../errors.ts";
import type { SyncedFolder } from "./synced-folder.ts";

/**
 * The day of `--since`, up to which prices are compared with the newest ones of a folder.
 *
 * @param now milliseconds since the epoch
 * @throws UsageError if the folder has no row up to that day, or none after it
 */
export function sinceDay(since: DateExpression, { name, days }: SyncedFolder, now: number): string {
  const [first = "", latest = first] = [days[0], days.at(-1)];
  const day = resolveDay(since, { today: dayOf(now), latest }) ?? "";
  if (days.length === 0) {
    throw new UsageError(`${name} holds no rows that the filters match.`);
  }
  if (day >= latest || day < first) {
    const gap = day >= latest ? `no row after ${day}` : `no row up to ${day}`;
    throw new UsageError(
      `--since ${since}: ${name} has ${gap}; it has ${first} to ${latest}. Name a day from ${first} on, before ${latest}.`,
      { flag: "--since", value: since, suggestions: ["latest-7d"] },
    );
  }
  return day;
}
