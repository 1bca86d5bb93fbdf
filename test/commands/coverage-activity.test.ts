import { expect, test } from "vitest";
import { cut, readActivity } from "../../src/commands/coverage/views/activity.ts";
import { fakeRows, fakeService } from "../helpers/fake-client.ts";

const SUMMARY = { combinations: 2, matching_rows: 40, corpus_rows: 40 };

test("counts the rows of each retailer in periods that cover every day exactly once", async () => {
  const service = fakeService([...fakeRows(30, "acme"), ...fakeRows(5, "zeta", "shoes", 5)]);
  const summary = { ...SUMMARY, earliest_date: "2026-01-01", latest_date: "2026-01-10" };
  const activity = await readActivity(service.client, {}, summary, 3, new AbortController().signal);
  expect(activity).toEqual({
    periods: [
      { start: "2026-01-01", end: "2026-01-03", days: 3 },
      { start: "2026-01-04", end: "2026-01-06", days: 3 },
      { start: "2026-01-07", end: "2026-01-10", days: 4 },
    ],
    rows: new Map([
      ["acme", [9, 9, 12]],
      ["zeta", [3, 2, 0]],
    ]),
  });
  expect(service.requests).toEqual(["coverage", "coverage", "coverage"]);
});

test("sends no request if nothing matches", async () => {
  const service = fakeService([]);
  const summary = { ...SUMMARY, earliest_date: null, latest_date: null };
  expect(await readActivity(service.client, {}, summary, 3, new AbortController().signal)).toEqual({
    periods: [],
    rows: new Map(),
  });
  expect(service.requests).toEqual([]);
});

test("with few days, each day is a period, however many requests are allowed", () => {
  expect(cut("2026-02-28", "2026-03-01", 24)).toEqual([
    { start: "2026-02-28", end: "2026-02-28", days: 1 },
    { start: "2026-03-01", end: "2026-03-01", days: 1 },
  ]);
});
