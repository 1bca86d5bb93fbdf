import { spawn } from "node:child_process";
import { mkdir, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parquetReadObjects } from "hyparquet";
import { describe, expect, test } from "vitest";
import type { Product } from "../../src/contract/product.ts";
import { ownerOf } from "../../src/files/lock-owner.ts";
import { addDays } from "../../src/mirror/calendar.ts";
import type { EmbeddedStore } from "../../src/service/store/embedded.ts";
import { createRowWriter } from "../../src/service/store/rows.ts";
import type { Store } from "../../src/service/store/store.ts";
import { bareEnvironment, CATALOG, runCatalog, startCatalog, temporaryFolder } from "../helpers/cli.ts";
import { product } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

const FIRST = "2026-01-01";
const LAST = addDays(FIRST, 63);

test("a first run copies the whole set, one file a day, and says so", async () => {
  const rows = await served(sixtyFourDays());
  const { code, stdout, stderr } = await rows.sync();
  expect([code, JSON.parse(stdout), stderr]).toEqual([
    0,
    { days_checked: 64, days_pulled: 64, rows_added: 192, rows_replaced: 0, rows_removed: 0, requests: 4 },
    "",
  ]);
  expect((await readdir(rows.folder)).filter((name) => name !== ".catalog")).toHaveLength(64);
  expect(await rows.copy()).toEqual(sorted(rows.all()));
});

test("a run with nothing new takes a handful of requests and leaves every file alone", async () => {
  const rows = await served(sixtyFourDays());
  await rows.sync();
  const before = await rows.times();
  expect(await rows.result()).toEqual({
    days_checked: 64,
    days_pulled: 2,
    rows_added: 0,
    rows_replaced: 0,
    rows_removed: 0,
    requests: 4,
  });
  expect(await rows.times()).toEqual(before);
  expect(await rows.result("--lookback", "0")).toMatchObject({ days_pulled: 0, requests: 1 });
});

test("a new day, a late back-fill, a shrunk day and a removed retailer are found without looking back", async () => {
  const rows = await served(sixtyFourDays());
  await rows.sync();

  await rows.replace([...rows.all(), product({ crawl_date: addDays(LAST, 1), sku: "new" })]);
  expect(await rows.result("--lookback", "0")).toMatchObject({ days_checked: 65, days_pulled: 1, rows_added: 1 });
  expect(await rows.copy()).toEqual(sorted(rows.all()));

  await rows.replace([...rows.all(), product({ crawl_date: addDays(FIRST, 9), sku: "late" })]);
  expect(await rows.result("--lookback", "0")).toMatchObject({ days_pulled: 1, rows_added: 1, rows_replaced: 3 });
  expect(await rows.copy()).toEqual(sorted(rows.all()));

  await rows.replace(rows.all().filter(({ crawl_date, sku }) => !(crawl_date === addDays(FIRST, 40) && sku === "s0")));
  expect(await rows.result("--lookback", "0")).toMatchObject({ days_pulled: 1, rows_removed: 1, rows_replaced: 2 });
  expect(await rows.copy()).toEqual(sorted(rows.all()));

  await rows.replace(rows.all().filter(({ retailer }) => !(retailer === "bolt")));
  expect(await rows.result("--lookback", "0")).toMatchObject({ days_pulled: 64, rows_added: 0, rows_removed: 64 });
  expect(await rows.copy()).toEqual(sorted(rows.all()));
});

test("a day that the service no longer has loses its folder", async () => {
  const rows = await served(sixtyFourDays());
  await rows.sync();
  await rows.replace(rows.all().filter(({ crawl_date }) => !(crawl_date === addDays(FIRST, 20))));
  expect(await rows.result("--lookback", "0")).toMatchObject({ rows_removed: 3, rows_added: 0, rows_replaced: 0 });
  expect(await readdir(rows.folder)).not.toContain(`crawl_date=${addDays(FIRST, 20)}`);
  expect(await rows.copy()).toEqual(sorted(rows.all()));
});

test("a row that changed without a change of counts is found by looking back", async () => {
  const rows = await served(sixtyFourDays());
  await rows.sync();
  await rows.replace(rows.all().filter(({ crawl_date, sku }) => !(crawl_date === addDays(LAST, -1) && sku === "s0")));
  await rows.replace([...rows.all(), product({ crawl_date: addDays(LAST, -1), sku: "other" })]);
  expect(await rows.result()).toMatchObject({ days_pulled: 2, rows_replaced: 3 });
  expect(await rows.copy()).toEqual(sorted(rows.all()));
});

test("what is missing or damaged in the folder is mended", async () => {
  const rows = await served(sixtyFourDays());
  await rows.sync();
  await rm(rows.file(FIRST));
  await truncate(rows.file(addDays(FIRST, 5)), 100);
  await mkdir(join(rows.folder, "crawl_date=2026-07-07"));
  await writeFile(rows.file("2026-07-07"), "a stranger");
  expect(await rows.result("--lookback", "0")).toMatchObject({ days_pulled: 3 });
  expect(await rows.copy()).toEqual(sorted(rows.all()));
});

test("--verify finds damage that leaves the size as it was, and rows that moved from day to day", async () => {
  const rows = await served(sixtyFourDays());
  await rows.sync();
  const path = rows.file(addDays(FIRST, 30));
  const bytes = await readFile(path);
  bytes.fill(0, 10, 20);
  await writeFile(path, bytes);
  await rows.replace(rows.all().filter(({ crawl_date, sku }) => !(crawl_date === addDays(FIRST, 8) && sku === "s0")));
  await rows.replace([...rows.all(), product({ crawl_date: addDays(FIRST, 12), sku: "moved" })]);
  expect(await rows.result("--lookback", "0")).toMatchObject({ days_pulled: 0 });
  expect(await rows.result("--lookback", "0", "--verify")).toMatchObject({ days_pulled: 3 });
  expect(await rows.copy()).toEqual(sorted(rows.all()));
});

test("a folder that another process writes is refused, one whose writer has died is not", async () => {
  const rows = await served(sixtyFourDays());
  await rows.sync();
  const other = startCatalog(["service", "start", "--port", "0", "--database", join(rows.folder, "..", "db")]);
  const ended = new Promise((resolve) => other.once("exit", resolve));
  await writeFile(join(rows.folder, ".catalog/lock"), JSON.stringify(await ownerOf(other.pid ?? 0)));
  const { code, stderr } = await rows.sync();
  expect([code, stderr]).toEqual([5, expect.stringContaining(`is being written by process ${other.pid}`)]);
  other.kill("SIGKILL");
  await ended;
  expect((await rows.sync()).code).toBe(0);
});

test("a folder is a copy of one set: other filters are refused", async () => {
  const rows = await served(sixtyFourDays());
  await rows.sync();
  const { code, stderr } = await rows.sync("--retailer", "acme");
  expect([code, stderr]).toEqual([2, expect.stringContaining('is a copy of another set: filters {}, now {"retailer"')]);
});

test("killed at any instant, every day is whole, and the next run makes the copy complete", async () => {
  const rows = await served(sixtyFourDays());
  await rows.sync();
  for (let round = 0; round < 6; round += 1) {
    const more = Array.from({ length: 64 }, (_, day) =>
      product({ crawl_date: addDays(FIRST, day), sku: `round-${round}` }),
    );
    await rows.replace([...rows.all(), ...more]);
    const child = rows.start();
    const ended = new Promise((resolve) => child.once("exit", resolve));
    await rows.requests(round % 4);
    const timer = setTimeout(() => child.kill("SIGKILL"), round * 12);
    await ended;
    clearTimeout(timer);
    const counts = new Map<string, number>();
    for (const { crawl_date } of await rows.copy()) {
      counts.set(crawl_date, (counts.get(crawl_date) ?? 0) + 1);
    }
    expect([...counts.values()].every((count) => count === 3 + round || count === 4 + round)).toBe(true);
    expect(await rows.sync()).toMatchObject({ code: 0, stderr: "" });
    expect(await rows.copy()).toEqual(sorted(rows.all()));
  }
});

describe("a state that is no longer to be understood is refused with the way out:", () => {
  test.each([
    ["cut short", (text: string) => text.slice(0, 100), "is damaged"],
    ["empty", () => "", "is damaged"],
    ["null", () => "null", "is damaged"],
    ["without days", (text: string) => changed(text, { days: null }), "is damaged"],
    ["without what is pending", (text: string) => changed(text, { pending: undefined }), "is damaged"],
    ["with a day that is none", (text: string) => changed(text, { pending: ["soon"] }), "is damaged"],
    ["with a day that says nothing", (text: string) => changed(text, { days: { [FIRST]: null } }), "is damaged"],
    ["with a day without counts", (text: string) => changed(text, { days: { [FIRST]: { rows: 1 } } }), "is damaged"],
    [
      "of another version",
      (text: string) => changed(text, { version: 2 }),
      "was written by another version of catalog",
    ],
  ])("%s", async (_, damage, fault) => {
    const rows = await served([product({ crawl_date: FIRST })]);
    await rows.sync();
    const state = join(rows.folder, ".catalog/state.json");
    await writeFile(state, damage(await readFile(state, "utf8")));
    const refusal = { code: 1, stdout: "", stderr: `error: ${state} ${fault}; delete it to start anew\n` };
    expect(await rows.sync()).toMatchObject(refusal);
    const days = ["--from", FIRST, "--to", LAST];
    expect(await runCatalog(["diff", "--against", rows.folder, ...days])).toMatchObject(refusal);
    await rm(state);
    expect((await rows.sync()).code).toBe(0);
    expect(await rows.copy()).toEqual(sorted(rows.all()));
  });
});

test("where nothing can be written, nothing is left behind", async () => {
  const rows = await served(sixtyFourDays());
  const limited = spawn(
    "sh",
    ["-c", 'trap "" XFSZ; ulimit -f 0; exec "$@"', "sh", process.execPath, CATALOG, "sync", rows.folder],
    {
      env: { ...bareEnvironment(), ...rows.env },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  expect(await text(limited.stderr)).toBe(`error: ${rows.folder}: the file grew larger than the system allows\n`);
  expect(await readdir(join(rows.folder, ".catalog"))).toEqual([]);
});

test("what stands where the tool's own folder should be is named", async () => {
  const rows = await served([product({ crawl_date: FIRST })]);
  await mkdir(rows.folder);
  await writeFile(join(rows.folder, ".catalog"), "");
  const { code, stderr } = await rows.sync();
  expect([code, stderr]).toEqual([1, `error: ${rows.folder}/.catalog: something else has that name\n`]);
});

function changed(state: string, members: object): string {
  return JSON.stringify({ ...JSON.parse(state), ...members });
}

/** Three rows a day of two retailers, 64 days. */
function sixtyFourDays(): Product[] {
  return Array.from({ length: 64 }, (_, day) => addDays(FIRST, day)).flatMap((crawl_date) => [
    product({ crawl_date, sku: "s0" }),
    product({ crawl_date, sku: "s1", mrp: 19.9 }),
    product({ crawl_date, sku: "s2", retailer: "bolt" }),
  ]);
}

/** A service whose rows a test can change between runs, and a folder that is synced with it. */
async function served(initial: readonly Product[]) {
  let rows = [...initial];
  let heard = 0;
  let listener = () => {};
  const faults = (store: EmbeddedStore): Partial<Store> => ({
    snapshot: async (deadline) => {
      heard += 1;
      listener();
      return store.snapshot(deadline);
    },
  });
  const { url, key, store } = await startTestService({ rows, rateLimit: 1_000_000, faults });
  const folder = join(await temporaryFolder(), "copy");
  const env = { CATALOG_BASE_URL: url, CATALOG_API_KEY: key };
  const sync = (...flags: string[]) => runCatalog(["sync", folder, "--format", "json", ...flags], { env });
  const file = (day: string) => join(folder, `crawl_date=${day}`, "part-0.parquet");
  const days = async () => (await readdir(folder)).flatMap((name) => /^crawl_date=(.*)/.exec(name)?.[1] ?? []).sort();
  return {
    folder,
    env,
    file,
    sync,
    all: () => rows,
    replace: (next: Product[]) => {
      rows = next;
      return replaceRows(store, rows);
    },
    start: () => startCatalog(["sync", folder], { env }),
    result: async (...flags: string[]) => JSON.parse((await sync(...flags)).stdout),
    /** Resolves when the service has been asked for its data so many times from now. */
    requests: (count: number) =>
      new Promise<void>((resolve) => {
        const wanted = heard + count;
        listener = () => heard >= wanted && resolve();
        listener();
      }),
    /** When each day's file was last written, and which file it is. */
    times: async () =>
      Promise.all(
        (await days()).map(async (day) => [day, (await stat(file(day))).mtimeMs, (await stat(file(day))).ino]),
      ),
    /** What a reader of the folder finds. */
    copy: async () => {
      const files = await Promise.all((await days()).map((day) => readFile(file(day))));
      const read = await Promise.all(files.map((bytes) => parquetReadObjects({ file: new Uint8Array(bytes).buffer })));
      return sorted(
        read.flat().map((row) => ({ ...row, crawl_date: row.crawl_date.toISOString().slice(0, 10) }) as Product),
      );
    },
  };
}

async function replaceRows(store: EmbeddedStore, rows: readonly Product[]): Promise<void> {
  await store.write(async (session) => {
    await session.script("DELETE FROM product");
    const writer = await createRowWriter(session);
    await writer.add(rows.map((row) => ({ product: row, body: JSON.stringify(row) })));
    await writer.finish();
  });
}

function sorted(rows: readonly Product[]): Product[] {
  return [...rows].sort((a, b) => (a.product_id < b.product_id ? -1 : 1));
}
