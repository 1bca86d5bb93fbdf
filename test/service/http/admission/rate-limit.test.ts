import { expect, test, vi } from "vitest";
import { createRateLimit } from "../../../../src/service/http/admission/rate-limit.ts";
import { sharedDatabase } from "../../../helpers/databases.ts";
import { testStore } from "../../store/stores.ts";

/** A window in an empty store. */
async function newWindow(limit: number, now: () => number) {
  return createRateLimit(await testStore(), "test", limit, 60, now);
}

test("setting the clock back does not keep a window closed", async () => {
  let now = 1_000_000;
  const window = await newWindow(1, () => now);
  await window.count("team");
  now = 0;

  expect((await window.count("team")).admitted).toBe(true);
});

test("windows are counted while a change holds the database", async () => {
  const location = await sharedDatabase();
  const [changing, counting] = [await testStore(location), await testStore(location)];
  const window = createRateLimit(counting, "test", 2, 60, () => 0);

  const quota = await changing.changeRows(() => window.count("team"));

  expect(quota).toEqual({ limit: 2, remaining: 1, resetSeconds: 60, admitted: true });
});

test("counts of ended windows are removed", async () => {
  const windows = (await testStore()).windows("test", 60_000);
  await windows.count("one", 100_000);
  await windows.count("two", 200_000);
  // Counted at a time when the first window had not ended.
  await vi.waitFor(async () => expect(await windows.count("one", 110_000)).toEqual({ endsAt: 170_000, used: 1 }));

  expect(await windows.count("two", 200_000)).toEqual({ endsAt: 260_000, used: 2 });
});
