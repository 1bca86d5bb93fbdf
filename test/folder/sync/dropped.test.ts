import { readFile, truncate } from "node:fs/promises";
import { expect, test } from "vitest";
import { addDays } from "../../../src/contract/values/day-arithmetic.ts";
import { fingerprint } from "../../../src/files/fingerprint.ts";
import { readSyncedFolder } from "../../../src/folder/folder-state.ts";
import { product } from "../../helpers/products.ts";
import { FIRST_DAY, rewriteDay, servedFolder } from "../../helpers/synced-folder.ts";

const [SECOND_DAY, THIRD_DAY, FOURTH_DAY] = [1, 2, 3].map((days) => addDays(FIRST_DAY, days)) as [
  string,
  string,
  string,
];

const KEPT = [FIRST_DAY, SECOND_DAY, THIRD_DAY].map((crawl_date) => product({ crawl_date }));
const GONE = [FIRST_DAY, SECOND_DAY, FOURTH_DAY].map((crawl_date) => product({ crawl_date, retailer: "bolt" }));

/** A synced folder whose service has lost a retailer: of two days one of the rows, and of another day all. */
async function lostRetailer() {
  const rows = await servedFolder([...KEPT, ...GONE]);
  await rows.alreadySynced();
  await rows.replace(KEPT);
  const stateOf = async (day: string) => {
    const held = (await readSyncedFolder(rows.folder)).days[day];
    return held && { ...held, counts: new Map(held.counts) };
  };
  return { ...rows, stateOf };
}

test("the rows of a lost combination leave the files, and the state says what these have then", async () => {
  const rows = await lostRetailer();
  const [before, other] = [await rows.stateOf(FIRST_DAY), await readFile(rows.file(THIRD_DAY))];
  expect(await rows.sync({ prune: true })).toMatchObject({
    ...{ daysChecked: 4, days: 0, daysChanged: 3, daysRemoved: 1, requests: 1 },
    ...{ rowsAdded: 0, rowsReplaced: 0, rowsRemoved: 3 },
  });
  expect(await rows.days()).toEqual([FIRST_DAY, SECOND_DAY, THIRD_DAY]);
  expect(await rows.copy()).toEqual(rows.expected());
  expect(await rows.stateOf(FIRST_DAY)).toEqual({
    ...{ rows: 1, digest: "", counts: new Map([["acme:lamps:home", 1]]), checked: before?.checked },
    ...(await fingerprint(rows.file(FIRST_DAY))),
  });
  expect({ state: await rows.stateOf(FOURTH_DAY), pending: (await readSyncedFolder(rows.folder)).pending }).toEqual({
    state: undefined,
    pending: [],
  });
  expect(await readFile(rows.file(THIRD_DAY))).toEqual(other);
});

test("days that lost a combination are no days with replaced rows when they are read again", async () => {
  const rows = await lostRetailer();
  await rows.sync({ prune: true });
  expect(await rows.sync({ lookback: 3 })).toMatchObject({ days: 3, daysChanged: 0, rowsReplaced: 0 });
  expect((await rows.stateOf(FIRST_DAY))?.digest).toMatch(/^[0-9a-f]{64}$/);
});

test("a day that lost all of its rows goes even if its file was altered", async () => {
  const rows = await lostRetailer();
  const bytes = await readFile(rows.file(FOURTH_DAY));
  await truncate(rows.file(FOURTH_DAY), bytes.length - 1);
  // It is looked at before, and read again.
  expect(await rows.sync({ prune: true })).toMatchObject({ daysRemoved: 1, rowsRemoved: 3 });
  expect(await rows.days()).toEqual([FIRST_DAY, SECOND_DAY, THIRD_DAY]);
});

test("a day whose file lacks a column, because another version wrote it, is read again", async () => {
  const rows = await lostRetailer();
  await rewriteDay(rows.folder, FIRST_DAY, (row) => ({ ...row, department: undefined }));
  await rewriteDay(rows.folder, SECOND_DAY, (row) => ({ ...row, brand: undefined }));
  expect(await rows.sync({ prune: true })).toMatchObject({ days: 2, daysChanged: 3, daysRemoved: 1, rowsRemoved: 3 });
  expect(await rows.copy()).toEqual(rows.expected());
});
