import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { afterAllTests } from "../helpers/endings.ts";
import { type InterruptibleService, interruptible, startInterruptibleService } from "../helpers/interruption.ts";
import { product } from "../helpers/products.ts";

const FORMATS = ["rows.ndjson", "rows.csv", "rows.tsv", "rows.json", "rows.csv.gz", "rows.parquet", "rows.xlsx"];

const COUNT = 300;

/** About 20 pages: enough for two crashes in the middle. */
const PAGES = ["--page-size", "20"];

/** Rows of a large combination, which is cut by date, and of two small ones, which have one day and several pages. */
const ROWS = Array.from({ length: COUNT }, (_, index) => {
  const isLarge = index % 3 > 0;
  return product({
    sku: `sku-${(index * 7_919) % COUNT}`,
    category: isLarge ? "lamps" : `category-${index % 2}`,
    crawl_date: `2026-01-${String(isLarge ? 1 + (index % 28) : 15).padStart(2, "0")}`,
    title: index % 10 === 0 ? `"quoted", ${index}\n` : `title ${index}`,
  });
});

const onEnd = afterAllTests();
let service: InterruptibleService;
/** The export that nothing interrupts, by name of its file. */
const undisturbed = new Map<string, { digest: string; pages: number; repeats: number }>();

beforeAll(async () => {
  service = await startInterruptibleService({ rows: ROWS, onEnd });
  for (const name of FORMATS) {
    const whole = await interruptible(name, PAGES, service, onEnd);
    expect(await whole.run()).toEqual({ code: 0, stdout: "", stderr: "" });
    undisturbed.set(name, {
      digest: await digestOf(join(whole.cwd, name)),
      pages: whole.pages(),
      repeats: whole.repeats(),
    });
  }
});

async function digestOf(path: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
}

describe("an export", () => {
  test.each(FORMATS)(
    "to %s has the bytes of an undisturbed one after SIGKILL twice, and no page is requested twice",
    async (name) => {
      const whole = undisturbed.get(name);
      const rows = await interruptible(name, [...PAGES, "--manifest"], service);
      await rows.interrupt("SIGKILL", 3, "--resume", "--concurrency", "1");
      await rows.interrupt("SIGKILL", 10, "--resume", "--concurrency", "16");
      expect(await rows.run("--resume", "--concurrency", "4")).toMatchObject({ code: 0, stderr: "" });
      const digest = await digestOf(join(rows.cwd, name));
      expect({ digest, pages: rows.pages() }).toEqual({ digest: whole?.digest, pages: whole?.pages });
      expect(rows.repeats()).toBeLessThanOrEqual(whole?.repeats ?? 0);
      expect(await readdir(rows.cwd)).toEqual([name, `${name}.manifest.json`]);
      expect(JSON.parse(await readFile(join(rows.cwd, `${name}.manifest.json`), "utf8"))).toMatchObject({
        rows: COUNT,
        resumed: true,
      });
    },
  );

  test.each([
    ["csv", "rows.csv"],
    ["json", "rows.json"],
    ["parquet", "rows.parquet"],
    ["xlsx", "rows.xlsx"],
  ])("goes on as %s after a crash as ndjson, and no page is requested twice", async (format, name) => {
    const whole = undisturbed.get(name);
    const rows = await interruptible("rows", PAGES, service);
    await rows.crash(9, "--concurrency", "4");
    expect(await rows.run("--resume", "--format", format)).toMatchObject({ code: 0, stderr: "" });
    expect({ digest: await digestOf(join(rows.cwd, "rows")), pages: rows.pages() }).toEqual({
      digest: whole?.digest,
      pages: whole?.pages,
    });
  });
});
