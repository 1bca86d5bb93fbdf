import { FileError, UsageError } from "../../contract/errors.ts";
import { resolveDay } from "../../contract/values/date-expression.ts";
import { dayOf } from "../../contract/values/day-arithmetic.ts";
import { BOOKMARK_NAME, type Bookmark, openBookmark } from "../../folder/bookmarks.ts";
import type { Context } from "../context.ts";
import { dateExpression, valueError } from "../flags/values.ts";
import { noMatchingRows, type SyncedFolder } from "../source/synced-folder.ts";

export const BOOKMARKS =
  "--since last: the folder remembers the newest day of each retailer that was written, and the next run compares with that day. The first run compares with a week before. The bookmark is set once all rows are written (also with exit code 8): after a failed or interrupted command, or one that shows only the first rows, the same rows come again. Each command has its own bookmarks, and last:NAME is a separate one: use a name for each set of filters, and for each job. Rows that a sync adds to a day that was written before are not compared again.";

const DEFAULT_NAME = "last";

/** The default of `--since`, and of a new bookmark. */
export const A_WEEK = "latest-7d";

/** Parses a day, `last` or `last:NAME`. */
export function sinceDayOrBookmark(flag: string): (text: string) => string {
  return (text) => {
    const [, name] = /^last(?::(.*))?$/s.exec(text) ?? [];
    if (name !== undefined && (!BOOKMARK_NAME.test(name) || name === DEFAULT_NAME)) {
      throw valueError(
        flag,
        text,
        "has an invalid bookmark name; use letters, digits, dots, hyphens and underscores, as in last:mail, but not the name last.",
      );
    }
    // Nothing can be compared since `latest`, so it is not suggested.
    const bookmarks = { written: "last or last:NAME for a bookmark", words: ["last", "today", "yesterday"] };
    return isBookmark(text) ? text : dateExpression(flag, bookmarks)(text);
  };
}

export function isBookmark(since: string): boolean {
  return since === "last" || since.startsWith("last:");
}

/** The days with which the retailers are compared. */
export interface SinceOfRetailers {
  /** The oldest of these days. */
  oldest: string;
  /** Whether the days differ between retailers. */
  isByRetailer: boolean;
  /** Whether the days are those of a bookmark that an earlier run set. */
  isFromBookmark: boolean;
  sinceOf(retailer: string): string;
  /** Remembers that everything up to the newest day was written; undefined if `--since` is a day. */
  bookmark: { set(): Promise<void>; release(): Promise<void> } | undefined;
}

/**
 * Resolves `--since`: to one day for all retailers, or to those of a bookmark.
 *
 * @param newest the newest day of each retailer
 * @throws UsageError if there is nothing to compare since that day
 * @throws FileError if the folder cannot store the bookmark
 * @throws LockedError if another process uses the bookmark
 */
export async function sinceOfRetailers(
  { since, command }: { since: string | undefined; command: string },
  synced: SyncedFolder,
  newest: ReadonlyMap<string, string>,
  context: Pick<Context, "pid" | "now">,
): Promise<SinceOfRetailers> {
  if (since !== undefined && isBookmark(since)) {
    return await bookmarkDays(since, command, synced, newest, context);
  }
  const day = comparedDay(since, synced, newest, context.now());
  return sinceDay(day);
}

export function sinceDay(day: string): SinceOfRetailers {
  return { oldest: day, isByRetailer: false, isFromBookmark: false, sinceOf: () => day, bookmark: undefined };
}

function comparedDay(
  since: string | undefined,
  synced: SyncedFolder,
  newest: ReadonlyMap<string, string>,
  now: number,
): string {
  const [first] = synced.days;
  const latest = latestOf(newest);
  if (first === undefined || latest === undefined) {
    throw noMatchingRows(synced);
  }
  const day = resolveDay(since ?? A_WEEK, { today: dayOf(now), latest });
  if (since === undefined && day < first) {
    const folder = matchedPart(synced);
    synced.reporter.note(
      first === latest
        ? `${folder} has one day, ${first}: nothing to compare yet`
        : `${folder} begins on ${first}: compared with that day`,
    );
    return first;
  }
  if (day >= latest || day < first) {
    throw nothingSince(since ?? A_WEEK, day, synced, { first, latest });
  }
  return day;
}

/** The name of the folder, and that only some of its days match the filters. */
function matchedPart({ name, days, state }: SyncedFolder): string {
  return days.length === Object.keys(state.days).length ? name : `${name}, with these filters,`;
}

/** Why nothing can be compared since a day, for a folder with days from `first` to `latest`. */
function nothingSince(
  since: string,
  day: string,
  synced: SyncedFolder,
  { first, latest }: { first: string; latest: string },
): UsageError {
  const folder = matchedPart(synced);
  const row = folder === synced.name ? "row" : "matching row";
  if (first === latest) {
    return new UsageError(`--since ${since}: ${folder} has one day, ${first}: nothing to compare yet.`, {
      flag: "--since",
    });
  }
  const gap = day >= latest ? `no ${row} after ${day}` : `no ${row} up to ${day}`;
  const isWeekBefore = resolveDay(A_WEEK, { today: latest, latest }) >= first;
  return new UsageError(
    `--since ${since}: ${folder} has ${gap}; its ${row}s are from ${first} to ${latest}. Name a day from ${first} on and before ${latest}.`,
    { flag: "--since", value: since, suggestions: [isWeekBefore ? A_WEEK : first] },
  );
}

async function bookmarkDays(
  since: string,
  command: string,
  synced: SyncedFolder,
  newest: ReadonlyMap<string, string>,
  { pid, now }: Pick<Context, "pid" | "now">,
): Promise<SinceOfRetailers> {
  const today = dayOf(now());
  const bookmark = await bookmarkOf(since, command, synced, pid);
  // Ignores remembered days after today: the clock may have been wrong when they were set.
  const seen = new Map(Object.entries(bookmark.seen ?? {}).filter(([, day]) => day <= today));
  const isFirst = ![...newest.keys()].some((retailer) => seen.has(retailer));
  const days = new Map(
    [...newest].map(([retailer, day]) => [retailer, seen.get(retailer) ?? weekBefore(day, today, synced.days[0])]),
  );
  const oldest = [...days.values()].sort()[0] ?? today;
  noteComparedDays(since, bookmark, { days, newest, isFirst }, synced);
  synced.reporter.progress.clear();
  return {
    oldest,
    isByRetailer: new Set(days.values()).size > 1,
    isFromBookmark: !isFirst,
    sinceOf: (retailer) => days.get(retailer) ?? oldest,
    bookmark: {
      set: () => bookmark.set({ ...bookmark.seen, ...newestSeen(newest, seen) }),
      release: async () => await bookmark[Symbol.asyncDispose](),
    },
  };
}

/** @throws FileError that says what to do in a folder that cannot be written */
async function bookmarkOf(
  since: string,
  command: string,
  { folder, name }: SyncedFolder,
  pid: number,
): Promise<Bookmark> {
  const bookmark = { command, name: since.slice("last:".length) || DEFAULT_NAME };
  return await openBookmark(folder, bookmark, pid).catch((error: unknown) => {
    throw error instanceof FileError
      ? new FileError(
          `--since ${since}: ${name} cannot store the bookmark: ${error.message}. If the folder is read-only, name a day: --since ${A_WEEK}.`,
          error.path,
          error.cause,
        )
      : error;
  });
}

/** A week before a day, or the first day of a folder that is younger. */
function weekBefore(day: string, today: string, firstOfFolder = ""): string {
  const before = resolveDay(A_WEEK, { today, latest: day });
  return before < firstOfFolder ? firstOfFolder : before;
}

/** The newest day of each retailer: this run's or, if later, that of the bookmark. */
function newestSeen(newest: ReadonlyMap<string, string>, seen: ReadonlyMap<string, string>): Record<string, string> {
  const later = [...newest].map(([retailer, day]) => {
    const earlier = seen.get(retailer) ?? day;
    return [retailer, earlier > day ? earlier : day] as const;
  });
  return Object.fromEntries(later);
}

/** Tells the user which days are compared with, and warns if the folder begins after them. */
function noteComparedDays(
  since: string,
  { seen }: Pick<Bookmark, "seen">,
  {
    days,
    newest,
    isFirst,
  }: { days: ReadonlyMap<string, string>; newest: ReadonlyMap<string, string>; isFirst: boolean },
  { name, state, reporter }: SyncedFolder,
): void {
  const [first = ""] = Object.keys(state.days).sort();
  const gap = [...newest].every(([retailer, day]) => day <= (days.get(retailer) ?? ""))
    ? "; there is no newer day"
    : "";
  const compared = [...new Set(days.values())].sort();
  const what = compared.length > 1 ? `${compared[0]} to ${compared.at(-1)}, by retailer` : compared[0];
  reporter.note(
    isFirst
      ? `first use of --since ${since}: compared with ${what}${gap}`
      : compared.length > 1
        ? `--since ${since}: compared with ${what}${gap}`
        : `--since ${since}: everything up to ${what} was written${gap}`,
  );
  if (seen !== undefined && !isFirst && (compared[0] ?? "") < first) {
    reporter.warn(
      `--since ${since}: ${name} begins on ${first}, after the bookmark (${compared[0]}): prices in between are unknown`,
    );
  }
}

function latestOf(newest: ReadonlyMap<string, string>): string | undefined {
  return [...newest.values()].sort().at(-1);
}
