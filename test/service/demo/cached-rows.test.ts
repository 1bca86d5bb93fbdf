import { open, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDemoRows } from "../../../src/service/demo/cached-rows.ts";
import { demoRows } from "../../../src/service/demo/demo-rows.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { NO_DEADLINE, textsOf } from "../store/stores.ts";

const TODAY = "2026-03-10";
const ROWS = [...demoRows(TODAY)];

/** What a command reads: how many rows, and some of them. */
async function read(folder: string): Promise<[total: number, texts: string[]]> {
  const store = await openDemoRows(TODAY, folder);
  onTestFinished(() => store.close());
  const selection = (await store.snapshot(NO_DEADLINE)).select({}, null);
  return [selection.total, await textsOf(store, selection.ids(10_000, 500))];
}

test("the rows of a day are generated once, and again if their file is damaged", { timeout: 60_000 }, async () => {
  const folder = join(await temporaryFolder(), "demo");
  const [[total, texts], again] = [await read(folder), await read(folder)];
  const files = await readdir(folder);
  expect([total, texts.length, again]).toEqual([ROWS.length, 500, [total, texts]]);
  expect(new Set(ROWS)).toEqual(new Set([...ROWS, ...texts]));
  expect(files).toEqual([expect.stringMatching(/^2026-03-10-[\da-f]{8}-[\da-f]{8}\.db$/)]);

  const file = await open(join(folder, files[0] ?? ""), "r+");
  await file.write(Buffer.of(0xff), 0, 1, 5_000_000);
  await file.close();
  const mended = await read(folder);

  expect(mended).toEqual([total, texts]);
  expect(await readdir(folder)).toEqual([expect.not.stringMatching(files[0] ?? "")]);
});

test("several commands can generate the rows of a day at the same time", { timeout: 60_000 }, async () => {
  const folder = join(await temporaryFolder(), "demo");

  const [one, other] = await Promise.all([read(folder), read(folder)]);

  expect(one).toEqual(other);
  expect((await readdir(folder)).filter((name) => !name.endsWith(".db"))).toEqual([]);
});

test("the rows stay in memory when the cache folder cannot be written", { timeout: 60_000 }, async () => {
  const path = join(await temporaryFolder(), "file");
  await writeFile(path, "");

  const [total] = await read(join(path, "demo"));

  expect(total).toBe(ROWS.length);
});
