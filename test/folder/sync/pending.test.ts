import { copyFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { addDays } from "../../../src/contract/values/day-arithmetic.ts";
import { checkDay } from "../../../src/folder/check-day.ts";
import type { DayState } from "../../../src/folder/day-state.ts";
import { readSyncedFolder, writeState } from "../../../src/folder/folder-state.ts";
import { runInProcess } from "../../helpers/in-process.ts";
import { FIRST_DAY, LAST_DAY, servedFolder, sixteenDays } from "../../helpers/synced-folder.ts";

const LAST_NOON = Date.parse(`${LAST_DAY}T12:00:00Z`);
const DAY = 24 * 60 * 60 * 1_000;

/** A folder of the last 16 days, whose last run was killed before it wrote its state for the last time. */
async function killedBeforeItsState() {
  const rows = await servedFolder(sixteenDays());
  await rows.alreadySynced();
  const filters = { start_date: "15d" } as const;
  const state = { ...(await readSyncedFolder(rows.folder)), filters, window: { start_date: FIRST_DAY } };
  return {
    rows,
    /** Two days later: the first two days have left the window. */
    nextSync: (flags = {}) => rows.sync({ filters, now: () => LAST_NOON + 2 * DAY, ...flags }),
    /** Opens every day, which is refused if its file is not what the state says. */
    openAll: async () => {
      for (const day of await rows.days()) {
        await checkDay(rows.folder, day, await readSyncedFolder(rows.folder));
      }
    },
    leave: (pending: string[], changes: Readonly<Record<string, DayState | undefined>> = {}) => {
      const days = Object.entries({ ...state.days, ...changes }).flatMap(([day, held]) => (held ? [[day, held]] : []));
      return writeState(rows.folder, { ...state, pending, days: Object.fromEntries(days) });
    },
  };
}

const SECOND_DAY = addDays(FIRST_DAY, 1);

test("days that were about to be replaced and left the window meanwhile are as the state says", async () => {
  const { rows, leave, nextSync, openAll } = await killedBeforeItsState();
  await leave([FIRST_DAY, SECOND_DAY]);
  // One coverage request: the files are the ones that the state describes.
  expect(await nextSync()).toMatchObject({ requests: 1, days: 0, outside: [FIRST_DAY, SECOND_DAY] });
  expect((await readSyncedFolder(rows.folder)).pending).toEqual([]);
  await openAll();
  expect(await rows.copy()).toEqual(rows.expected());
});

test("days that were replaced although the state has the old ones are read again, also outside the window", async () => {
  const { rows, leave, nextSync, openAll } = await killedBeforeItsState();
  await copyFile(rows.file(addDays(FIRST_DAY, 2)), rows.file(FIRST_DAY));
  await leave([FIRST_DAY, SECOND_DAY], { [SECOND_DAY]: undefined });
  const history = () => runInProcess(["history", "s0", rows.folder]);
  expect((await history()).code).toBe(6);
  expect(await nextSync()).toMatchObject({ days: 2, outside: [FIRST_DAY, SECOND_DAY] });
  expect(await history()).toMatchObject({ code: 0, stderr: "" });
  await openAll();
  expect(await rows.copy()).toEqual(rows.expected());
});

test("a day that was replaced is read again even if the window has no rows any more", async () => {
  const { rows, leave, nextSync } = await killedBeforeItsState();
  await copyFile(rows.file(addDays(FIRST_DAY, 2)), rows.file(FIRST_DAY));
  await leave([FIRST_DAY]);
  expect(await nextSync({ now: () => LAST_NOON + 40 * DAY })).toMatchObject({ days: 1, daysChecked: 0 });
  expect(await rows.copy()).toEqual(rows.expected());
});

test("days that were about to be removed are gone, and --prune asks for nothing again", async () => {
  const { rows, leave, nextSync } = await killedBeforeItsState();
  await rm(dirname(rows.file(FIRST_DAY)), { recursive: true });
  await copyFile(rows.file(LAST_DAY), rows.file(SECOND_DAY));
  await leave([FIRST_DAY, SECOND_DAY], { [FIRST_DAY]: undefined });
  expect(await nextSync({ prune: true })).toMatchObject({ requests: 1, daysPruned: 1, outside: [] });
  expect(await rows.days()).toHaveLength(14);
  expect((await readSyncedFolder(rows.folder)).pending).toEqual([]);
});
