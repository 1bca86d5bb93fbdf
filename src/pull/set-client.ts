import type { CatalogClient } from "../client/client.ts";
import type { CoverageResponse } from "../client/responses/coverage-response.ts";
import type { SampleResponse } from "../client/responses/rows-response.ts";
import { type CoverageSummary, summaryOf } from "../contract/coverage.ts";
import type { Meta } from "../contract/envelope.ts";
import { combinationFilter } from "../contract/filter-match.ts";
import { type Filters, fitsRequest, splitRcd } from "../contract/filters.ts";
import { LIMITS } from "../contract/limits.ts";
import { groupBy } from "../contract/values/group-by.ts";
import { batchOf } from "../rows/scan.ts";
import { isNonEmptyWindow, type SetFilters, sharedDays } from "./set-filters.ts";

/**
 * Wraps a client so that coverage and sample accept filters that no request can carry: an `rcd` of any length, and days of
 * its own for each retailer.
 *
 * For a long list, the coverage is requested without `rcd` and filtered here; a sample covers as many combinations as fit
 * into one request, taken from each retailer in turn. Combinations that the service does not know are left out. With
 * `daysByRetailer`, there is one request for each window that retailers share; a sample has about the same number of rows of
 * each. `meta` describes the whole set.
 */
export function splitLongFilters(client: CatalogClient): CatalogClient {
  const coverageOf = async (filters: SetFilters, signal?: AbortSignal, version?: string): Promise<CoverageResponse> => {
    if (filters.daysByRetailer === undefined && fitsRequest(filters)) {
      return await client.coverage(filters, signal, version);
    }
    const found = await Promise.all(
      partsOf(filters).map(async (part) => {
        const { rcd: _, ...wide } = part;
        const response = await client.coverage(fitsRequest(part) ? part : wide, signal, version);
        return { ...response, data: response.data.filter(combinationFilter(part)) };
      }),
    );
    const [first] = found as [CoverageResponse];
    const data = found.flatMap((response) => response.data);
    return { ...first, data, meta: metaOf(filters, first.meta, summaryOf(data)) };
  };
  const sampleOfPart = async (part: Filters, signal?: AbortSignal): Promise<SampleResponse> => {
    if (fitsRequest(part)) {
      return await client.sample(part, signal);
    }
    const { data, meta } = await coverageOf(part, signal);
    const matching = data.filter(({ matching_rows }) => matching_rows > 0).map(({ rcd }) => rcd);
    const rcd = spread(matching.length === 0 ? (part.rcd ?? "").split(",") : matching);
    const response = await client.sample({ ...part, rcd }, signal);
    return { ...response, meta: { ...meta, request_id: response.meta.request_id } };
  };
  return {
    ...client,
    coverage: coverageOf,
    sample: async (filters: SetFilters, signal) => {
      if (filters.daysByRetailer === undefined) {
        return await sampleOfPart(filters, signal);
      }
      const found = await Promise.all(partsOf(filters).map((part) => sampleOfPart(part, signal)));
      const [first] = found as [SampleResponse];
      const endOf = (part: number) => Math.floor((LIMITS.sampleRows * part) / found.length);
      const texts = found.flatMap(({ rows }, part) => spacedOut(rows.texts(), endOf(part + 1) - endOf(part)));
      const summary = summaryOf(found.map(({ meta }) => meta.coverage));
      return { ...first, rows: batchOf(texts), meta: metaOf(filters, first.meta, summary) };
    },
  };
}

/** `count` of the texts at even distances, or all if there are fewer. */
function spacedOut(texts: readonly string[], count: number): string[] {
  const taken = Math.min(count, texts.length);
  const takenBefore = (index: number) => Math.floor((index * taken) / texts.length);
  return texts.filter((_, index) => takenBefore(index + 1) > takenBefore(index));
}

/** The `meta` of the whole set. */
function metaOf({ rcd, start_date, end_date }: Filters, meta: Meta, coverage: CoverageSummary): Meta {
  const resolved = { rcd: rcd ?? null, start_date: start_date ?? null, end_date: end_date ?? null };
  return { ...meta, resolved: { ...meta.resolved, ...resolved }, coverage };
}

/** The parts of a set: the triples of the retailers that share a window, within the days that are asked for. */
function partsOf({ daysByRetailer, ...filters }: SetFilters): Filters[] {
  if (daysByRetailer === undefined) {
    return [filters];
  }
  const parts = new Map<string, Filters>();
  for (const triple of (filters.rcd ?? "").split(",")) {
    const own = daysByRetailer[splitRcd(triple).retailer];
    const days = own && sharedDays(own, filters);
    if (days !== undefined && isNonEmptyWindow(days)) {
      const key = JSON.stringify(days);
      const before = parts.get(key)?.rcd;
      parts.set(key, { ...days, rcd: before === undefined ? triple : `${before},${triple}` });
    }
  }
  return parts.size === 0 ? [{ ...filters, ...NO_DAY }] : [...parts.values()];
}

const NO_DAY: Filters = { start_date: "9999-12-31", end_date: "9999-12-31" };

/** As many triples as fit into one request, taken from each retailer in turn. */
function spread(triples: readonly string[]): string {
  const lists = [...groupBy(triples, (triple) => splitRcd(triple).retailer).values()];
  const inTurn = triples.flatMap((_, turn) => lists.flatMap((list) => list[turn] ?? []));
  const first = (count: number) => inTurn.slice(0, count).join(",");
  const tooMany = inTurn.findIndex((_, index) => !fitsRequest({ rcd: first(index + 1) }));
  return tooMany === -1 ? inTurn.join(",") : first(tooMany);
}
