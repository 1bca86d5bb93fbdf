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
  counts: ReadonlyMap<string, number>;
  /** When a run last pulled the day, or compared only its counts (ISO 8601). Absent if unknown. */
  checked?: string;
}

/** A day as it is stored: `counts` has the index of each combination in the list, followed by its rows. */
type StoredDay = Omit<DayState, "counts"> & { counts: readonly number[] };

/** Days as they are stored. Each combination is written once, because a year of 420 combinations has 150,000 counts. */
interface StoredDays {
  combinations: readonly string[];
  days: Readonly<Record<string, StoredDay>>;
}

export function storedDays(days: Readonly<Record<string, DayState>>): StoredDays {
  const indexes = new Map<string, number>();
  const indexOf = (rcd: string) => {
    const index = indexes.get(rcd) ?? indexes.size;
    indexes.set(rcd, index);
    return index;
  };
  const stored = Object.entries(days).map(([day, content]) => {
    const counts = [...content.counts].flatMap(([rcd, rows]) => [indexOf(rcd), rows]);
    return [day, { ...content, counts }] as const;
  });
  return { combinations: [...indexes.keys()], days: Object.fromEntries(stored) };
}

/** The days of a stored state; undefined if their counts are not valid. The other members are not checked. */
export function readDays({ combinations, days }: JsonObject): Record<string, DayState> | undefined {
  const isList = Array.isArray(combinations) && combinations.every((rcd) => parseRcd(String(rcd)) !== undefined);
  if (!isList || !isJsonObject(days)) {
    return undefined;
  }
  const read: Record<string, DayState> = {};
  for (const [day, stored] of Object.entries(days)) {
    const counts =
      isJsonObject(stored) && Array.isArray(stored.counts) ? countsOf(stored.counts, combinations) : undefined;
    if (counts === undefined) {
      return undefined;
    }
    read[day] = { ...(stored as unknown as StoredDay), counts };
  }
  return read;
}

/** The same for a state of version 3 and earlier, whose days name their combinations. */
export function readEarlierDays(days: unknown): Record<string, DayState> | undefined {
  if (!isJsonObject(days) || !Object.values(days).every((day) => isJsonObject(day) && isJsonObject(day.counts))) {
    return undefined;
  }
  const contents = Object.entries(days as Record<string, { counts: JsonObject }>);
  const combinations = [...new Set(contents.flatMap(([, { counts }]) => Object.keys(counts)))];
  const indexes = new Map(combinations.map((rcd, index) => [rcd, index]));
  const stored = contents.map(([day, content]) => {
    const counts = Object.entries(content.counts).flatMap(([rcd, rows]) => [indexes.get(rcd), rows]);
    return [day, { ...content, counts }];
  });
  return readDays({ combinations, days: Object.fromEntries(stored) });
}

/** Undefined if a combination is not in the list, or has no positive number of rows. */
function countsOf(stored: readonly unknown[], combinations: readonly string[]): Map<string, number> | undefined {
  const counts = new Map<string, number>();
  for (let at = 0; at < stored.length; at += 2) {
    const rcd = combinations[stored[at] as number];
    const rows = stored[at + 1];
    if (rcd === undefined || typeof rows !== "number" || !Number.isSafeInteger(rows) || rows < 1) {
      return undefined;
    }
    counts.set(rcd, rows);
  }
  return counts;
}
