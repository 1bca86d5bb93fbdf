import { ConditionHoldsError, FileError, UsageError } from "../../contract/errors.ts";
import { type DateExpression, resolveDay } from "../../contract/values/date-expression.ts";
import { dayOf } from "../../contract/values/day-arithmetic.ts";
import { LOOK_NAME, withLook } from "../../folder/looks.ts";
import type { Context } from "../context.ts";
import { dateExpression, valueError } from "../flags/values.ts";
import type { SyncedFolder } from "./synced-folder.ts";

/** A part of the help. */
export const LOOKS = `--since last: the folder remembers the newest day that the last look saw; the next
one compares since that day. The first look is at the last week. A look counts once
its output is complete (also with exit code 8), so a failed or interrupted command is
repeated with the same days. Each command has looks of its own, and last:NAME is one
more: use a name for each set of filters, and for each job. Rows that a sync adds to
a day that a look has seen are not in the next look.`;

/** The name of a look that is given none. */
const DEFAULT_NAME = "last";

/** What is compared at the first look. */
const FIRST_LOOK = "latest-7d";

/** The days that `--since` compares, `YYYY-MM-DD`. They are the same if there is no newer day. */
export interface SinceDays {
  since: string;
  latest: string;
}

/** Parses a day, `last` or `last:NAME`. */
export function sinceExpression(flag: string): (text: string) => string {
  return (text) => {
    const [, name] = /^last(?::(.*))?$/s.exec(text) ?? [];
    if (name !== undefined && !LOOK_NAME.test(name)) {
      throw valueError(
        flag,
        text,
        "has no name of a look; write one of letters, digits, dots, hyphens and underscores, as in last:mail.",
      );
    }
    return isLook(text) ? text : dateExpression(flag)(text);
  };
}

/** Whether `--since` is about a look, not a day. */
export function isLook(since: string): boolean {
  return since === "last" || since.startsWith("last:");
}

/**
 * Compares since a day, or since a look was last taken. The first look is at the last week. The folder remembers a look
 * when `use` has settled, also if a condition of `--fail-if` holds, and never after another error.
 *
 * @param command whose looks these are
 * @throws UsageError as `sinceDay` does
 * @throws FileError before `use` is called if the folder cannot remember the look
 * @throws LockedError if another process takes the same look
 */
export async function comparedSince<T>(
  { since, command }: { since: DateExpression; command: string },
  synced: SyncedFolder,
  context: Pick<Context, "pid" | "now">,
  use: (days: SinceDays) => Promise<T>,
): Promise<T> {
  const { folder, name, days, reporter } = synced;
  const [first, latest = ""] = [days[0], days.at(-1)];
  if (first === undefined) {
    throw new UsageError(`${name} holds no rows that the filters match.`);
  }
  if (!isLook(since)) {
    return await use({ since: sinceDay(since, synced, context.now()), latest });
  }
  const look = since.slice("last:".length) || DEFAULT_NAME;
  let hasBegun = false;
  try {
    return await withLook(folder, { command, look }, context.pid, async (taken) => {
      hasBegun = true;
      const seen = await taken.seen();
      const week = resolveDay(FIRST_LOOK, { today: dayOf(context.now()), latest }) ?? first;
      const wanted = seen ?? week;
      const from = wanted < first ? first : wanted > latest ? latest : wanted;
      const gap = from === latest ? "; there is no newer day" : "";
      reporter.note(
        seen === undefined
          ? `first look of --since ${since}: compared with ${from}${gap}`
          : `--since ${since}: the last look saw the days up to ${seen}${gap}`,
      );
      const keep = async () => {
        if (seen === undefined || latest > seen) {
          await taken.remember(latest);
        }
      };
      try {
        const result = await use({ since: from, latest });
        await keep();
        return result;
      } catch (error) {
        if (error instanceof ConditionHoldsError) {
          await keep();
        }
        throw error;
      }
    });
  } catch (error) {
    if (!hasBegun && error instanceof FileError) {
      const message = `--since ${since}: ${name} cannot remember the look: ${error.message}. If the folder is read-only, name a day: --since ${FIRST_LOOK}.`;
      throw new FileError(message, error.path, error.cause);
    }
    throw error;
  }
}

/**
 * The day of `--since`, up to which prices are compared with the newest ones of a folder.
 *
 * @param now milliseconds since the epoch
 * @throws UsageError if the folder has no row up to that day, or none after it
 */
function sinceDay(since: DateExpression, { name, days }: SyncedFolder, now: number): string {
  const [first = "", latest = first] = [days[0], days.at(-1)];
  const day = resolveDay(since, { today: dayOf(now), latest }) ?? "";
  if (day >= latest || day < first) {
    const gap = day >= latest ? `no row after ${day}` : `no row up to ${day}`;
    throw new UsageError(
      `--since ${since}: ${name} has ${gap}; it has ${first} to ${latest}. Name a day from ${first} on, before ${latest}.`,
      { flag: "--since", value: since, suggestions: ["latest-7d"] },
    );
  }
  return day;
}
