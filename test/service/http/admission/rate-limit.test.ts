import { expect, test } from "vitest";
import { fixedWindow } from "../../../../src/service/http/admission/rate-limit.ts";

test("a window admits as many requests as its limit", () => {
  const window = fixedWindow(2, 60, () => 1_000);

  expect([window.charge("team"), window.charge("team"), window.charge("team")]).toEqual([
    { limit: 2, remaining: 1, resetSeconds: 60, admitted: true },
    { limit: 2, remaining: 0, resetSeconds: 60, admitted: true },
    { limit: 2, remaining: 0, resetSeconds: 60, admitted: false },
  ]);
});

test("a window restarts exactly its length after its first request", () => {
  let now = 5_000;
  const window = fixedWindow(1, 60, () => now);
  window.charge("team");

  now = 64_999;
  expect(window.charge("team")).toEqual({ limit: 1, remaining: 0, resetSeconds: 1, admitted: false });
  now = 65_000;
  expect(window.charge("team")).toEqual({ limit: 1, remaining: 0, resetSeconds: 60, admitted: true });
});

test("each key has its own count", () => {
  const window = fixedWindow(1, 60, () => 0);
  window.charge("one");

  expect(window.charge("other").admitted).toBe(true);
});

test("reading the figures of a window does not count a request", () => {
  const window = fixedWindow(3, 60, () => 0);
  window.charge("team");

  expect(window.peek("team")).toEqual({ limit: 3, remaining: 2, resetSeconds: 60 });
  expect(window.peek("other")).toEqual({ limit: 3, remaining: 3, resetSeconds: 60 });
  expect(window.peek()).toEqual({ limit: 3, remaining: 3, resetSeconds: 60 });
  expect(window.charge("team").remaining).toBe(1);
});

test("beyond its capacity of keys, new ones share one count and known ones keep theirs", () => {
  const window = fixedWindow(2, 60, () => 0, 1);
  window.charge("known");
  window.charge("new-1");
  window.charge("new-2");

  expect([window.charge("new-3").admitted, window.charge("known").admitted]).toEqual([false, true]);
});

test("setting the clock back does not keep a window closed", () => {
  let now = 1_000_000;
  const window = fixedWindow(1, 60, () => now);
  window.charge("team");
  now = 0;

  expect(window.charge("team").admitted).toBe(true);
});
