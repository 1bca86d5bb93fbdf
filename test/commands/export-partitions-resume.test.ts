import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
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

beforeAll(async () => {
  service = await startInterruptibleService({ rows: ROWS, onEnd });
  const folder = await temporaryFolder(onEnd);
  await runInProcess(argsOf(folder), { env: service.env });
  whole = await filesBelow(folder, ".csv");
  expect([Object.keys(whole).length, service.returned.length]).toEqual([4, PAGES]);
});

function argsOf(folder: string, ...flags: string[]): string[] {
  return ["export", "--partition-by", "crawl_date", "--page-size", "20", "-f", "csv", "-o", folder, ...flags];
}

/** A folder in which an export was killed after this number of pages. */
async function killedExport(pages: number): Promise<string> {
  const folder = join(await temporaryFolder(), "out");
  service.returned.length = 0;
  service.answerOnly(pages);
  const child = startCatalog(argsOf(folder), { env: service.env });
  const closed = once(child, "close");
  const lines = () => readFile(join(folder, ".catalog/export.json"), "utf8").catch(() => "");
  while (!service.isStalled() || (await lines()).split('{"kind":"page"').length <= pages) {
    await setTimeout(10);
  }
  child.kill("SIGKILL");
  await closed;
  service.answerOnly(Number.POSITIVE_INFINITY);
  return folder;
}

test("--resume goes on with the pages of a killed run and asks for none again", async () => {
  const folder = await killedExport(7);
  expect(await filesBelow(folder, ".csv")).toEqual({});
  const resumed = await runInProcess(argsOf(folder, "--resume"), { env: service.env });
  expect(resumed).toEqual({ code: 0, stdout: "", stderr: "" });
  expect([service.returned.length, new Set(service.returned).size]).toEqual([PAGES, PAGES]);
  expect(await filesBelow(folder, ".csv")).toEqual(whole);
  expect(await readdir(folder)).not.toContain(".catalog");
});

test("the pages of a killed run are not thrown away without being asked, and --fresh throws them away", async () => {
  const folder = await killedExport(7);
  for (const flags of [[], ["--resume", "--category", "category-1"]]) {
    const { code, stderr } = await runInProcess(argsOf(folder, ...flags), { env: service.env });
    expect([code, stderr.split("\n").slice(1, 3)]).toEqual([
      2,
      [
        `  to continue with them: catalog ${argsOf(folder, "--resume").join(" ")}`,
        `  to start over: catalog ${argsOf(folder, ...flags.filter((flag) => flag !== "--resume"), "--fresh").join(" ")}`,
      ],
    ]);
  }
  const fresh = await runInProcess(argsOf(folder, "--fresh"), { env: service.env });
  expect(fresh).toEqual({ code: 0, stdout: "", stderr: "" });
  expect([service.returned.length, await filesBelow(folder, ".csv")]).toEqual([7 + PAGES, whole]);
});
