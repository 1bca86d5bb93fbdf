import type { CatalogClient } from "../api/client.ts";
import type { CoverageResponse } from "../api/responses/coverage-response.ts";
import type { SampleResponse } from "../api/responses/rows-response.ts";
import type { Coverage, CoverageSummary } from "../contract/coverage.ts";
import type { Meta } from "../contract/envelope.ts";
import { type Filters, fitsRequest, splitRcd } from "../contract/filters.ts";
import { LIMITS } from "../contract/limits.ts";
import { batchOf } from "../rows/scan.ts";
import { hasDays, type SetFilters, sharedDays } from "./set-filters.ts";

/**
 * Wraps a client so that coverage and sample accept filters that no request can carry: an `rcd` of any length, and days of
 * its own for each retailer.
 *
 * For a long list, the coverage is requested without `rcd` and filtered here; a sample covers as many combinations as fit
 * into one request, taken from each retailer in turn. Combinations that the service does not know are left out. For own days,
 * there is one request for each window that retailers share; a sample has about the same number of rows of each. `meta`
 * describes the whole set.
 */
export function withSets<Client extends Pick<CatalogClient, "coverage">>(client: Client): Client;
export function withSets(client: CatalogClient): CatalogClient {
  const coverageOfPart = async (part: Filters, signal?: AbortSignal, version?: string): Promise<CoverageResponse> => {
    if (fitsRequest(part)) {
      return await client.coverage(part, signal, version);
    }
    const { rcd = "", ...wide } = part;
    const all = await client.coverage(wide, signal, version);
    const wanted = new Set(rcd.split(","));
    return describing(part, { ...all, data: all.data.filter((entry) => wanted.has(entry.rcd)) });
  };
  const sampleOfPart = async (part: Filters, signal?: AbortSignal): Promise<SampleResponse> => {
    if (fitsRequest(part)) {
      return await client.sample(part, signal);
    }
    const { data, meta } = await coverageOfPart(part, signal);
    const matching = data.filter(({ matching_rows }) => matching_rows > 0).map(({ rcd }) => rcd);
    const rcd = spread(matching.length === 0 ? (part.rcd ?? "").split(",") : matching);
    const response = await client.sample({ ...part, rcd }, signal);
    return { ...response, meta: { ...meta, request_id: response.meta.request_id } };
  };
  return {
    ...client,
    coverage: async (filters: SetFilters, signal, version) => {
      const found = await Promise.all(partsOf(filters).map((part) => coverageOfPart(part, signal, version)));
      const [first] = found as [CoverageResponse];
      return filters.own_days === undefined
        ? first
        : describing(filters, { ...first, data: found.flatMap(({ data }) => data) });
    },
    sample: async (filters: SetFilters, signal) => {
      const found = await Promise.all(partsOf(filters).map((part) => sampleOfPart(part, signal)));
      const [first] = found as [SampleResponse];
      const each = Math.ceil(LIMITS.sampleRows / found.length);
      const texts = found.flatMap(({ rows }) => rows.slice(0, each).texts()).slice(0, LIMITS.sampleRows);
      return filters.own_days === undefined
        ? first
        : {
            ...first,
            rows: batchOf(texts),
            meta: metaOf(filters, first.meta, summaryOf(found.map(({ meta }) => meta.coverage))),
          };
    },
  };
}

/** The response for a whole set, from those entries that belong to it. */
function describing(filters: Filters, response: CoverageResponse): CoverageResponse {
  return { ...response, meta: metaOf(filters, response.meta, summaryOf(response.data)) };
}

function metaOf({ rcd, start_date, end_date }: Filters, meta: Meta, coverage: CoverageSummary): Meta {
  const resolved = { rcd: rcd ?? null, start_date: start_date ?? null, end_date: end_date ?? null };
  return { ...meta, resolved: { ...meta.resolved, ...resolved }, coverage };
}

/** The parts of a set: the triples of the retailers that share a window, within the days that are asked for. */
function partsOf({ own_days, ...filters }: SetFilters): Filters[] {
  if (own_days === undefined) {
    return [filters];
  }
  const parts = new Map<string, Filters>();
  for (const triple of (filters.rcd ?? "").split(",")) {
    const own = own_days[splitRcd(triple).retailer];
    const days = own && sharedDays(own, filters);
    if (days !== undefined && hasDays(days)) {
      const key = JSON.stringify(days);
      const before = parts.get(key)?.rcd;
      parts.set(key, { ...days, rcd: before === undefined ? triple : `${before},${triple}` });
    }
  }
  return parts.size === 0 ? [{ ...filters, ...NO_DAY }] : [...parts.values()];
}

const NO_DAY: Filters = { start_date: "9999-12-31", end_date: "9999-12-31" };

/** `meta.coverage` of parts that have no row in common (contract section 2.3): combinations, or sets of them. */
export function summaryOf(parts: readonly (Coverage | CoverageSummary)[]): CoverageSummary {
  const sum = (countOf: (part: Coverage | CoverageSummary) => number) =>
    parts.reduce((total, part) => total + countOf(part), 0);
  const matching = parts.filter(({ matching_rows }) => matching_rows > 0);
  const days = (name: "earliest_date" | "latest_date") => matching.flatMap((part) => part[name] ?? []).sort();
  return {
    combinations: sum((part) => ("combinations" in part ? part.combinations : 1)),
    matching_rows: sum(({ matching_rows }) => matching_rows),
    corpus_rows: sum(({ corpus_rows }) => corpus_rows),
    earliest_date: days("earliest_date")[0] ?? null,
    latest_date: days("latest_date").at(-1) ?? null,
  };
}

/** As many of the triples as fit into one request, taken from each retailer in turn. */
function spread(triples: readonly string[]): string {
  const turns = new Map<string, number>();
  const inTurn = triples
    .map((triple) => {
      const [retailer = ""] = triple.split(":");
      const turn = turns.get(retailer) ?? 0;
      turns.set(retailer, turn + 1);
      return { triple, turn };
    })
    .sort((a, b) => a.turn - b.turn);
  let list = "";
  for (const { triple } of inTurn) {
    const longer = list === "" ? triple : `${list},${triple}`;
    if (!fitsRequest({ rcd: longer })) {
      break;
    }
    list = longer;
  }
  return list;
}
