import { expect, test } from "vitest";
import { renderStatus } from "../../src/commands/status/status-view.ts";
import type { StatusFeed, StatusSuite } from "../../src/contract/status.ts";

const WIDE = { width: 80, colour: false, links: false };

function day(date: string, state: StatusSuite["state"]): StatusSuite["days"][number] {
  return { date, state, uptime_pct: state === "no_data" ? null : 99 };
}

const suite: StatusSuite = {
  slug: "catalog",
  name: "Catalog\n",
  state: "degraded",
  uptime_pct: 99.95,
  endpoints: [
    { label: "/v1/catalog", state: "operational", uptime_pct: 100 },
    { label: "/v1", state: "no_data", uptime_pct: null },
  ],
  days: (["no_data", "outage", "degraded", "operational"] as const).flatMap((state, index) =>
    [1, 2, 3, 4, 5, 6].map((number) => day(`2026-01-${10 + 6 * index + number}`, state)),
  ),
};

const idle: StatusSuite = {
  slug: "console",
  name: "Console",
  state: "no_data",
  uptime_pct: null,
  endpoints: [],
  days: [day("2026-01-11", "no_data")],
};

const feed: StatusFeed = {
  state: "degraded",
  sample_data: true,
  window_days: 90,
  uptime_target: "99.5%",
  suites: [suite, idle],
  incidents: [
    {
      title: "Late rows",
      suite: "catalog",
      severity: "minor",
      started_at: "2026-01-02T03:04:05Z",
      resolved_at: "2026-01-02T04:00:00Z",
      updates: [{ state: "resolved", body: "All rows\nare there.", posted_at: "2026-01-02T04:00:00Z" }],
    },
    {
      title: "Slow answers \x1b[31m",
      suite: "catalog",
      severity: "major",
      started_at: "2026-01-05T10:00:00Z",
      resolved_at: null,
      updates: [],
    },
  ],
};

test("suites have a block for each day, and open incidents are above those that ended", () => {
  expect(renderStatus(feed, WIDE)).toBe(
    `degraded, target 99.5% over 90 days, generated demo data

Catalog\\n  degraded  99.95 % uptime
······██████▓▓▓▓▓▓░░░░░░
2026-01-11    2026-01-34
  /v1/catalog  operational  100 %
  /v1          no data

Console  no data

░ operational  ▓ degraded  █ outage  · no data

Slow answers \\x1b[31m
  major, catalog, open since 2026-01-05 10:00 UTC

Late rows
  minor, catalog, 2026-01-02 03:04 UTC to 2026-01-02 04:00 UTC
  2026-01-02 04:00 UTC  resolved: All rows\\nare there.
`,
  );
});

test("a narrow screen has the latest days alone, with the last date below them, and lines that are wrapped", () => {
  const narrow = renderStatus({ ...feed, suites: [suite], sample_data: false }, { ...WIDE, width: 20 });
  expect(narrow.split("\n").slice(0, 6)).toEqual([
    "degraded, target 99.5% over 90 days",
    "",
    "Catalog\\n  degraded  99.95 % uptime",
    "··██████▓▓▓▓▓▓░░░░░░",
    "2026-01-34",
    "  /v1/catalog  operational  100 %",
  ]);
  expect(renderStatus({ ...feed, suites: [suite] }, { ...WIDE, width: 21 })).toContain("\n2026-01-14 2026-01-34\n");
  expect(narrow).toContain(`
Slow answers \\x1b[3…
  major, catalog,
  open since
  2026-01-05 10:00
  UTC

Late rows
`);
  expect(renderStatus(feed, { ...WIDE, width: 40 })).toMatch(
    /\n {2}2026-01-02 04:00 UTC {2}resolved: All\n {24}rows\\nare there\.\n$/,
  );
});

test("a service without suites and incidents says so", () => {
  const empty: StatusFeed = { ...feed, state: "operational", sample_data: false, suites: [idle], incidents: [] };
  expect(renderStatus(empty, WIDE)).toBe(
    "operational, target 99.5% over 90 days\n\nConsole  no data\n\nNo incidents in 90 days.\n",
  );
});

test("states have colours, which repeat what the words say", () => {
  const days = (["operational", "degraded", "outage", "no_data"] as const).map((state, index) =>
    day(`2026-01-0${index + 1}`, state),
  );
  const coloured = renderStatus(
    { ...feed, suites: [{ ...suite, name: "A", endpoints: [], days }] },
    { ...WIDE, colour: true },
  );
  expect(coloured.split("\n").slice(2, 5)).toEqual([
    "\x1b[1mA\x1b[22m  \x1b[33mdegraded\x1b[39m  99.95 % uptime",
    "\x1b[32m░\x1b[39m\x1b[33m▓\x1b[39m\x1b[1m\x1b[31m█\x1b[39m\x1b[22m\x1b[2m·\x1b[22m",
    "2026-01-04",
  ]);
  expect(coloured).toContain("\n\x1b[1mLate rows\x1b[22m\n");
});
