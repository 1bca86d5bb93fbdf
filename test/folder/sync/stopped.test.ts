import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { addDays } from "../../../src/contract/values/day-arithmetic.ts";
import { startCatalog, temporaryFolder } from "../../helpers/cli.ts";
import { afterAllTests } from "../../helpers/endings.ts";
import { runInProcess } from "../../helpers/in-process.ts";
import { filesBelow, type InterruptibleService, startInterruptibleService } from "../../helpers/interruption.ts";
import { product } from "../../helpers/products.ts";
import { FIRST_DAY } from "../../helpers/synced-folder.ts";

/** Eight days of 500 rows: a slice of one page each, so that no page is requested again to be compared. */
const DAYS = 8;
const ROWS = Array.from({ length: DAYS * 500 }, (_, row) =>
  product({ crawl_date: addDays(FIRST_DAY, row % DAYS), sku: `s${row}` }),
);

const onEnd = afterAllTests();
let service: InterruptibleService;
let whole: Record<string, string>;

beforeAll(async () => {
  service = await startInterruptibleService({ rows: ROWS, onEnd });
  const folder = await temporaryFolder(onEnd);
  await runInProcess(["sync", folder], { env: service.env });
  whole = await filesBelow(folder, ".parquet");
  expect(service.returned.length).toBe(DAYS);
});

/** A first sync that is killed when it has this number of pages, and its next request waits. */
async function killedSync({ pages, lanes = 1 }: { pages: number; lanes?: number }, ...flags: string[]) {
  const folder = join(await temporaryFolder(), "copy");
  service.returned.length = 0;
  service.answerOnly(pages);
  const args = ["sync", folder, "--concurrency", String(lanes), ...flags];
  const child = startCatalog(args, { env: service.env });
  const closed = once(child, "close");
  while (!service.isStalled() || (await storedPages(folder)) < pages) {
    await setTimeout(10);
  }
  child.kill("SIGKILL");
  expect((await closed)[1]).toBe("SIGKILL");
  service.answerOnly(Number.POSITIVE_INFINITY);
  return folder;
}

async function storedPages(folder: string): Promise<number> {
  const lines = await readFile(join(folder, ".catalog/sync.json"), "utf8").catch(() => "");
  return lines.split('{"kind":"page"').length - 1;
}

describe("a first sync that was killed", () => {
  test.each([
    [7, 1],
    [6, 6],
  ])(
    "after %i pages, %i at once, has placed no day, goes on with its pages and asks for none again",
    async (pages, lanes) => {
      const folder = await killedSync({ pages, lanes });
      expect(await readdir(join(folder, ".catalog"))).toEqual(expect.arrayContaining(["sync.json", "sync.pages"]));
      expect(await filesBelow(folder, ".parquet")).toEqual({});
      expect(await runInProcess(["sync", folder], { env: service.env })).toMatchObject({ code: 0, stderr: "" });
      expect({ returnedCount: service.returned.length, distinct: new Set(service.returned).size }).toEqual({
        returnedCount: DAYS,
        distinct: DAYS,
      });
      expect(await filesBelow(folder, ".parquet")).toEqual(whole);
      expect(await readdir(join(folder, ".catalog"))).toEqual(["log.ndjson", "state.json"]);
    },
  );

  test("keeps its filters: a run without filters goes on with them, and others are refused", async () => {
    const folder = await killedSync({ pages: 6, lanes: 6 }, "--retailer", "acme");
    const other = await runInProcess(["sync", folder, "--retailer", "bolt"], { env: service.env });
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining("is kept with --retailer acme") });
    expect(await runInProcess(["sync", folder], { env: service.env })).toMatchObject({ code: 0, stderr: "" });
    expect({ returnedCount: service.returned.length, filesBelow: await filesBelow(folder, ".parquet") }).toEqual({
      returnedCount: DAYS,
      filesBelow: whole,
    });
  });

  test("reads its newest days again after a day, and damaged pages", async () => {
    const folder = await killedSync({ pages: 7 });
    const path = join(folder, ".catalog/sync.pages");
    const bytes = await readFile(path);
    bytes.fill(0, 10, 20);
    await writeFile(path, bytes);
    const tomorrow = Date.now() + 25 * 60 * 60 * 1_000;
    expect(await runInProcess(["sync", folder], { env: service.env, now: () => tomorrow })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("1 page on disk cannot be used"),
    });
    // All pages, the damaged one again, and the two newest days.
    expect({ returnedCount: service.returned.length, filesBelow: await filesBelow(folder, ".parquet") }).toEqual({
      returnedCount: DAYS + 1 + 2,
      filesBelow: whole,
    });
  });
});
