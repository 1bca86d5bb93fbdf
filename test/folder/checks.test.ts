import { appendFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { UsageError } from "../../src/contract/errors.ts";
import { BOOKMARK_NAME, openBookmark } from "../../src/folder/bookmarks.ts";
import { checkDay } from "../../src/folder/check-day.ts";
import { daysBeingReplaced, placeOfDay } from "../../src/folder/day-files.ts";
import { ownFolderOf } from "../../src/folder/folder-lock.ts";
import { newState, readSyncedFolder, type SyncState, statePathOf, writeState } from "../../src/folder/folder-state.ts";
import { matchingDays } from "../../src/folder/matching-days.ts";
import { assertWithinFilters, rememberedFilters } from "../../src/folder/remembered-filters.ts";
import type { WrittenFilters } from "../../src/pull/written-filters.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { product } from "../helpers/products.ts";
import { syncedFolder } from "../helpers/synced-folder.ts";
import { failureOf } from "../helpers/test-client.ts";

const DAYS = ["2026-01-01", "2026-01-02"] as const;
const ROWS = DAYS.flatMap((crawl_date) => [
  product({ crawl_date }),
  product({ crawl_date, sku: "b", retailer: "bolt" }),
]);

const fileOf = (folder: string, day: string) => join(folder, placeOfDay(day));

const repairOf = (folder: string) => `; \`catalog sync ${folder} --verify\` repairs it`;
const changedOf = (folder: string) => ` was changed or damaged since the last sync${repairOf(folder)}`;

describe("days of a synced folder", () => {
  test("are of the state if each file has its size, or a sync has replaced it since", async () => {
    const folder = await syncedFolder(ROWS);
    const state = await readSyncedFolder(folder);
    const replacing = () => daysBeingReplaced(folder, state, DAYS);
    expect(await replacing()).toEqual([]);

    await appendFile(fileOf(folder, DAYS[0]), "x");
    expect(await daysBeingReplaced(folder, state, [DAYS[1]])).toEqual([]);
    await expect(replacing()).rejects.toThrow(`${fileOf(folder, DAYS[0])}${changedOf(folder)}`);

    await writeState(folder, { ...state, pending: [...DAYS] });
    expect(await replacing()).toEqual([DAYS[0]]);

    const { bytes, ...day } = state.days[DAYS[0]] ?? expect.fail("a day is missing");
    const replaced = { ...day, bytes: bytes + 1, sha256: "0".repeat(64) };
    await writeState(folder, { ...state, days: { ...state.days, [DAYS[0]]: replaced } });
    expect(await replacing()).toEqual([]);

    await writeState(folder, state);
    await rm(fileOf(folder, DAYS[0]));
    await expect(replacing()).rejects.toThrow(`${fileOf(folder, DAYS[0])}${changedOf(folder)}`);
  });

  test("are accepted if they are as the state says, and the error says what they are otherwise", async () => {
    const folder = await syncedFolder(ROWS);
    const state = await readSyncedFolder(folder);
    const [first, second] = DAYS;
    expect(await checkDay(folder, "2026-01-03", state)).toBeUndefined();
    expect(await checkDay(folder, first, state)).toMatchObject(state.days[first] ?? {});

    await truncate(fileOf(folder, first), 10);
    await rm(fileOf(folder, second));

    await expect(checkDay(folder, first, state)).rejects.toThrow(`${fileOf(folder, first)}${changedOf(folder)}`);
    await expect(checkDay(folder, second, state)).rejects.toThrow(
      `${fileOf(folder, second)} is missing${repairOf(folder)}`,
    );
  });

  test("of a combination come in order", async () => {
    const [first, second] = [
      product({ crawl_date: "2026-01-02" }),
      product({ crawl_date: "2026-01-01", retailer: "bolt" }),
    ];
    const { days } = await readSyncedFolder(await syncedFolder([first, second]));
    const reversed = { days: Object.fromEntries(Object.entries(days).reverse()) } as SyncState;

    expect(matchingDays(reversed, {})).toEqual(DAYS);
    expect(matchingDays(reversed, { retailer: "bolt" })).toEqual([DAYS[0]]);
    expect(matchingDays(reversed, { retailer: "other" })).toEqual([]);
  });

  test("are looked for only in a folder of sync", async () => {
    const folder = await temporaryFolder();

    await expect(readSyncedFolder(folder)).rejects.toThrow(
      `${folder} was not written by \`catalog sync\`: there is no ${statePathOf(folder)}`,
    );
  });
});

const HELD = { rows: 1, digest: "", bytes: 900, sha256: "0".repeat(64), counts: new Map([["acme:lamps:home", 1]]) };
const stateWith = (filters: WrittenFilters): SyncState => ({
  ...newState({ service: "http://a/", filters }),
  days: { [DAYS[1]]: HELD },
});

test.each<[WrittenFilters, string | undefined]>([
  [{}, undefined],
  [{ start_date: DAYS[1], end_date: DAYS[1] }, undefined],
  [{ start_date: "7d", end_date: "8d" }, undefined],
  [{ start_date: "2026-01-03" }, DAYS[1]],
  [{ end_date: DAYS[0] }, DAYS[1]],
  [{ retailer: ["acme", "bolt"], category: ["lamps"], department: ["home"] }, undefined],
  [{ category: ["rugs"] }, `acme:lamps:home on ${DAYS[1]}`],
  [{ rcd: ["acme:lamps:home"] }, undefined],
  [{ rcd: ["acme:rugs:home"] }, `acme:lamps:home on ${DAYS[1]}`],
])("a state with the filters %j names outside of them: %s", (filters, outside) => {
  const check = () => assertWithinFilters("rows", stateWith(filters));
  if (outside === undefined) {
    expect(check).not.toThrow();
  } else {
    expect(check).toThrow(`names ${outside}, outside its filters (`);
  }
});

describe("the filters that a folder remembers", () => {
  const given = (filters: WrittenFilters) => ({ service: "http://a/", filters });
  const refusal = (kept: WrittenFilters, now: WrittenFilters) => {
    try {
      rememberedFilters("rows", stateWith(kept), given(now));
      return undefined;
    } catch (error) {
      expect(error).toBeInstanceOf(UsageError);
      return [(error as UsageError).message, (error as UsageError).flag];
    }
  };
  const advice = "Leave out the filters to keep those of the folder, or name another folder.";

  test("are refused if they are others, with what they are there and here", () => {
    expect(refusal({}, { retailer: ["acme"] })).toEqual([
      `rows is kept without filters: --retailer is not set there and acme here. ${advice}`,
      "--retailer",
    ]);
    expect(refusal({ retailer: ["b", "a"], end_date: "1d" }, { retailer: ["a", "b"], start_date: "7d" })).toEqual([
      `rows is kept with --retailer b,a --end-date 1d: --start-date is not set there and 7d here; --end-date is 1d there and not set here. ${advice}`,
      "--start-date",
    ]);
    expect(refusal({ retailer: ["ab"] }, { retailer: ["a", "b"] })).toBeDefined();
  });
});

describe("a bookmark", () => {
  test.each([
    ["mail", true],
    ["a", true],
    ["9.a_b-C", true],
    ["a".repeat(64), true],
    ["a".repeat(65), false],
    ["", false],
    [".hidden", false],
    ["-a", false],
    ["a/b", false],
    ["a b", false],
    ["ä", false],
  ])("may have the name %j: %s", (name, expected) => {
    expect(BOOKMARK_NAME.test(name)).toBe(expected);
  });

  test.each([
    '{"version":2,"seen":"2026-01-01"}',
    '{"version":1,"seen":20260101}',
    '{"version":1,"seen":"soon"}',
    '{"version":2,"seen":{"acme":"soon"}}',
    "{}",
    "",
  ])("that says %s is damaged, until it is removed", async (text) => {
    const folder = await syncedFolder(ROWS);
    const open = () => openBookmark(folder, { command: "movers", name: "mail" }, process.pid);
    const seen = async () => {
      await using bookmark = await open();
      return bookmark.seen;
    };
    {
      await using bookmark = await open();
      expect(bookmark.seen).toBeUndefined();
      await bookmark.set({ acme: "2026-01-01" });
    }
    expect(await seen()).toEqual({ acme: "2026-01-01" });
    const path = join(ownFolderOf(folder), "looks", "movers-mail.json");
    await writeFile(path, text);

    expect(await failureOf(seen())).toMatchObject({
      message: `${path} is damaged; remove it, and the next --since last is the first one`,
    });
  });
});
