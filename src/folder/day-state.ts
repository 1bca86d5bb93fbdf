import { parseRcd } from "../contract/filters.ts";
import { isJsonObject, type JsonObject } from "../contract/values/json-object.ts";

/** The content of one day's file. */
export interface DayState {
  rows: number;
  /** Identifies the set of rows, independent of their order in the file; empty if unknown. */
  digest: string;
  bytes: number;
  sha256: string;
  /** Rows per combination. */
  counts: Readonly<Record<string, number>>;
  /** When a run last pulled the day, or compared only its counts (ISO 8601). Absent if unknown. */
  checked?: string;
}

/** A day as it is stored: `counts` has the place of each combination in the list, and then its rows. */
type StoredDay = Omit<DayState, "counts"> & { counts: readonly number[] };

/** Days with each combination written once, because the counts of a year of 420 combinations are 150,000. */
interface StoredDays {
  combinations: readonly string[];
  days: Readonly<Record<string, StoredDay>>;
}

/** What was read of days, whose `counts` nothing may need. */
const READ = new WeakMap<DayState, { combinations: readonly string[]; pairs: readonly number[] }>();

/** The combinations that have rows on a day. It is much faster than the keys of `counts`. */
export function combinationsOf(day: DayState): readonly string[] {
  return READ.get(day)?.combinations ?? Object.keys(day.counts);
}

/** The entries of a day's counts. It is much faster than those of `counts`. */
export function countEntries(day: DayState): (readonly [rcd: string, rows: number])[] {
  const read = READ.get(day);
  return read?.combinations.map((rcd, at) => [rcd, read.pairs[2 * at + 1] ?? 0]) ?? Object.entries(day.counts);
}

export function storedDays(days: Readonly<Record<string, DayState>>): StoredDays {
  const places = new Map<string, number>();
  const placeOf = (rcd: string) => {
    const place = places.get(rcd) ?? places.size;
    places.set(rcd, place);
    return place;
  };
  const stored = Object.entries(days).map(([day, held]) => {
    const counts = Object.entries(held.counts).flatMap(([rcd, rows]) => [placeOf(rcd), rows]);
    return [day, { ...held, counts }] as const;
  });
  return { combinations: [...places.keys()], days: Object.fromEntries(stored) };
}

/** The days of a stored state, of which only the counts are checked; undefined if they are none. */
export function readDays({ combinations, days }: JsonObject): Record<string, DayState> | undefined {
  const isList = Array.isArray(combinations) && combinations.every((rcd) => parseRcd(String(rcd)) !== undefined);
  if (!isList || !isJsonObject(days)) {
    return undefined;
  }
  const read: Record<string, DayState> = {};
  for (const [day, held] of Object.entries(days)) {
    const names = isJsonObject(held) && Array.isArray(held.counts) ? namesIn(held.counts, combinations) : undefined;
    if (names === undefined) {
      return undefined;
    }
    read[day] = dayWith(held as unknown as StoredDay, names);
  }
  return read;
}

/** The combinations of a day; undefined if a place is not in the list or a number of rows is none. */
function namesIn(counts: readonly unknown[], combinations: readonly string[]): string[] | undefined {
  const names: string[] = [];
  for (let at = 0; at < counts.length; at += 2) {
    const name = combinations[counts[at] as number];
    const rows = counts[at + 1];
    if (name === undefined || !Number.isSafeInteger(rows) || (rows as number) < 1) {
      return undefined;
    }
    names.push(name);
  }
  return names;
}

/** A day whose `counts` are made when they are first needed. */
function dayWith({ counts: pairs, ...held }: StoredDay, combinations: readonly string[]): DayState {
  let counts: Record<string, number> | undefined;
  const day: DayState = {
    ...held,
    get counts() {
      counts ??= Object.fromEntries(countEntries(day));
      return counts;
    },
  };
  READ.set(day, { combinations, pairs });
  return day;
}
