import { expect, test } from "vitest";
import { createRateMeter, progressLine } from "../../../../src/output/terminal/progress/progress-line.ts";

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

test("a rate is shown after a second", () => {
  const meter = createRateMeter(0);
  meter.add(400, 500);
  expect([meter.rate(500), meter.rate(1_000), meter.rate(2_000)]).toEqual([undefined, 400, 200]);
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
