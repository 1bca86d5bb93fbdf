import { expect, test } from "vitest";
import { statusFeed } from "../../../../src/service/http/status/status-document.ts";

const now = Date.parse("2026-03-10T00:00:00Z");
const quiet = { counts: [], incidents: [], latestFailures: () => [], storeReachable: true, sampleData: false, now };

function count(date: string, requests: number, failures: number) {
  return { date, operation: "catalog" as const, requests, failures };
}

test.each([
  [1_000, 0, "operational", 100],
  [1_000, 5, "operational", 99.5],
  [1_000, 6, "degraded", 99.4],
  [100, 10, "degraded", 90],
  [100, 11, "outage", 89],
  [1_000_000, 1, "operational", 99.99],
])("a day of %i requests with %i failures is %s", (requests, failures, state, uptime_pct) => {
  const feed = statusFeed({ ...quiet, counts: [count("2026-03-10", requests, failures)] });

  expect(feed.suites[0]?.days.at(-1)).toEqual({ date: "2026-03-10", state, uptime_pct });
});

test.each([
  [[true], "outage"],
  [[true, false], "degraded"],
  [[true, false, false, false], "degraded"],
  [[true, true, false], "outage"],
  [[false], "operational"],
  [[], "operational"],
])("the present state after requests of which %j failed is %s, whatever the day was", (failures, state) => {
  const counts = [count("2026-03-10", 100, 50)];
  const [suite] = statusFeed({ ...quiet, counts, latestFailures: () => failures }).suites;

  expect({ suite: suite?.state, endpoint: suite?.endpoints[1]?.state, day: suite?.days.at(-1)?.state }).toEqual({
    suite: state,
    endpoint: state,
    day: "outage",
  });
});

test("an endpoint without requests today has the state no_data and keeps its uptime", () => {
  const [suite] = statusFeed({ ...quiet, counts: [count("2026-03-09", 10, 0)] }).suites;

  expect(suite?.endpoints[0]).toEqual({ label: "GET /v1/sample", state: "no_data", uptime_pct: null });
  expect(suite?.endpoints[1]).toEqual({ label: "GET /v1/catalog", state: "no_data", uptime_pct: 100 });
  expect({ state: suite?.state, uptime_pct: suite?.uptime_pct }).toEqual({ state: "no_data", uptime_pct: 100 });
});
