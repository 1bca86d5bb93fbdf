import { expect, test } from "vitest";
import { SUITE_SLUGS, statusFeed } from "../../../../src/service/http/status/status-document.ts";

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

test("the window has 90 days, today as the last", () => {
  const days = statusFeed(quiet).suites[0]?.days ?? [];

  expect([days.length, days[0]?.date, days.at(-1)?.date]).toEqual([90, "2025-12-11", "2026-03-10"]);
});

test("days before the window do not count", () => {
  const feed = statusFeed({ ...quiet, counts: [count("2025-12-10", 10, 10), count("2025-12-11", 10, 5)] });

  expect(feed.suites[0]?.uptime_pct).toBe(50);
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

  expect([suite?.state, suite?.endpoints[1]?.state, suite?.days.at(-1)?.state]).toEqual([state, state, "outage"]);
});

test("an earlier bad day does not affect the present state", () => {
  const feed = statusFeed({ ...quiet, counts: [count("2026-03-09", 10, 10), count("2026-03-10", 10, 0)] });

  expect([feed.state, feed.suites[0]?.state, feed.suites[0]?.uptime_pct]).toEqual(["operational", "operational", 50]);
});

test("an endpoint without requests today has the state no_data and keeps its uptime", () => {
  const [suite] = statusFeed({ ...quiet, counts: [count("2026-03-09", 10, 0)] }).suites;

  expect(suite?.endpoints.map(({ state, uptime_pct }) => [state, uptime_pct])).toEqual([
    ["no_data", null],
    ["no_data", 100],
    ["no_data", null],
  ]);
  expect([suite?.state, suite?.uptime_pct]).toEqual(["no_data", 100]);
});

test("the requests of one suite do not count for another", () => {
  const counts = [
    { date: "2026-03-10", operation: "portal-keys" as const, requests: 10, failures: 10 },
    count("2026-03-10", 10, 0),
  ];
  const latestFailures = (part: string) => [part === "portal-keys"];
  const { state, suites } = statusFeed({ ...quiet, counts, latestFailures });

  expect([state, ...suites.map((suite) => suite.state)]).toEqual(["outage", "operational", "no_data", "outage"]);
});

test("an incident affects the state of its suite and the overall state", () => {
  const incident = {
    id: 1,
    title: "Portal down",
    suite: "developer-portal",
    severity: "major" as const,
    started_at: "2026-03-10T00:00:00.000Z",
    resolved_at: null,
    updates: [],
  };
  const feed = statusFeed({ ...quiet, incidents: [incident] });

  expect([feed.state, ...feed.suites.map(({ state }) => state)]).toEqual(["outage", "no_data", "no_data", "outage"]);
});

test("while the database cannot be read, what needs it is out, and what is not measured has no data", () => {
  const { state, suites } = statusFeed({ ...quiet, storeReachable: false });

  expect([state, ...suites.map((suite) => suite.state)]).toEqual(["outage", "outage", "no_data", "outage"]);
});

test("days after today do not count", () => {
  const [suite] = statusFeed({ ...quiet, counts: [count("2026-03-10", 10, 5), count("2026-03-11", 10, 0)] }).suites;

  expect([suite?.uptime_pct, suite?.days.length]).toEqual([50, 90]);
});

test("an incident may name each suite", () => {
  expect(SUITE_SLUGS).toEqual(["catalog-api", "projects-api", "developer-portal"]);
});
