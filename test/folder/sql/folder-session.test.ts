import { readdir, symlink, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { SetChangedError } from "../../../src/contract/errors.ts";
import { addDays } from "../../../src/contract/values/day-arithmetic.ts";
import { placeOfDay } from "../../../src/folder/day-files.ts";
import { readSyncedFolder } from "../../../src/folder/folder-state.ts";
import { priceIndexPath } from "../../../src/folder/index/update-index.ts";
import { withFolderSql } from "../../../src/folder/sql/folder-session.ts";
import type { SqlSession } from "../../../src/folder/sql/sql-session.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { product } from "../../helpers/products.ts";
import { FIRST_DAY, servedFolder, syncedFolder } from "../../helpers/synced-folder.ts";

/** More days than are compared at once. */
const DAYS = Array.from({ length: 9 }, (_, day) => addDays(FIRST_DAY, day));
const ROWS = DAYS.map((crawl_date) => product({ crawl_date }));

/** A synced folder, and a temporary folder of the system that has nothing else. */
async function prepared() {
  const [folder, temporary] = [await syncedFolder(ROWS), await temporaryFolder()];
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const state = await readSyncedFolder(folder);
  const ask = <T>(use: (session: SqlSession) => Promise<T>, options = {}) =>
    withFolderSql({ folder, state, lastDay: DAYS.at(-1) ?? "", signal: new AbortController().signal, ...options }, use);
  return { folder, temporary, ask };
}

async function daysOf(session: SqlSession): Promise<string[]> {
  const days: string[] = [];
  for await (const rows of (await session.query("select crawl_date from rows order by 1")).rows) {
    days.push(...rows.map(([day = ""]) => JSON.parse(day)));
  }
  return days;
}

async function settingOf(session: SqlSession, name: string): Promise<unknown> {
  for await (const [[value = ""] = []] of (await session.query(`select current_setting('${name}')`)).rows) {
    return JSON.parse(value);
  }
  return undefined;
}

test("has the rows of all days, also where the folder is a link", async () => {
  const { ask, folder } = await prepared();
  const link = `${folder}-link`;
  await symlink(folder, link);
  expect(await ask(daysOf, { folder: link })).toEqual(DAYS);
});

test("keeps what it needs in a temporary folder as long as it is used, whatever becomes of that", async () => {
  const { ask, temporary } = await prepared();
  const seen: unknown[] = [];
  const failed = ask(async (session) => {
    const path = await session.writeParquet("select 1 as one");
    const folders = (await readdir(temporary)).map((name) => join(temporary, name));
    seen.push(folders.length, folders.includes(dirname(path)));
    seen.push(folders.includes((await settingOf(session, "temp_directory")) as string));
    throw new Error("enough");
  });
  await expect(failed).rejects.toThrow("enough");
  expect(seen).toEqual([2, true, true]);
  expect(await readdir(temporary)).toEqual([]);
});

test("the settings are those of the session, and the only files are those of the days and of the result", async () => {
  const { ask, folder } = await prepared();
  const list = join(folder, "list.csv");
  await writeFile(list, "sku\n1\n");
  const names = {
    autoinstall_known_extensions: false,
    autoload_known_extensions: false,
    enable_external_access: false,
    enable_external_file_cache: false,
    lock_configuration: true,
    parquet_metadata_cache: true,
  };
  const options = { tables: [{ name: "list", path: list }], memory: 100 * 1024 ** 2 + 1 };
  await ask(async (session) => {
    for (const [name, value] of Object.entries(names)) {
      expect({ name, setting: await settingOf(session, name) }).toEqual({ name, setting: value });
    }
    expect(await settingOf(session, "memory_limit")).toBe("100.0 MiB");
    expect(await settingOf(session, "threads")).toBeLessThanOrEqual(4);
    const result = await session.writeParquet("select 1 as one");
    const days = DAYS.map((day) => join(folder, placeOfDay(day)));
    const index = priceIndexPath(folder);
    const paths = (await settingOf(session, "allowed_paths")) as string[];
    expect(paths.filter((path) => !path.startsWith(index)).sort()).toEqual([...days, result].sort());
  }, options);
});

test.each([0, 7, 8])("refuses day number %i if its file was cut, although no query reads it", async (number) => {
  const { ask, folder, temporary } = await prepared();
  const path = join(folder, `crawl_date=${DAYS[number]}`, "part-0.parquet");
  await truncate(path, 100);
  const asked = ask(async (session) => (await session.query("select 1")).columns);
  await expect(asked).rejects.toThrow(`${path} was changed or damaged since the last sync`);
  expect(await readdir(temporary)).toEqual([]);
});

/** A folder after a sync added a row to its first day, and the state before that. */
async function replacedMeanwhile() {
  const served = await servedFolder(ROWS);
  await served.alreadySynced(true);
  const { folder } = served;
  const state = await readSyncedFolder(folder);
  const replaceDay = async () => {
    await served.replace([product({ sku: "a", crawl_date: FIRST_DAY }), ...ROWS]);
    await served.sync();
  };
  const request = { folder, state, lastDay: FIRST_DAY, signal: new AbortController().signal };
  return { folder, request, replaceDay };
}

test("refuses a day of a newer state than that of the index", async () => {
  const { request, replaceDay } = await replacedMeanwhile();
  await replaceDay();
  await expect(withFolderSql(request, daysOf)).rejects.toThrow(SetChangedError);
});

test.each<[string, (session: SqlSession) => Promise<unknown>]>([
  ["all rows", (session) => daysOf(session)],
  ["some rows", async (session) => (await firstOf((await session.query("from latest")).rows)).length],
  ["a file", (session) => session.writeParquet("from latest")],
  ["an error", (session) => session.query("from nothing")],
])("refuses %s of a day that a sync replaces after it was compared", async (_, read) => {
  const { request, replaceDay } = await replacedMeanwhile();
  const asked = withFolderSql(request, async (session) => {
    await daysOf(session);
    await replaceDay();
    return await read(session);
  });
  await expect(asked).rejects.toThrow(SetChangedError);
});

async function firstOf<T>(chunks: AsyncIterable<T>): Promise<T> {
  for await (const chunk of chunks) {
    return chunk;
  }
  throw new Error("there is none");
}

test("ends with the reason of its signal", async () => {
  const { ask, temporary } = await prepared();
  const reason = new Error("that is enough");
  await expect(ask(daysOf, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const ended = new AbortController();
  const asked = ask(
    (session) => {
      ended.abort(reason);
      return daysOf(session);
    },
    { signal: ended.signal },
  );
  await expect(asked).rejects.toBe(reason);
  expect(await readdir(temporary)).toEqual([]);
});
