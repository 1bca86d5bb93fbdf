import type { CatalogClient } from "../api/client.ts";
import type { CoverageSummary } from "../contract/coverage.ts";
import type { Filters } from "../contract/filters.ts";
import { LIMITS } from "../contract/limits.ts";
import { batchOf } from "../rows/scan.ts";
import { summaryOf } from "./long-lists.ts";

export type DayWindow = Pick<Filters, "start_date" | "end_date">;

/**
 * Filters of a set in which each of several retailers has its own days, because days were relative to the newest day of
 * each. No request carries them as they are: `start_date` and `end_date` span the days of all retailers.
 */
export interface SetFilters extends Filters {
  /** The days of each retailer; absent if all have those of `start_date` and `end_date`. */
  own_days?: Readonly<Record<string, DayWindow>>;
}

/** The filters of one retailer of a set, which one request can carry. */
export function ofRetailer({ own_days, ...filters }: SetFilters, retailer: string): Filters {
  const triples = filters.rcd?.split(",").filter((triple) => triple.startsWith(`${retailer}:`));
  const named = triples === undefined ? { retailer } : { rcd: triples.join(",") };
  return { ...filters, ...named, ...own_days?.[retailer] };
}

/** A test whether a day is among the days of a retailer. */
export function ownDayFilter({ own_days }: SetFilters): (retailer: string, day: string) => boolean {
  return (retailer, day) => {
    const { start_date = "", end_date = "9999-12-31" } = own_days?.[retailer] ?? {};
    return day >= start_date && day <= end_date;
  };
}

/** The days that span all windows that have any. */
export function spanOf(windows: readonly DayWindow[]): DayWindow {
  const first = windows.flatMap(({ start_date }) => start_date ?? []).sort()[0];
  const last = windows
    .flatMap(({ end_date }) => end_date ?? [])
    .sort()
    .at(-1);
  return { ...(first !== undefined && { start_date: first }), ...(last !== undefined && { end_date: last }) };
}

/** Whether a window has any day. */
export function hasDays({ start_date = "", end_date = "9999-12-31" }: DayWindow): boolean {
  return start_date <= end_date;
}

/**
 * Wraps a client so that coverage and sample accept filters with own days: one request for each window that retailers
 * share. A sample has about the same number of rows of each.
 */
export function withOwnDays<Client extends Pick<CatalogClient, "coverage">>(client: Client): Client;
export function withOwnDays(client: CatalogClient): CatalogClient {
  return {
    ...client,
    coverage: async (filters: SetFilters, signal) => {
      const parts = partsOf(filters);
      if (parts === undefined) {
        return await client.coverage(filters, signal);
      }
      const found = await Promise.all(
        parts.map(async ({ window, retailers }) => {
          const { own_days: _, ...wide } = filters;
          const response = await client.coverage({ ...wide, ...window }, signal);
          return { ...response, data: response.data.filter(({ retailer }) => retailers.has(retailer)) };
        }),
      );
      const data = found.flatMap((part) => part.data);
      const [first] = found;
      if (first === undefined) {
        return await client.coverage({ ...filters, ...NO_DAY }, signal);
      }
      const { meta } = first;
      return { data, meta: { ...meta, resolved: { ...meta.resolved, ...daysOf(filters) }, coverage: summaryOf(data) } };
    },
    sample: async (filters: SetFilters, signal) => {
      const parts = partsOf(filters) ?? [];
      const found = await Promise.all(
        parts.map(async ({ window, retailers }) => {
          const triples = (filters.rcd ?? "").split(",").filter((triple) => retailers.has(triple.split(":")[0] ?? ""));
          return await client.sample({ rcd: triples.join(","), ...window }, signal);
        }),
      );
      const [first] = found;
      if (first === undefined) {
        return await client.sample(filters, signal);
      }
      const each = Math.ceil(LIMITS.sampleRows / found.length);
      const texts = found.flatMap(({ rows }) => [...rows.slice(0, each).texts()]).slice(0, LIMITS.sampleRows);
      const { meta } = first;
      const coverage = found.map((part) => part.meta.coverage).reduce(sumOf);
      return {
        ...first,
        rows: batchOf(texts),
        meta: { ...meta, resolved: { ...meta.resolved, ...daysOf(filters) }, coverage },
      };
    },
  };
}

const NO_DAY: DayWindow = { start_date: "9999-12-31", end_date: "9999-12-31" };

function daysOf({ start_date, end_date }: Filters) {
  return { start_date: start_date ?? null, end_date: end_date ?? null };
}

/** The windows that retailers share, within the days that are asked for; undefined if all have the same days. */
function partsOf({ own_days, ...filters }: SetFilters): { window: DayWindow; retailers: Set<string> }[] | undefined {
  if (own_days === undefined) {
    return undefined;
  }
  const parts = new Map<string, { window: DayWindow; retailers: Set<string> }>();
  for (const [retailer, own] of Object.entries(own_days)) {
    const first = [own.start_date, filters.start_date]
      .flatMap((day) => day ?? [])
      .sort()
      .at(-1);
    const [last] = [own.end_date, filters.end_date].flatMap((day) => day ?? []).sort();
    const window = { ...(first !== undefined && { start_date: first }), ...(last !== undefined && { end_date: last }) };
    if (hasDays(window)) {
      const key = JSON.stringify(window);
      const part = parts.get(key) ?? { window, retailers: new Set() };
      parts.set(key, part);
      part.retailers.add(retailer);
    }
  }
  return [...parts.values()];
}

function sumOf(a: CoverageSummary, b: CoverageSummary): CoverageSummary {
  const days = [a, b].filter(({ earliest_date }) => earliest_date !== null);
  return {
    combinations: a.combinations + b.combinations,
    matching_rows: a.matching_rows + b.matching_rows,
    corpus_rows: a.corpus_rows + b.corpus_rows,
    earliest_date: days.map(({ earliest_date }) => earliest_date).sort()[0] ?? null,
    latest_date:
      days
        .map(({ latest_date }) => latest_date)
        .sort()
        .at(-1) ?? null,
  };
}
