import type { CatalogClient } from "../client/client.ts";
import { ApiError, UsageError } from "../contract/errors.ts";
import { FILTER_NAMES, type Filters, fitsRequest, flagOf, type Rcd, splitRcd } from "../contract/filters.ts";
import { closest } from "../contract/values/closest.ts";
import { type DateExpression, isFromLatest, resolveDay } from "../contract/values/date-expression.ts";
import { dayOf } from "../contract/values/day-arithmetic.ts";
import { groupBy } from "../contract/values/group-by.ts";
import { quoteCommand } from "../contract/values/quote-command.ts";
import { type DayWindow, isNonEmptyWindow, type SetFilters, spanOf, windowOf } from "./set-filters.ts";

/**
 * Filters as the user wrote them: a filter may have several values, and days may be relative. Plain JSON, so that they
 * can be stored and resolved again on another day.
 */
export interface WrittenFilters {
  retailer?: readonly string[];
  category?: readonly string[];
  department?: readonly string[];
  /** Each is `retailer:category:department`; never combined with the other three. */
  rcd?: readonly string[];
  start_date?: DateExpression;
  end_date?: DateExpression;
}

/** Filters as words of a command line. */
export function flagsOfFilters(
  filters: WrittenFilters,
  names: readonly (keyof WrittenFilters)[] = FILTER_NAMES,
): string[] {
  return names.flatMap((name) => {
    const value = filters[name];
    return value === undefined ? [] : [flagOf(name), [value].flat().join(",")];
  });
}

/** @param brands those of `--brand`, which is no filter of the API */
export function filtersAsFlags(filters: WrittenFilters, brands: readonly string[] = []): string {
  return quoteCommand([...flagsOfFilters(filters), ...brands.flatMap((brand) => ["--brand", brand])]);
}

const SLUG_FILTERS = ["retailer", "category", "department"] as const satisfies readonly (keyof Rcd)[];
const LIST_FILTERS = [...SLUG_FILTERS, "rcd"] as const;
type ListFilter = (typeof LIST_FILTERS)[number];

/** A combination, and the newest day of its rows; null if it has none. */
export interface Combination extends Rcd {
  rcd: string;
  latest_date: string | null;
}

/** Looks up the combinations that filters match. */
export interface FilterSource {
  /** Every combination that the filters match, with the newest day of its matching rows; rejects if a value is unknown. */
  combinations(filters: Filters): Promise<readonly Combination[]>;
  /** Rejects with suggestions if the source does not know a value. */
  check(filters: Filters): Promise<void>;
}

/** The combinations of a service, from one coverage request. */
export function serviceFilters(client: Pick<CatalogClient, "coverage">, signal: AbortSignal): FilterSource {
  const combinations = async (filters: Filters) =>
    (await client.coverage(filters, signal)).data.map(({ matching_rows, latest_date, ...combination }) => ({
      ...combination,
      // Without rows the date has no meaning.
      latest_date: matching_rows === 0 ? null : latest_date,
    }));
  return { combinations, check: async (filters) => void (await combinations(filters)) };
}

/**
 * Turns written filters into those of the contract (section 4.1). A single value is used as it is. Several values become
 * the existing `rcd` triples; this takes one lookup in the source, and so does a day relative to `latest`.
 *
 * If days are relative to `latest`, each retailer has days of its own. Days after today (UTC) are never the latest.
 *
 * @param now milliseconds since the epoch
 * @param options `oneWindow`: use the newest day over all retailers instead of each retailer's own. `isRemembered`: every value had
 * combinations once, so those without any are left out, unless that leaves no combination
 * @throws UsageError if a value has no combination with the other filters, or the first day is after the last
 */
export async function resolveFilters(
  written: WrittenFilters,
  source: FilterSource,
  now: number,
  { oneWindow = false, isRemembered = false } = {},
): Promise<SetFilters> {
  const single = singleValues(written);
  const isLong = !fitsRequest(single);
  // A service refuses a list with a triple that has vanished since.
  const mayLackTriples = isRemembered && (written.rcd?.length ?? 0) > 1;
  const several = SLUG_FILTERS.filter((kind) => (written[kind]?.length ?? 0) > 1);
  /** Filters whose values must be looked up. */
  const listed: readonly ListFilter[] = isLong || mayLackTriples ? ["rcd"] : several;
  const { start_date = "", end_date = "" } = written;
  if (listed.length === 0 && !isFromLatest(start_date) && !isFromLatest(end_date)) {
    return { ...single, ...resolveDays(written, now) };
  }
  const { rcd: _, ...withoutTriples } = single;
  const asked = listed.includes("rcd") ? withoutTriples : single;
  const known = await source.combinations(asked).catch((error: unknown) => {
    // The command may not need `catalog:read` itself, so say why the lookup does.
    throw error instanceof ApiError && error.problem.code === "insufficient_scope"
      ? new ApiError(lookupRefused(listed[0]), error)
      : error;
  });
  const matching = matchingOf(known, written);
  if (!isRemembered || matching.length === 0) {
    await assertKnown(listed, written, known, source);
  }
  const triples = matching.map((entry) => entry.rcd).sort();
  const rcd = (mayLackTriples ? written.rcd?.filter((triple) => triples.includes(triple)) : triples)?.join(",") ?? "";
  const named = several.length === 0 && !mayLackTriples ? single : { rcd };
  if (!isFromLatest(start_date) && !isFromLatest(end_date)) {
    return { ...named, ...resolveDays(written, now) };
  }
  const dated = await upToToday(matching, source, asked, now);
  const daysByRetailer = resolveDaysByRetailer(written, matching, dated, now);
  const windows = Object.values(daysByRetailer);
  const withDays = windows.filter(isNonEmptyWindow);
  // A retailer without days of its own may have rows in the days of the others.
  return !oneWindow && withDays.length > 0 && new Set(windows.map((window) => JSON.stringify(window))).size > 1
    ? { rcd, ...spanOf(withDays), daysByRetailer }
    : { ...named, ...resolveDays(written, now, newestOf(dated)) };
}

/** Refuses values that match no combination. Values that the source does not know get its own error. */
async function assertKnown(
  listed: readonly ListFilter[],
  written: WrittenFilters,
  known: readonly Combination[],
  source: FilterSource,
): Promise<void> {
  const { retailer } = singleValues(written);
  for (const name of listed) {
    const values = new Set(known.map((entry) => entry[name]));
    const unknown = written[name]?.filter((one) => !values.has(one)) ?? [];
    for (const value of name === "rcd" ? requestsOf(unknown) : unknown) {
      await source.check({ ...(retailer !== undefined && { retailer }), [name]: value });
    }
  }
  for (const kind of listed.filter((name) => name !== "rcd")) {
    assertEach(kind, written, known);
  }
}

/** The triples as lists, each short enough for one request. */
function requestsOf(triples: readonly string[]): string[] {
  const lists: string[] = [];
  for (const triple of triples) {
    const longer = [...lists.slice(-1), triple].join(",");
    if (fitsRequest({ rcd: longer })) {
      lists.splice(-1, 1, longer);
    } else {
      lists.push(triple);
    }
  }
  return lists;
}

/** Why a key without the scope of the coverage cannot have these filters. */
function lookupRefused(listed: ListFilter | undefined): string {
  let [what, instead] = ['"latest" is', "name the day, as in `yesterday`"];
  if (listed !== undefined) {
    what = listed === "rcd" ? "So many values of rcd are" : `Several values of ${listed} are`;
    instead = listed === "rcd" ? "name fewer" : "name one value";
  }
  return `${what} looked up in the coverage, which needs the scope catalog:read; this key lacks it. Use another key, or ${instead}`;
}

function newestOf(combinations: readonly Combination[]): string | undefined {
  return combinations
    .flatMap(({ latest_date }) => latest_date ?? [])
    .sort()
    .at(-1);
}

/** The retailers that the filters name, alone or in triples. */
export function namedRetailers({ retailer, rcd = [] }: WrittenFilters): string[] {
  return [...new Set(retailer ?? rcd.map((triple) => splitRcd(triple).retailer))];
}

/** Looks combinations up again without days after today, if any has one: a wrong clock of a crawler writes such days. */
async function upToToday(
  matching: readonly Combination[],
  source: FilterSource,
  filters: Filters,
  now: number,
): Promise<readonly Combination[]> {
  const today = dayOf(now);
  if ((newestOf(matching) ?? "") <= today) {
    return matching;
  }
  const wanted = new Set(matching.map(({ rcd }) => rcd));
  return (await source.combinations({ ...filters, end_date: today })).filter(({ rcd }) => wanted.has(rcd));
}

/**
 * The days of each retailer, relative to its newest one; the first is after the last if it has none of the written days.
 *
 * @param dated those of the combinations that have a day up to today
 */
function resolveDaysByRetailer(
  written: WrittenFilters,
  matching: readonly Combination[],
  dated: readonly Combination[],
  now: number,
): Record<string, DayWindow> {
  const ofRetailers = groupBy(dated, ({ retailer }) => retailer);
  return Object.fromEntries(
    [...new Set(matching.map(({ retailer }) => retailer))].map((retailer) => [
      retailer,
      daysFrom(written, now, newestOf(ofRetailers.get(retailer) ?? [])),
    ]),
  );
}

/** @param latest the newest day that has rows; if no day has rows, any day gives the same result */
function daysFrom({ start_date, end_date }: WrittenFilters, now: number, latest = dayOf(now)): DayWindow {
  const origins = { today: dayOf(now), latest };
  const day = (text: DateExpression | undefined) => (text === undefined ? undefined : resolveDay(text, origins));
  return windowOf(day(start_date), day(end_date));
}

function singleValues({ rcd, ...written }: WrittenFilters): Filters {
  const filters: Filters = {};
  for (const kind of SLUG_FILTERS) {
    const [value, ...others] = written[kind] ?? [];
    if (value !== undefined && others.length === 0) {
      filters[kind] = value;
    }
  }
  return rcd === undefined ? filters : { ...filters, rcd: rcd.join(",") };
}

/** The combinations that match all written filters except `except`. */
function matchingOf(
  known: readonly Combination[],
  written: WrittenFilters,
  except?: keyof Rcd,
): readonly Combination[] {
  const wanted = LIST_FILTERS.flatMap((name) => {
    const values = name === except ? undefined : written[name];
    return values === undefined ? [] : [{ name, values: new Set(values) }];
  });
  return known.filter((entry) => wanted.every(({ name, values }) => values.has(entry[name])));
}

/** Refuses a value that matches no combination; it would otherwise be dropped silently. */
function assertEach(kind: keyof Rcd, written: WrittenFilters, known: readonly Combination[]): void {
  const others = matchingOf(known, written, kind).map((entry) => entry[kind]);
  for (const value of written[kind]?.filter((one) => !others.includes(one)) ?? []) {
    const rest = SLUG_FILTERS.filter((other) => other !== kind && written[other] !== undefined);
    const together = rest.length === 0 ? "" : ` together with ${quoteCommand(flagsOfFilters(written, rest))}`;
    throw new UsageError(`${flagOf(kind)} ${JSON.stringify(value)} has no rows${together}; leave it out.`, {
      flag: flagOf(kind),
      value,
      suggestions: closest(value, others),
    });
  }
}

/** A day as it was written and, in brackets, what that means now. */
function toldDay(text: DateExpression | undefined, day: string | undefined): string {
  return text === day ? `${day}` : `${text} (${day})`;
}

/**
 * Resolves the written days.
 *
 * @param latest the newest day that has rows
 * @throws UsageError if the first day is after the last
 */
export function resolveDays(
  written: Pick<WrittenFilters, "start_date" | "end_date">,
  now: number,
  latest?: string,
): DayWindow {
  const days = daysFrom(written, now, latest);
  if (written.start_date !== undefined && !isNonEmptyWindow(days)) {
    const told = (name: keyof DayWindow) => `${flagOf(name)} ${toldDay(written[name], days[name])}`;
    throw new UsageError(`${told("start_date")} is after ${told("end_date")}.`, {
      flag: "--start-date",
      value: written.start_date,
    });
  }
  return days;
}
