import { describe, expect, test } from "vitest";
import { addDays } from "../../src/contract/values/day-arithmetic.ts";
import { readSyncedFolder, statePathOf, writeState } from "../../src/folder/folder-state.ts";
import type { WrittenFilters } from "../../src/pull/written-filters.ts";
import { FIRST_DAY, LAST_DAY, servedFolder, sixteenDays } from "../helpers/synced-folder.ts";

/** A clock of the day `days` after the last one. */
function clockAfter(days: number): () => number {
  return () => Date.parse(`${addDays(LAST_DAY, days)}T12:00:00Z`);
}

describe("the folder remembers its filters as they were written:", () => {
  test("a window of days moves each day, and older days stay until they are pruned", async () => {
    const rows = await servedFolder(sixteenDays());
    const filters = { start_date: "5d", retailer: ["bolt"] };
    await rows.sync({ filters, now: clockAfter(0) });
    expect(await rows.days()).toHaveLength(6);
    const left = addDays(LAST_DAY, -5);
    expect(await rows.sync({ filters, now: clockAfter(1) })).toMatchObject({ outside: [left], daysRemoved: 0 });
    expect(await rows.sync({ now: clockAfter(1) })).toMatchObject({ filters, outside: [left], requests: 1 });
    expect(await rows.days()).toHaveLength(6);
    expect(await rows.sync({ now: clockAfter(1), prune: true })).toMatchObject({
      daysPruned: 1,
      outside: [],
      rowsRemoved: 0,
    });
    expect(await rows.days()).toHaveLength(5);
    expect(await rows.sync({ now: clockAfter(0) })).toMatchObject({ days: 1, rowsAdded: 1, outside: [] });
  });

  test("a window from the newest day follows the service", async () => {
    const rows = await servedFolder(sixteenDays());
    await rows.sync({ filters: { start_date: "latest-1d" } });
    expect(await rows.days()).toEqual([addDays(LAST_DAY, -1), LAST_DAY]);
    await rows.replace(rows.all().filter(({ crawl_date }) => crawl_date !== LAST_DAY));
    await rows.sync({ allowShrink: true });
    expect(await rows.days()).toEqual([addDays(LAST_DAY, -2), addDays(LAST_DAY, -1), LAST_DAY].slice(0, 2));
  });

  test.each<[name: string, filters: WrittenFilters, error: string]>([
    ["retailer", { retailer: ["acme", "bolt"] }, 'no retailer "acme"'],
    ["triple", { rcd: ["acme:lamps:home", "bolt:lamps:home"] }, 'no combination "acme:lamps:home"'],
  ])(
    "a %s of them that vanishes is kept until it is pruned, and an error if it was the last one",
    async (_, filters, error) => {
      const rows = await servedFolder(sixteenDays());
      await rows.sync({ filters });
      await rows.replace(rows.all().filter(({ retailer }) => retailer !== "bolt"));
      await expect(rows.sync()).rejects.toThrow(/has 16 rows of bolt, of which the service shows none any more/);
      expect(await rows.sync({ prune: true })).toMatchObject({ rowsRemoved: 16 });
      expect(await rows.sync()).toMatchObject({ daysChanged: 0 });
      expect(await rows.copy()).toEqual(rows.expected());
      await rows.replace(rows.all().map((row) => ({ ...row, retailer: "zeta" })));
      await expect(rows.sync({ prune: true })).rejects.toThrow(error);
    },
  );

  test("another service is refused", async () => {
    const rows = await servedFolder(sixteenDays());
    await rows.alreadySynced();
    await expect(rows.sync({ service: "http://other/" })).rejects.toThrow("not of http://other/");
  });
});

test("a state that names a day outside its own filters is refused", async () => {
  const rows = await servedFolder(sixteenDays());
  await rows.alreadySynced();
  const path = statePathOf(rows.folder);
  await writeState(rows.folder, { ...(await readSyncedFolder(rows.folder)), filters: { start_date: "2026-01-02" } });
  const before = await rows.times();
  await expect(rows.sync()).rejects.toThrow(`${path} names ${FIRST_DAY}, outside its filters`);
  expect(await rows.times()).toEqual(before);
});
