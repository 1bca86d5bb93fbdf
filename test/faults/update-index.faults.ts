import { createHash } from "node:crypto";
import { once } from "node:events";
import { copyFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { addDays } from "../../src/contract/values/day-arithmetic.ts";
import { placeOfDay } from "../../src/folder/day-files.ts";
import { priceIndexPath } from "../../src/folder/index/update-index.ts";
import { startCatalog } from "../helpers/cli.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { FIRST_DAY, servedFolder, syncedFolder } from "../helpers/synced-folder.ts";

/** A month of 200 products whose prices change. */
const ROWS = Array.from({ length: 30 }, (_, day) => addDays(FIRST_DAY, day)).flatMap((crawl_date, day) =>
  Array.from({ length: 200 }, (_, index) =>
    product({
      crawl_date,
      sku: `sku-${index}`,
      selling_price: 10 + index + ((day * 7 + index) % 13) / 10,
      retailer: index % 3 === 0 ? "bolt" : "acme",
    }),
  ),
);

const SEEDS = Array.from({ length: 12 }, (_, seed) => seed);

/** A number from 0 up to `below` that follows from the seed. */
function chosen(seed: number, what: string, below: number): number {
  return createHash("sha256").update(`${seed} ${what}`).digest().readUInt32LE(0) % below;
}

async function flipBit(path: string, seed: number): Promise<void> {
  const bytes = await readFile(path);
  const at = chosen(seed, "byte", bytes.length);
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << chosen(seed, "bit", 8)), at);
  await writeFile(path, bytes);
}

const answerOf = async (folder: string) => {
  const { code, stdout, stderr } = await runInProcess([
    "movers",
    folder,
    "--since",
    addDays(FIRST_DAY, 20),
    "-f",
    "csv",
  ]);
  return { code, stdout, stderr };
};

test("a flipped bit in the index is an error or a new index, never another figure", async () => {
  const folder = await syncedFolder(ROWS);
  const whole = await answerOf(folder);
  const path = priceIndexPath(folder);
  const copy = `${path}.whole`;
  await copyFile(path, copy);
  for (const seed of SEEDS) {
    await copyFile(copy, path);
    await flipBit(path, seed);
    const answer = await answerOf(folder);
    const expected = answer.code === 0 ? whole : { code: 1, stdout: "", stderr: expect.stringContaining(path) };
    expect({ seed, ...answer }).toEqual({ seed, ...expected });
    // After an error, the next command makes the index anew.
    expect(await answerOf(folder)).toEqual(whole);
  }
}, 120_000);

test("a flipped bit in a day's file is an error that names it", async () => {
  const folder = await syncedFolder(ROWS);
  for (const seed of SEEDS) {
    const file = join(folder, placeOfDay(addDays(FIRST_DAY, chosen(seed, "day", 30))));
    await copyFile(file, `${file}.whole`);
    await flipBit(file, seed);
    await rm(priceIndexPath(folder), { force: true });
    expect(await answerOf(folder)).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining(file) });
    await copyFile(`${file}.whole`, file);
    await rm(`${file}.whole`);
  }
  expect(await answerOf(folder)).toMatchObject({ code: 0 });
}, 120_000);

test("readers answer from one state while the index is replaced by commands that are killed", async () => {
  const served = await servedFolder(ROWS);
  await served.sync();
  const path = priceIndexPath(served.folder);
  const states = [await answerOf(served.folder)];
  const [old, changed] = [ROWS, ROWS.map((row) => ({ ...row, selling_price: row.selling_price + 1 }))];
  await served.replace(changed);
  await served.sync({ lookback: 100 });
  states.push(await answerOf(served.folder));
  for (const seed of SEEDS) {
    await served.replace(seed % 2 === 0 ? old : changed);
    await served.sync({ lookback: 100 });
    if (seed % 3 === 0) {
      await rm(path, { force: true });
    }
    const child = startCatalog(["latest", served.folder]);
    const closed = once(child, "close");
    await setTimeout(chosen(seed, "kill", 900));
    child.kill("SIGKILL");
    const readers = await Promise.all([answerOf(served.folder), answerOf(served.folder)]);
    await closed;
    expect({ seed, readers }).toEqual({ seed, readers: [states[seed % 2], states[seed % 2]] });
  }
}, 240_000);
