import { beforeAll, expect, test } from "vitest";
import { type Coverage, summaryOf } from "../../src/contract/coverage.ts";
import { splitLongFilters } from "../../src/pull/set-client.ts";
import {
  filtersOfRetailer,
  retailerDayFilter,
  type SetFilters,
  sharedDays,
  spanOf,
} from "../../src/pull/set-filters.ts";
import { resolveFilters, serviceFilters } from "../../src/pull/written-filters.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { fakeRows, fakeService } from "../helpers/fake-client.ts";
import { oneRowEach, product, products } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";
import { testClient } from "../helpers/test-client.ts";

/** More combinations than one request can name. */
const MANY = Array.from({ length: 300 }, (_, index) => {
  return `${["acme", "bolt", "coco"][index % 3]}:category-with-a-long-name-${index}:home`;
});

const FEW = [
  product({ sku: "a1", crawl_date: "2026-01-10" }),
  product({ sku: "a2", crawl_date: "2026-01-12" }),
  product({ sku: "c1", retailer: "casa", crawl_date: "2026-01-11" }),
  product({ sku: "c2", retailer: "casa", crawl_date: "2026-01-14" }),
  product({ sku: "d1", retailer: "dora", crawl_date: "2026-01-14" }),
];

const onEnd = afterAllTests();
let sets: ReturnType<typeof testClient>["client"];
/** Parameters of the requests for rows of the last set. */
let sampled: URLSearchParams[] = [];
/** Versions of the data that requests for a coverage named. */
const versions: (string | undefined)[] = [];

beforeAll(async () => {
  const service = await startTestService({ rows: [...oneRowEach(...MANY), ...FEW], rateLimit: 1_000, onEnd });
  const { client } = testClient(new URL(service.url), { apiKey: service.key });
  onEnd(() => client.close());
  sets = splitLongFilters({
    ...client,
    sample: (filters, signal) => {
      sampled.push(new URLSearchParams({ ...filters }));
      return client.sample(filters, signal);
    },
    coverage: (filters, signal, version) => {
      versions.push(version);
      return client.coverage(filters, signal, version);
    },
  });
});

/** Coverage and sample of a set: the triples of the one, the rows of the other, and what both say of the whole set. */
async function lookAt(filters: SetFilters) {
  sampled = [];
  const [{ data, meta }, sample] = [await sets.coverage(filters), await sets.sample(filters)];
  const { request_id: _, ...whole } = meta;
  const { request_id, ...ofSample } = sample.meta;
  expect(ofSample).toEqual(whole);
  expect(request_id).toMatch(/^req_/);
  const { rcd, start_date, end_date } = whole.resolved;
  const sent = { rcd: filters.rcd ?? null, start_date: filters.start_date ?? null, end_date: filters.end_date ?? null };
  expect({ rcd, start_date, end_date }).toEqual(sent);
  const rows = sample.rows.texts().map((text) => JSON.parse(text) as { retailer: string; sku: string });
  return { triples: data.map((entry) => entry.rcd), coverage: whole.coverage, rows };
}

function summary(combinations: number, rows: [matching: number, corpus: number], first: string, last: string) {
  const [matching_rows, corpus_rows] = rows;
  return { combinations, matching_rows, corpus_rows, earliest_date: first, latest_date: last };
}

const NOTHING = { combinations: 0, matching_rows: 0, corpus_rows: 0, earliest_date: null, latest_date: null };

test("a long list has the combinations that exist, and a sample takes from each retailer in turn", async () => {
  const { triples, coverage, rows } = await lookAt({ rcd: [...MANY, "none:none:none"].join(",") });
  expect(triples.sort()).toEqual([...MANY].sort());
  expect(coverage).toEqual(summary(300, [300, 300], "2026-01-15", "2026-01-15"));
  expect({ rowCount: rows.length, sampledCount: sampled.length }).toEqual({ rowCount: 100, sampledCount: 1 });
  const named = sampled[0]?.get("rcd")?.split(",") ?? [];
  const turns = named.map((triple) => triple.slice(0, 4));
  expect(turns).toEqual(turns.map((_, index) => ["acme", "bolt", "coco"][index % 3]));
  expect(encodeURIComponent(named.join(",")).length).toBeLessThanOrEqual(7_000);
  expect(encodeURIComponent(named.join(",")).length).toBeGreaterThan(6_900);
});

test("each request for the coverage of a set names the version that is asked for", async () => {
  versions.length = 0;
  for (const filters of [{}, { rcd: MANY.join(",") }, { rcd: THREE, daysByRetailer: OWN }]) {
    await sets.coverage(filters, undefined, "7");
  }
  expect(versions.length).toBeGreaterThanOrEqual(4);
  expect(new Set(versions)).toEqual(new Set(["7"]));
});

test("a sample of a long list names the combinations that have rows on its days", async () => {
  const { triples, coverage, rows } = await lookAt({
    rcd: [...MANY, "acme:lamps:home"].join(","),
    end_date: "2026-01-14",
  });
  expect({ triples, coverage }).toEqual({
    triples: ["acme:lamps:home"],
    coverage: summary(1, [2, 2], "2026-01-10", "2026-01-12"),
  });
  expect(rows.map(({ sku }) => sku)).toEqual(["a1", "a2"]);
  expect(sampled.map((asked) => asked.get("rcd"))).toEqual(["acme:lamps:home"]);
});

test("a long list without rows on its days is an empty set", async () => {
  const { triples, coverage, rows } = await lookAt({ rcd: MANY.join(","), end_date: "2026-01-14" });
  expect({ triples, coverage, rows }).toEqual({ triples: [], coverage: NOTHING, rows: [] });
});

const THREE = "acme:lamps:home,casa:lamps:home,dora:lamps:home";
const OWN = {
  acme: { start_date: "2026-01-11", end_date: "2026-01-12" },
  casa: { start_date: "2026-01-13", end_date: "2026-01-14" },
  dora: { start_date: "2026-01-13", end_date: "2026-01-14" },
};

test("retailers have the rows of their own days, with one request for those that share them", async () => {
  const filters = { rcd: THREE, start_date: "2026-01-11", end_date: "2026-01-14", daysByRetailer: OWN };
  const { triples, coverage, rows } = await lookAt(filters);
  expect(triples).toEqual(THREE.split(","));
  expect(coverage).toEqual(summary(3, [3, 5], "2026-01-12", "2026-01-14"));
  expect(rows.map(({ sku }) => sku)).toEqual(["a2", "c2", "d1"]);
  expect(sampled.map((asked) => Object.fromEntries(asked))).toEqual([
    { ...OWN.acme, rcd: "acme:lamps:home" },
    { ...OWN.casa, rcd: "casa:lamps:home,dora:lamps:home" },
  ]);
});

test("own days count within the days of the set", async () => {
  const day = { start_date: "2026-01-14", end_date: "2026-01-14" };
  const { triples, coverage } = await lookAt({ rcd: THREE, ...day, daysByRetailer: OWN });
  expect(triples).toEqual(["casa:lamps:home", "dora:lamps:home"]);
  expect(coverage).toEqual(summary(2, [2, 3], "2026-01-14", "2026-01-14"));
  const later = { start_date: "2026-01-20", end_date: "2026-01-24" };
  expect(await lookAt({ rcd: THREE, ...later, daysByRetailer: OWN })).toEqual({
    triples: [],
    coverage: NOTHING,
    rows: [],
  });
});

test("a sample has at most a hundred rows, about as many of each window", async () => {
  const daysByRetailer = { acme: {}, bolt: { end_date: "2026-01-15" }, coco: { start_date: "2026-01-15" }, casa: {} };
  const { triples, coverage, rows } = await lookAt({ rcd: MANY.join(","), daysByRetailer });
  expect({ tripleCount: triples.length, coverage }).toEqual({
    tripleCount: 300,
    coverage: summary(300, [300, 300], "2026-01-15", "2026-01-15"),
  });
  const of = (name: string) => rows.filter(({ retailer }) => retailer === name).length;
  expect({ rowCount: rows.length, acme: of("acme"), bolt: of("bolt"), coco: of("coco") }).toEqual({
    rowCount: 100,
    acme: 33,
    bolt: 33,
    coco: 34,
  });
});

test("a sample of two windows has a hundred rows if there are more, whatever their number", async () => {
  const rows = ["acme", "bolt"].flatMap((retailer) => products(97, { retailer, crawl_date: "2026-01-15" }));
  const { url, key } = await startTestService({ rows, onEnd });
  const { client } = testClient(new URL(url), { apiKey: key });
  onEnd(() => client.close());
  const filters = {
    rcd: "acme:lamps:home,bolt:lamps:home",
    daysByRetailer: { acme: {}, bolt: { end_date: "2026-01-15" } },
  };
  const sample = await splitLongFilters(client).sample(filters);
  expect(sample.rows.length).toBe(100);
});

test("filters that a request can carry are sent as they are", async () => {
  const { triples, coverage, rows } = await lookAt({ retailer: "casa", end_date: "2026-01-12" });
  expect(triples).toEqual(["casa:lamps:home"]);
  expect({ coverage, rowCount: rows.length }).toEqual({
    coverage: summary(1, [1, 2], "2026-01-11", "2026-01-11"),
    rowCount: 1,
  });
  expect(sampled.map((asked) => Object.fromEntries(asked))).toEqual([{ retailer: "casa", end_date: "2026-01-12" }]);
});

test("a set of days that do not exist is empty, and a retailer without days of its own is left out", async () => {
  const none = { start_date: "2026-01-14", end_date: "2026-01-10" };
  const empty = await lookAt({ rcd: "acme:lamps:home", daysByRetailer: { acme: none } });
  expect(empty).toEqual({ triples: [], coverage: NOTHING, rows: [] });
  const { triples } = await lookAt({ rcd: THREE, daysByRetailer: { casa: {} } });
  expect(triples).toEqual(["casa:lamps:home"]);
});

test("the days of a summary are those of parts that have rows", () => {
  const part = { ...NOTHING, corpus_rows: 5, earliest_date: "2026-01-01", latest_date: "2026-01-09" };
  const other = { ...part, combinations: 2, matching_rows: 3, earliest_date: "2026-01-02", latest_date: "2026-01-03" };
  expect(summaryOf([part, other])).toEqual(summary(2, [3, 10], "2026-01-02", "2026-01-03"));
});

test("filters are looked up in the service, which refuses unknown values", async () => {
  const { combinations, check } = serviceFilters(sets, new AbortController().signal);
  const found = await combinations({ retailer: "casa" });
  expect(found.map(({ rcd, latest_date }) => [rcd, latest_date])).toEqual([["casa:lamps:home", "2026-01-14"]]);
  expect(await check({ retailer: "casa" })).toBeUndefined();
  await expect(check({ retailer: "cas" })).rejects.toMatchObject({ problem: { code: "unknown_retailer" } });
});

test("a combination without matching rows has no newest day", async () => {
  const service = fakeService(fakeRows(2));
  const { coverage } = service.client;
  service.client.coverage = async (filters) => {
    const answer = await coverage(filters);
    const [entry] = answer.data as [Coverage];
    const empty = {
      ...entry,
      retailer: "bolt",
      rcd: "bolt:shoes:fashion",
      matching_rows: 0,
      latest_date: "2026-02-01",
    };
    return { ...answer, data: [entry, empty] };
  };
  const written = { start_date: "latest", end_date: "latest" };
  const source = serviceFilters(service.client, new AbortController().signal);
  expect(await resolveFilters(written, source, Date.UTC(2026, 1, 20), { oneWindow: true })).toEqual({
    start_date: "2026-01-02",
    end_date: "2026-01-02",
  });
});

test("days of a retailer are those that its window and the filters name", () => {
  const filters: SetFilters = { rcd: "a:b:c,ab:b:c,a:d:c", start_date: "2026-01-01", daysByRetailer: { a: OWN.acme } };
  expect(filtersOfRetailer(filters, "a")).toEqual({ rcd: "a:b:c,a:d:c", ...OWN.acme });
  expect(filtersOfRetailer(filters, "ab")).toEqual({ rcd: "ab:b:c", start_date: "2026-01-01" });
  expect(filtersOfRetailer({ end_date: "2026-01-02" }, "a")).toEqual({ retailer: "a", end_date: "2026-01-02" });
  const isOwn = retailerDayFilter(filters);
  const days = ["2026-01-10", "2026-01-11", "2026-01-12", "2026-01-13"];
  expect(days.map((day) => isOwn("a", day))).toEqual([false, true, true, false]);
  expect({ withoutDays: retailerDayFilter({})("a", "2026-01-01"), ofAnother: isOwn("ab", "2030-01-01") }).toEqual({
    withoutDays: true,
    ofAnother: true,
  });
});

test("windows have a span and shared days, each with the ends that are known", () => {
  const [early, late] = [
    { start_date: "2026-01-01", end_date: "2026-01-05" },
    { start_date: "2026-01-03", end_date: "2026-01-09" },
  ];
  expect(spanOf([late, early])).toEqual({ start_date: "2026-01-01", end_date: "2026-01-09" });
  expect(sharedDays(late, early)).toEqual({ start_date: "2026-01-03", end_date: "2026-01-05" });
  expect(sharedDays({ start_date: "2026-01-02" }, { end_date: "2026-01-04" })).toEqual({
    start_date: "2026-01-02",
    end_date: "2026-01-04",
  });
  expect({ span: spanOf([]), sharedDays: sharedDays({}, {}) }).toStrictEqual({ span: {}, sharedDays: {} });
});
