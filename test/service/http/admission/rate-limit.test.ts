import { expect, test } from "vitest";
import { fixedWindow } from "../../../../src/service/http/admission/rate-limit.ts";
import { memoryWindows } from "../../../../src/service/store/windows/memory-windows.ts";
import { testStore } from "../../store/stores.ts";

/** A window in an empty store. */
async function newWindow(limit: number, now: () => number) {
  return fixedWindow(await testStore(), "test", limit, 60, now);
}

test("a window admits as many requests as its limit", async () => {
  const window = await newWindow(2, () => 1_000);

  expect([await window.charge("team"), await window.charge("team"), await window.charge("team")]).toEqual([
    { limit: 2, remaining: 1, resetSeconds: 60, admitted: true },
    { limit: 2, remaining: 0, resetSeconds: 60, admitted: true },
    { limit: 2, remaining: 0, resetSeconds: 60, admitted: false },
  ]);
});

test("a window restarts exactly its length after its first request", async () => {
  let now = 5_000;
  const window = await newWindow(1, () => now);
  await window.charge("team");

  now = 64_999;
  expect(await window.charge("team")).toEqual({ limit: 1, remaining: 0, resetSeconds: 1, admitted: false });
  now = 65_000;
  expect(await window.charge("team")).toEqual({ limit: 1, remaining: 0, resetSeconds: 60, admitted: true });
});

test("each key has its own count", async () => {
  const window = await newWindow(1, () => 0);
  await window.charge("one");

  expect((await window.charge("other")).admitted).toBe(true);
});

test("reading the figures of a window does not count a request", async () => {
  let now = 0;
  const window = await newWindow(3, () => now);
  await window.charge("team");

  expect(await window.peek("team")).toEqual({ limit: 3, remaining: 2, resetSeconds: 60 });
  expect(await window.peek("other")).toEqual({ limit: 3, remaining: 3, resetSeconds: 60 });
  expect(window.unused()).toEqual({ limit: 3, remaining: 3, resetSeconds: 60 });
  expect((await window.charge("team")).remaining).toBe(1);
  now = 60_000;
  expect(await window.peek("team")).toEqual({ limit: 3, remaining: 3, resetSeconds: 60 });
});

test("beyond its capacity of keys, new ones share one count and known ones keep theirs", async () => {
  const windows = memoryWindows(60_000, 1);
  const used = [];
  for (const key of ["known", "new-1", "new-2", "known"]) {
    used.push((await windows.charge(key, 0)).used);
  }

  expect(used).toEqual([1, 1, 2, 2]);
});

test("setting the clock back does not keep a window closed", async () => {
  let now = 1_000_000;
  const window = await newWindow(1, () => now);
  await window.charge("team");
  now = 0;

  expect((await window.peek("team")).remaining).toBe(1);
  expect((await window.charge("team")).admitted).toBe(true);
});
