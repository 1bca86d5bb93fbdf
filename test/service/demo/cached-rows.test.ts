import { readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openCachedRows } from "../../../src/service/demo/cached-rows.ts";
import { demoRows } from "../../../src/service/demo/demo-rows.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { NO_DEADLINE, textsOf } from "../store/stores.ts";

const TODAY = "2026-03-10";

/** 2,000 rows of the demo. */
function* someRows(today: string): Generator<string> {
  let count = 0;
  for (const row of demoRows(today)) {
    yield row;
    count += 1;
    if (count === 2_000) {
      return;
    }
  }
}

const ROWS = new Set(someRows(TODAY));

/** The number of rows that a command reads, and some of the rows. */
async function read(folder: string): Promise<[total: number, texts: string[]]> {
  const store = await openCachedRows(TODAY, folder, someRows);
  onTestFinished(() => store.close());
  const selection = await (await store.snapshot(NO_DEADLINE)).select({}, null);
  const { bytes } = await store.page(selection, { offset: 1_000 }, 500, NO_DEADLINE);
  return [selection.summary.matching_rows, textsOf(bytes)];
}

const FILE = expect.stringMatching(/^2026-03-10-[\da-f]+-[\da-f]+\.db$/);

test("the rows of a day are generated once, and again if their file is damaged", async () => {
  const folder = await temporaryFolder();
  const [total, texts] = await read(folder);
  const files = await readdir(folder);
  const path = join(folder, files[0] ?? "");
  const { ino } = await stat(path);
  const again = await read(folder);
  expect({ total, textCount: texts.length, again, ino: (await stat(path)).ino }).toEqual({
    total: ROWS.size,
    textCount: 500,
    again: [total, texts],
    ino,
  });
  expect({ before: files, after: await readdir(folder) }).toEqual({ before: [FILE], after: files });
  expect(texts.filter((text) => !ROWS.has(text))).toEqual([]);

  const bytes = await readFile(path);
  const middle = bytes.length >> 1;
  bytes[middle] = ~(bytes[middle] ?? 0);
  await writeFile(path, bytes);
  // Two commands find the damage and generate the rows at the same time.
  const [one, other] = await Promise.all([read(folder), read(folder)]);

  expect({ one, other }).toEqual({ one: again, other: again });
  const mended = await readdir(folder);
  expect(mended.filter((name) => !name.endsWith(".db"))).toEqual([]);
  expect(mended).not.toContain(files[0]);
});

test("files that are older than two days are removed, also unfinished ones", async () => {
  const folder = await temporaryFolder();
  for (const name of ["2026-03-07-0-0.db", "2026-03-07-0-1.new", "2026-03-09-0-0.db", "other"]) {
    const path = join(folder, name);
    await writeFile(path, "");
    await utimes(path, 0, name.startsWith("2026-03-09") ? Date.now() / 1_000 : 0);
  }
  await read(folder);
  expect(await readdir(folder)).toEqual(["2026-03-09-0-0.db", FILE, "other"]);
});

test("the rows stay in memory when the cache folder cannot be written", async () => {
  const path = join(await temporaryFolder(), "file");
  await writeFile(path, "");

  const [total] = await read(join(path, "demo"));

  expect(total).toBe(ROWS.size);
});
