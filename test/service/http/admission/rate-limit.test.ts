import { expect, test, vi } from "vitest";
import { fixedWindow } from "../../../../src/service/http/admission/rate-limit.ts";
import { sharedDatabase } from "../../../helpers/databases.ts";
import { testStore } from "../../store/stores.ts";

/** A window in an empty store. */
async function newWindow(limit: number, now: () => number) {
  return fixedWindow(await testStore(), "test", limit, 60, now);
}

test("setting the clock back does not keep a window closed", async () => {
  let now = 1_000_000;
  const window = await newWindow(1, () => now);
  await window.charge("team");
  now = 0;

  expect((await window.charge("team")).admitted).toBe(true);
});

test("windows are counted while a change holds the database", async () => {
  const location = await sharedDatabase();
  const [changing, counting] = [await testStore(location), await testStore(location)];
  const window = fixedWindow(counting, "test", 2, 60, () => 0);

  const charge = await changing.changeRows(() => window.charge("team"));

  expect(charge).toEqual({ limit: 2, remaining: 1, resetSeconds: 60, admitted: true });
});

test("counts of ended windows are removed", async () => {
  const windows = (await testStore()).windows("test", 60_000);
  await windows.charge("one", 100_000);
  await windows.charge("two", 200_000);
  // Counted at a time when the first window had not ended.
  await vi.waitFor(async () => expect(await windows.charge("one", 110_000)).toEqual({ endsAt: 170_000, used: 1 }));

  expect(await windows.charge("two", 200_000)).toEqual({ endsAt: 260_000, used: 2 });
});
