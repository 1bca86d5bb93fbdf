import { once } from "node:events";
import { cp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { addDays } from "../../src/contract/values/day-arithmetic.ts";
import { startCatalog, temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { filesBelow, type InterruptibleService, startInterruptibleService } from "../helpers/interruption.ts";
import { product } from "../helpers/products.ts";
import { FIRST_DAY } from "../helpers/synced-folder.ts";

/** Ten combinations of 20 rows on four days: a slice of one page each, so that no page is requested again to be compared. */
const PAGES = 10;
const ROWS = Array.from({ length: PAGES * 20 }, (_, row) =>
  product({ category: `category-${row % PAGES}`, crawl_date: addDays(FIRST_DAY, row % 4), sku: `s${row}` }),
);

const onEnd = afterAllTests();
let service: InterruptibleService;
let whole: Record<string, string>;
let killed: string;

beforeAll(async () => {
  service = await startInterruptibleService({ rows: ROWS, onEnd });
  const folder = await temporaryFolder(onEnd);
  await runInProcess(argsOf(folder), { env: service.env });
  whole = await filesBelow(folder, ".csv");
  expect({ keyCount: Object.keys(whole).length, returnedCount: service.returned.length }).toEqual({
    keyCount: 4,
    returnedCount: PAGES,
  });
  service.returned.length = 0;
  killed = await kill();
});

function argsOf(folder: string, ...flags: string[]): string[] {
  return ["export", "--partition-by", "crawl_date", "--page-size", "20", "-f", "csv", "-o", folder, ...flags];
}

/** Pages that an export had read when it was killed. */
const KILLED_AFTER = 8;

/** The folder of that export. */
async function kill(): Promise<string> {
  const folder = join(await temporaryFolder(onEnd), "out");
  service.answerOnly(KILLED_AFTER);
  const child = startCatalog(argsOf(folder), { env: service.env });
  const closed = once(child, "close");
  const lines = () => readFile(join(folder, ".catalog/export.json"), "utf8").catch(() => "");
  while (!service.isStalled() || (await lines()).split('{"kind":"page"').length <= KILLED_AFTER) {
    await setTimeout(10);
  }
  child.kill("SIGKILL");
  await closed;
  service.answerOnly(Number.POSITIVE_INFINITY);
  return folder;
}

/** A copy of that folder. The pages before it do not count as returned. */
async function killedExport(): Promise<string> {
  const folder = join(await temporaryFolder(), "out");
  await cp(killed, folder, { recursive: true });
  service.returned.length = 0;
  return folder;
}

test("--resume goes on with the pages of a killed run and asks for none again", async () => {
  const folder = await killedExport();
  expect(await filesBelow(folder, ".csv")).toEqual({});
  const resumed = await runInProcess(argsOf(folder, "--resume"), { env: service.env });
  expect(resumed).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(service.returned).toHaveLength(PAGES - KILLED_AFTER);
  expect(await filesBelow(folder, ".csv")).toEqual(whole);
  expect(await readdir(folder)).not.toContain(".catalog");
});

test("the pages of a killed run are not thrown away without being asked, and --fresh throws them away", async () => {
  const folder = await killedExport();
  for (const flags of [[], ["--resume", "--category", "category-1"]]) {
    const { code, stderr } = await runInProcess(argsOf(folder, ...flags), { env: service.env });
    expect({ code, stderr: stderr.split("\n").slice(1, 3) }).toEqual({
      code: 2,
      stderr: [
        `  to continue with them: catalog ${argsOf(folder, "--resume").join(" ")}`,
        `  to start over: catalog ${argsOf(folder, ...flags.filter((flag) => flag !== "--resume"), "--fresh").join(" ")}`,
      ],
    });
  }
  const fresh = await runInProcess(argsOf(folder, "--fresh"), { env: service.env });
  expect(fresh).toEqual({ code: 0, stdout: "", stderr: "" });
  expect({ returnedCount: service.returned.length, filesBelow: await filesBelow(folder, ".csv") }).toEqual({
    returnedCount: PAGES,
    filesBelow: whole,
  });
});

test("a --max-rows that would throw away most of the pages is refused", async () => {
  const folder = await killedExport();
  const small = argsOf(folder, "--resume", "--max-rows", "1", "--concurrency", "1");
  expect(await runInProcess(small, { env: service.env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`would throw away ${KILLED_AFTER} pages`),
  });
  expect(service.returned).toEqual([]);
});
