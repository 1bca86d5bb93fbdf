import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../helpers/cli.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { interruptible, startInterruptibleService } from "../helpers/interruption.ts";
import { product } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";
import { FAULTS, startFaultProxy } from "./fault-proxy.ts";

const FORMATS = ["rows.ndjson", "rows.csv", "rows.tsv", "rows.json", "rows.ndjson.gz", "rows.parquet"];
const CONCURRENCIES = [1, 4, 8, 32];

/** Enough pages for two kills in the middle. */
const SMALL_PAGES = ["--page-size", "40"];

/** 1,500 rows in combinations of very different size, the largest of which is cut by date. */
const ROWS = Array.from({ length: 1_500 }, (_, index) =>
  product({
    sku: `sku-${(index * 7_919) % 1_500}`,
    category: index % 3 === 0 ? `category-${index % 17}` : "lamps",
    crawl_date: `2026-01-${String(1 + (index % 28)).padStart(2, "0")}`,
    title: index % 10 === 0 ? `"quoted", ${index}\n` : `title ${index}`,
  }),
);

async function exporting(path: string, url: string, env: Record<string, string>, ...flags: string[]) {
  const args = ["export", "--page-size", "60", "--base-url", url, "-o", path, ...flags];
  const { code, stderr } = await runInProcess(args, { env });
  return { code, stderr, digest: code === 0 ? await digestOf(path) : undefined };
}

async function digestOf(path: string): Promise<string> {
  return createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
}

describe("an export", () => {
  test.each([
    ["any concurrency", CONCURRENCIES.map((concurrency) => ({ name: "rows.ndjson", concurrency }))],
    ["any format", FORMATS.map((name) => ({ name, concurrency: 8 }))],
  ])("has the same bytes with %s if every kind of fault happens", async (_, runs) => {
    const { url, key } = await startTestService({ rows: ROWS, rateLimit: 1_000_000 });
    const env = { CATALOG_API_KEY: key };
    const met = new Set<string>();
    const disturbed = async ({ name, concurrency }: { name: string; concurrency: number }, seed: number) => {
      const proxy = await startFaultProxy(url, { seed, share: 0.2 });
      const flags = ["--concurrency", String(concurrency), "--timeout", "3s", "--retries", "10"];
      const result = await exporting(join(await temporaryFolder(), name), proxy.url, env, ...flags);
      for (const fault of Object.keys(proxy.met)) {
        met.add(fault);
      }
      return result;
    };
    const results = await Promise.all(runs.map(disturbed));
    const undisturbed = new Map<string, { code: number; stderr: string; digest: string | undefined }>();
    for (const { name } of runs) {
      undisturbed.set(name, undisturbed.get(name) ?? (await exporting(join(await temporaryFolder(), name), url, env)));
    }
    expect(results).toEqual(runs.map(({ name }) => ({ ...undisturbed.get(name), code: 0, stderr: "" })));
    expect([...met].sort()).toEqual([...FAULTS].sort());
  });

  test.each(["rows.ndjson", "rows.json", "rows.csv.gz", "rows.parquet"])(
    "to %s is the undisturbed one after it was killed twice, and no page is asked for twice",
    async (name) => {
      const service = await startInterruptibleService({ rows: ROWS });
      const whole = await interruptible(name, SMALL_PAGES, service);
      expect((await whole.run()).code).toBe(0);
      const pages = whole.pages();
      const rows = await interruptible(name, [...SMALL_PAGES, "--manifest"], service);
      const first = await rows.interrupt("SIGKILL", 3, "--resume", "--concurrency", "1");
      const second = await rows.interrupt("SIGKILL", 18, "--resume", "--concurrency", "16");
      const { code, stderr } = await rows.run("--resume", "--concurrency", "4");
      expect([first.signal, second.signal, code, stderr]).toEqual(["SIGKILL", "SIGKILL", 0, ""]);
      expect(rows.pages()).toBe(pages);
      expect(await digestOf(join(rows.cwd, name))).toBe(await digestOf(join(whole.cwd, name)));
      expect(await readdir(rows.cwd)).toEqual([name, `${name}.manifest.json`]);
      expect(JSON.parse(await readFile(join(rows.cwd, `${name}.manifest.json`), "utf8"))).toMatchObject({
        rows: 1_500,
        resumed: true,
      });
    },
  );
});
