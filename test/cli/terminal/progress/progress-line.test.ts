import { expect, test } from "vitest";
import { createRateMeter, progressLine } from "../../../../src/cli/terminal/progress/progress-line.ts";

test.each([
  [{ rows: 0 }, undefined, "0 rows"],
  [
    { rows: 12_500, total: 133_822, endsAt: 31_000 },
    4_120.4,
    "12,500 of 133,822 rows · 9 % · 30 s left · 4,120 rows/s",
  ],
  [{ rows: 9, total: 10, endsAt: 1_000 }, undefined, "9 of 10 rows · 90 %"],
  [
    { rows: 5, total: 10, endsAt: 13_000, waiting: { reason: "for the rate limit", until: 37_000 } },
    undefined,
    "5 of 10 rows · 50 % · 36 s left · waiting 36 s for the rate limit",
  ],
  [{ rows: 133_821, total: 133_822 }, 0, "133,821 of 133,822 rows · 99 % · 0 rows/s"],
  [{ rows: 10, total: 10 }, 5, "10 of 10 rows · 100 % · 5 rows/s"],
  [{ rows: 12, total: 10 }, 5, "12 of 10 rows · 100 % · 5 rows/s"],
  [{ rows: 0, total: 0 }, undefined, "0 of 0 rows"],
  [
    { rows: 500, waiting: { reason: "for the rate limit", until: 43_000 } },
    undefined,
    "500 rows · waiting 42 s for the rate limit",
  ],
  [{ rows: 500, waiting: { reason: "for the rate limit", until: 1_000 } }, undefined, "500 rows"],
])("the state %j at %s rows/s reads '%s'", (state, rate, line) => {
  expect(progressLine(state, rate, 1_000)).toBe(line);
});

test.each([
  [100, "12,500 of 133,822 rows · 9 % · 72 s left · waiting 36 s for the rate limit · 250 rows/s"],
  [84, "12,500 of 133,822 rows · 9 % · 72 s left · waiting 36 s for the rate limit"],
  [78, "12,500 of 133,822 rows · 72 s left · waiting 36 s for the rate limit"],
  [60, "12,500 of 133,822 rows · waiting 36 s for the rate limit"],
  [40, "12,500 of 133,822 rows"],
  [10, "12,500 of 133,822 rows"],
])("in %d cells the least important parts are left out: '%s'", (width, line) => {
  const waiting = { reason: "for the rate limit", until: 36_000 };
  const state = { rows: 12_500, total: 133_822, endsAt: 72_000, requestsLeft: 1_000_000, waiting };
  expect(progressLine(state, 250, 0, width)).toBe(line.replace("72 s", "1 min 12 s"));
});

test.each([
  [{}, ""],
  [{ doing: "reading" }, "reading"],
  [{ doing: "reading", since: 9_001 }, "reading"],
  [{ doing: "reading", since: 9_000 }, "reading · 1 s"],
  [{ doing: "reading", since: 4_999 }, "reading · 5 s"],
  [{ doing: "reading", waiting: { reason: "to try again", until: 12_500 } }, "reading · waiting 3 s to try again"],
  [{ rows: 1_234, requestsLeft: 5_000 }, "1,234 rows · 5,000 requests left"],
  [{ rows: 1, total: 2, endsAt: 10_000 }, "1 of 2 rows · 50 %"],
  [{ rows: 1, total: 2, endsAt: 10_001 }, "1 of 2 rows · 50 % · 1 s left"],
  [
    { rows: 1, endsAt: 30_000, waiting: { reason: "to try again", until: 12_000 } },
    "1 row · 20 s left · waiting 2 s to try again",
  ],
])("after ten seconds the state %j reads '%s'", (state, line) => {
  expect(progressLine(state, undefined, 10_000)).toBe(line);
});

test.each([
  [46, "reading · 5 s · waiting 3 s for the rate limit"],
  [45, "reading · waiting 3 s for the rate limit"],
  [40, "reading · waiting 3 s for the rate limit"],
  [39, "waiting 3 s for the rate limit"],
  [5, "waiting 3 s for the rate limit"],
])("in %d cells a step keeps what is most important: '%s'", (width, line) => {
  const waiting = { reason: "for the rate limit", until: 8_000 };
  expect(progressLine({ doing: "reading", since: 0, waiting }, undefined, 5_000, width)).toBe(line);
});

test("a rate is shown after a second", () => {
  const meter = createRateMeter(0);
  meter.add(400, 500);
  expect([meter.rate(500), meter.rate(1_000), meter.rate(2_000)]).toEqual([undefined, 400, 200]);
});

test("a rate counts rows that are read again", () => {
  const meter = createRateMeter(0);
  meter.add(1_000, 2_000);
  meter.add(400, 4_000);
  meter.add(1_000, 8_000);
  expect(meter.rate(8_000)).toBe(200);
});

test("a rate counts pages that arrive within the same second", () => {
  const meter = createRateMeter(0);
  meter.add(100, 2_000);
  meter.add(300, 2_500);
  expect(meter.rate(3_000)).toBe(100);
});

test("a rate covers the last minute and a half", () => {
  const meter = createRateMeter(0);
  for (let second = 1; second <= 600; second += 1) {
    meter.add(second <= 300 ? second * 1_000 : 300_000 + (second - 300) * 10, second * 1_000);
  }
  expect(meter.rate(600_000)).toBe(10);
});

test("a rate covers a minute and a half to the millisecond, and at least the last sample", () => {
  const meter = createRateMeter(0);
  meter.add(1_000, 10_000);
  meter.add(2_000, 100_000);
  expect(meter.rate(100_000)).toBe(20);
  meter.add(2_000, 100_001);
  expect(meter.rate(100_001)).toBeCloseTo(1_000 / 90.001, 6);
  meter.add(3_000, 101_001);
  expect(meter.rate(101_001)).toBeCloseTo(2_000 / 91.001, 6);
});

test("the first sample counts although it comes within a second, and later ones of a second replace each other", () => {
  const meter = createRateMeter(0);
  meter.add(100, 999);
  meter.add(200, 1_500);
  meter.add(300, 1_998);
  meter.add(400, 1_999);
  expect([meter.rate(999), meter.rate(2_000)]).toEqual([undefined, 200]);
});
