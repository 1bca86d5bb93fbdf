import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCatalog, temporaryFolder } from "../helpers/cli.ts";
import { interruptible } from "../helpers/interruption.ts";
import { product } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";
import { FAULTS, startFaultProxy } from "./fault-proxy.ts";

const FORMATS = ["rows.ndjson", "rows.csv", "rows.tsv", "rows.json", "rows.ndjson.gz", "rows.parquet"];
const CONCURRENCIES = [1, 4, 8, 32];

/** 1,500 rows in combinations of very different size, the largest of which is cut by date. */
const ROWS = Array.from({ length: 1_500 }, (_, index) =>
  product({
    sku: `sku-${(index * 7_919) % 1_500}`,
    category: index % 3 === 0 ? `category-${index % 17}` : "lamps",
    crawl_date: `2026-01-${String(1 + (index % 28)).padStart(2, "0")}`,
    title: index % 10 === 0 ? `"quoted", ${index}\n` : `title ${index}`,
  }),
);

async function service() {
  const { url, key } = await startTestService({ rows: ROWS, rateLimit: 1_000_000 });
  return { url, env: { CATALOG_API_KEY: key } };
}

const PULL = ["export", "--page-size", "50"];

/** Digest of what an export gives that nothing disturbs. */
async function undisturbed(name: string, url: string, env: Record<string, string>): Promise<string> {
  const cwd = await temporaryFolder();
  const { code, stderr } = await runCatalog([...PULL, "--base-url", url, "-o", name], { cwd, env });
  expect([code, stderr]).toEqual([0, ""]);
  return digestOf(join(cwd, name));
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
  ])("has the same bytes with %s, whatever faults it meets", async (_, runs) => {
    const { url, env } = await service();
    const met = new Set<string>();
    const disturbed = async ({ name, concurrency }: { name: string; concurrency: number }, seed: number) => {
      const cwd = await temporaryFolder();
      const proxy = await startFaultProxy(url, { seed, share: 0.2 });
      const flags = ["--base-url", proxy.url, "--concurrency", String(concurrency), "--timeout", "1s", "-o", name];
      const { code, stderr } = await runCatalog([...PULL, ...flags], { cwd, env });
      for (const fault of Object.keys(proxy.met)) {
        met.add(fault);
      }
      return { code, stderr, digest: await digestOf(join(cwd, name)) };
    };
    const results = await Promise.all(runs.map(disturbed));
    const expected = await Promise.all(runs.map(({ name }) => undisturbed(name, url, env)));
    expect(results).toEqual(expected.map((digest) => ({ code: 0, stderr: "", digest })));
    expect([...met].sort()).toEqual([...FAULTS].sort());
  });

  test.each(["rows.ndjson", "rows.json", "rows.csv.gz", "rows.parquet"])(
    "to %s is the undisturbed one after kills at many instants, and no page is asked for twice",
    async (name) => {
      const whole = await interruptible(name, ["--page-size", "10"], { rows: ROWS });
      expect((await whole.run()).code).toBe(0);
      const rows = await interruptible(name, ["--page-size", "10", "--manifest"], { rows: ROWS });
      const endings = [];
      for (const [index, pages] of [1, 2, 13, 40, 41].entries()) {
        const concurrency = String([1, 4, 16][index % 3]);
        const { signal } = await rows.interrupt("SIGKILL", pages, "--resume", "--concurrency", concurrency);
        endings.push(signal);
      }
      const { code, stderr } = await rows.run("--resume");
      expect([endings, code, stderr]).toEqual([Array(5).fill("SIGKILL"), 0, ""]);
      expect(rows.pages()).toBe(whole.pages());
      expect(await digestOf(join(rows.cwd, name))).toBe(await digestOf(join(whole.cwd, name)));
      expect(await readdir(rows.cwd)).toEqual([name, `${name}.manifest.json`]);
      expect(JSON.parse(await readFile(join(rows.cwd, `${name}.manifest.json`), "utf8"))).toMatchObject({
        rows: 1_500,
        resumed: true,
      });
    },
    60_000,
  );
});
