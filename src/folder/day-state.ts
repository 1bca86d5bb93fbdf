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
  counts: DayCounts;
  /** When a run last pulled the day, or compared only its counts (ISO 8601). Absent if unknown. */
  checked?: string;
}

/** The combinations of a day with their rows: a map, or a stored list that is read where it is needed. */
export type DayCounts = Pick<ReadonlyMap<string, number>, "keys" | typeof Symbol.iterator>;

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
    if (!isJsonObject(stored) || !areCounts(stored.counts, combinations.length)) {
      return undefined;
    }
    read[day] = { ...(stored as unknown as StoredDay), counts: new StoredCounts(combinations, stored.counts) };
  }
  return read;
}

/** Whether each combination is in the list, and has a positive number of rows. */
function areCounts(stored: unknown, combinations: number): stored is number[] {
  return (
    Array.isArray(stored) &&
    stored.length % 2 === 0 &&
    stored.every(
      (number, at) =>
        Number.isSafeInteger(number) && (at % 2 === 0 ? number >= 0 && number < combinations : number > 0),
    )
  );
}

/** Not a map: to make those of a year of 420 combinations takes longer than to answer most questions. */
class StoredCounts implements DayCounts {
  readonly #combinations: readonly string[];
  readonly #stored: readonly number[];

  constructor(combinations: readonly string[], stored: readonly number[]) {
    this.#combinations = combinations;
    this.#stored = stored;
  }

  *keys(): Generator<string, undefined> {
    for (let at = 0; at < this.#stored.length; at += 2) {
      yield this.#combinations[this.#stored[at] as number] as string;
    }
  }

  *[Symbol.iterator](): Generator<[rcd: string, rows: number], undefined> {
    let at = 1;
    for (const rcd of this.keys()) {
      yield [rcd, this.#stored[at] as number];
      at += 2;
    }
  }
}
