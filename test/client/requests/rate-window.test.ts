import { expect, test } from "vitest";
import {
  available,
  observe,
  type RateWindow,
  readRateHeaders,
  windowAfter,
  windowSecondsOf,
} from "../../../src/client/requests/rate-window.ts";

const headers = (values: Record<string, string>) => readRateHeaders((name) => values[name] ?? "");
const ALL = { "ratelimit-limit": "120", "ratelimit-remaining": "0", "ratelimit-reset": "60; w=1" };

test("the rate headers count if all three begin with an integer of at least 0", () => {
  expect(headers(ALL)).toEqual({ limit: 120, remaining: 0, resetSeconds: 60 });
  expect(
    Object.keys(ALL).flatMap((name) => ["-1", "many", ""].map((value) => headers({ ...ALL, [name]: value }))),
  ).toEqual(Array(9).fill(undefined));
  expect(Object.keys(ALL).map((name) => headers({ ...ALL, [name]: undefined } as never))).toEqual(
    Array(3).fill(undefined),
  );
});

test.each([
  ["the first request of a window sees all of it", { limit: 10, remaining: 9, resetSeconds: 7 }, 60, 7],
  ["so does one that counts nothing", { limit: 10, remaining: 10, resetSeconds: 7 }, 60, 7],
  ["a later one sees what is left", { limit: 10, remaining: 8, resetSeconds: 7 }, 60, 60],
  ["what is left may be longer than what was known", { limit: 10, remaining: 8, resetSeconds: 90 }, 60, 90],
  ["a window lasts a second at least", { limit: 10, remaining: 9, resetSeconds: 0 }, 60, 1],
])("the length of a window: %s", (_, rate, known, seconds) => {
  expect(windowSecondsOf(rate, known)).toBe(seconds);
});

test("the length of a window that nothing shows is that of the contract", () => {
  expect(windowSecondsOf({ limit: 10, remaining: 1, resetSeconds: 7 })).toBe(60);
});

const RATE = { limit: 120, remaining: 100, resetSeconds: 30 };
const at = (time: number) => ({ sentAt: time, receivedAt: time + 200 });
const first = observe(undefined, RATE, at(0), 3);

test("the first response opens a window that ends between two times", () => {
  expect(first).toEqual({
    ...{ limit: 120, remaining: 100, remainingAtFirst: 100, sent: 3, shareBefore: 0 },
    ...{ endsAfter: 29_000, endsBefore: 31_200 },
  });
  expect(observe(undefined, { ...RATE, resetSeconds: 60 }, at(0), 0)).toMatchObject({ endsBefore: 60_200 });
  expect(observe(undefined, { ...RATE, resetSeconds: 0 }, at(500), 0)).toMatchObject({ endsAfter: 500 });
});

test("a response of the same window narrows its end, and the fewest requests left count", () => {
  const later = observe(first, { limit: 119, remaining: 90, resetSeconds: 20 }, at(10_500), 0);
  expect(later).toEqual({ ...first, limit: 119, remaining: 90, endsAfter: 29_500, endsBefore: 31_200 });
  const earlier = observe(later, { limit: 119, remaining: 95, resetSeconds: 29 }, at(900), 0);
  expect(earlier).toEqual({ ...later, endsAfter: 29_500, endsBefore: 31_100 });
});

test("a response of an older window changes nothing", () => {
  expect(observe(first, { limit: 120, remaining: 0, resetSeconds: 1 }, at(26_800), 0)).toBe(first);
  expect(observe(first, { limit: 120, remaining: 0, resetSeconds: 1 }, at(26_801), 0)).not.toBe(first);
  const next = windowAfter(first, 0);
  expect(observe(next, { limit: 120, remaining: 0, resetSeconds: 1 }, at(31_199), 0)).toBe(next);
});

test("a response that is sent after the end of the window opens the next one", () => {
  const busy = { ...first, remaining: 50, sent: 10 };
  const next = observe(busy, { limit: 120, remaining: 119, resetSeconds: 60 }, at(31_200), 2);
  expect(next).toEqual({
    ...{ limit: 120, remaining: 119, remainingAtFirst: 119, sent: 2, shareBefore: 4 },
    ...{ endsAfter: 90_200, endsBefore: 91_400 },
  });
});

test("the window after one that is over is narrowed by its first response", () => {
  const next = windowAfter(first, 1);
  expect(next).toMatchObject({
    remaining: 120,
    remainingAtFirst: 120,
    sent: 1,
    endsAfter: 31_200,
    endsBefore: Infinity,
  });
  expect(observe(next, { limit: 120, remaining: 118, resetSeconds: 1 }, at(31_200), 0)).toMatchObject({
    ...{ remaining: 118, sent: 1, endsAfter: 31_200, endsBefore: 33_400 },
  });
});

test("each open request stands for those of others too, as many as they have used so far", () => {
  const window: RateWindow = { ...first, remainingAtFirst: 100, remaining: 60, sent: 10 };
  expect([available(window, 0), available(window, 5), available({ ...window, shareBefore: 7 }, 5)]).toEqual([
    60, 40, 20,
  ]);
});
