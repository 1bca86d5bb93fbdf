import type { CatalogClient } from "../../src/client/client.ts";
import type { CatalogPage } from "../../src/client/responses/rows-response.ts";
import type { Coverage, CoverageSummary } from "../../src/contract/coverage.ts";
import { ApiError } from "../../src/contract/errors.ts";
import type { Filters } from "../../src/contract/filters.ts";
import { PROBLEMS } from "../../src/contract/problems.ts";
import { addDays } from "../../src/contract/values/day-arithmetic.ts";
import { batchOf } from "../../src/rows/scan.ts";

/** The members that distinguish rows. The other members do not matter to a walk. */
export interface FakeRow {
  retailer: string;
  department: string;
  category: string;
  crawl_date: string;
  sku: string;
  product_id: string;
}

/** A service in memory, for faults that are rare in a real service: sets that change, cursors that are refused. */
export interface FakeService {
  client: CatalogClient;
  /** The current rows. A test may replace them between two requests. */
  rows: FakeRow[];
  /** All requests, as `coverage` or `catalog <offset>`. */
  requests: string[];
  /** Version of the data that the responses name; undefined for a service that names none. */
  version: string | undefined;
  /** Called before each response. It may change the rows or throw. */
  before: (request: string, filters: Filters) => void | Promise<void>;
}

export function fakeService(rows: readonly FakeRow[]): FakeService {
  let known: KnownRows = { rows: [], groups: new Map(), sets: new Map() };
  /** The set of these filters. It is computed again only after a test has changed the rows. */
  const matching = (filters: Filters): MatchingSet => {
    const { rows } = service;
    if (rows.length !== known.rows.length || rows.some((row, index) => row !== known.rows[index])) {
      known = { rows: [...rows], groups: groupsOf(rows), sets: new Map() };
    }
    const key = JSON.stringify(filters);
    const set = known.sets.get(key) ?? matchingSet(known, filters);
    known.sets.set(key, set);
    return set;
  };
  const service: FakeService = {
    rows: [...rows],
    requests: [],
    version: undefined,
    before: () => undefined,
    client: {
      sample: () => Promise.reject(new Error("not used")),
      close: () => Promise.resolve(),
      coverage: async (filters) => {
        await heard("coverage", filters);
        const { data, summary } = matching(filters);
        const meta = { request_id: "req_fake", resolved: resolved(filters), coverage: summary };
        return { data, meta, ...named(service) };
      },
      catalog: async (filters, { limit = 100, cursor } = {}) => {
        const offset = Number(cursor ?? 0);
        await heard(`catalog ${offset}`, filters);
        return { ...page(matching(filters), filters, offset, limit), ...named(service) };
      },
    },
  };
  async function heard(request: string, filters: Filters): Promise<void> {
    service.requests.push(request);
    await service.before(request, filters);
  }
  return service;
}

function named({ version }: FakeService): { version?: string } {
  return version === undefined ? {} : { version };
}

export function problemError(code: keyof typeof PROBLEMS): ApiError {
  const { status, retryable, title, recovery } = PROBLEMS[code];
  return new ApiError(title, { status, problem: { code, status, retryable, title, recovery } });
}

/** Rows of one combination on consecutive days, with a few skus per day. */
export function fakeRows(count: number, retailer = "acme", category = "shoes", days = 10): FakeRow[] {
  const dates = Array.from({ length: days }, (_, day) => addDays("2026-01-01", day));
  return Array.from({ length: count }, (_, index) => ({
    retailer,
    department: "fashion",
    category,
    crawl_date: dates[index % days] as string,
    sku: `S${String(Math.floor(index / 3)).padStart(6, "0")}`,
    product_id: `${retailer}-${category}-${String(index).padStart(6, "0")}`,
  }));
}

export function texts(rows: readonly FakeRow[]): string[] {
  return rows.map((row) => JSON.stringify(row));
}

/** Rows, the same by combination, and the sets that were asked for, by filters. */
interface KnownRows {
  rows: readonly FakeRow[];
  groups: ReadonlyMap<string, FakeRow[]>;
  sets: Map<string, MatchingSet>;
}

interface MatchingSet {
  rows: readonly FakeRow[];
  data: Coverage[];
  summary: CoverageSummary;
}

function matchingSet(known: KnownRows, filters: Filters): MatchingSet {
  const rows = matchingRows(known, filters);
  const data = coverageOf(rows);
  return { rows, data, summary: summaryOf(data) };
}

function matchingRows({ rows, groups }: KnownRows, filters: Filters): FakeRow[] {
  const wanted = filters.rcd?.split(",").flatMap((rcd) => groups.get(rcd) ?? []);
  return (wanted ?? rows)
    .filter(
      (row) =>
        (filters.retailer === undefined || row.retailer === filters.retailer) &&
        (filters.start_date === undefined || row.crawl_date >= filters.start_date) &&
        (filters.end_date === undefined || row.crawl_date <= filters.end_date),
    )
    .sort((a, b) => compare(a.sku, b.sku) || compare(a.product_id, b.product_id));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function page(set: MatchingSet, filters: Filters, offset: number, limit: number): CatalogPage {
  const rows = batchOf(texts(set.rows.slice(offset, offset + limit)));
  const has_more = offset + limit < set.rows.length;
  return {
    rows,
    pagination: {
      limit,
      total_matching: set.rows.length,
      has_more,
      next_cursor: has_more ? String(offset + limit) : null,
    },
    meta: { request_id: "req_fake", resolved: resolved(filters), coverage: set.summary },
  };
}

function coverageOf(rows: readonly FakeRow[]): Coverage[] {
  return [...groupsOf(rows)].map(([rcd, members]) => {
    const [first] = members as [FakeRow];
    const days = members.map((row) => row.crawl_date).sort();
    return {
      retailer: first.retailer,
      department: first.department,
      category: first.category,
      rcd,
      corpus_rows: members.length,
      matching_rows: members.length,
      earliest_date: days[0] ?? "",
      latest_date: days.at(-1) ?? "",
    };
  });
}

function groupsOf(rows: readonly FakeRow[]): Map<string, FakeRow[]> {
  const groups = new Map<string, FakeRow[]>();
  for (const row of rows) {
    const rcd = `${row.retailer}:${row.category}:${row.department}`;
    const members = groups.get(rcd) ?? [];
    members.push(row);
    groups.set(rcd, members);
  }
  return groups;
}

function summaryOf(data: readonly Coverage[]): CoverageSummary {
  const rows = data.reduce((sum, entry) => sum + entry.matching_rows, 0);
  return {
    combinations: data.length,
    matching_rows: rows,
    corpus_rows: rows,
    earliest_date: data.map((entry) => entry.earliest_date).sort()[0] ?? null,
    latest_date:
      data
        .map((entry) => entry.latest_date)
        .sort()
        .at(-1) ?? null,
  };
}

function resolved(filters: Filters) {
  const none = { retailer: null, category: null, department: null, rcd: null, start_date: null, end_date: null };
  return { ...none, ...filters };
}
