import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import type { Product } from "../../src/contract/product.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product, products } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

const BOLT = products(3, { retailer: "bolt", crawl_date: "2026-01-16" });

/** A database with rows of two retailers. */
async function database() {
  const path = join(await temporaryFolder(), "rows.db");
  const service = await startTestService({ database: path, rows: [...products(2), ...BOLT] });
  return {
    run: (...args: string[]) => runInProcess(["service", ...args], { env: { CATALOG_DATABASE: path } }),
    load: async (rows: readonly Product[], ...flags: string[]) => {
      const file = join(await temporaryFolder(), "rows.ndjson");
      await writeFile(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
      return runInProcess(["service", "load", file, ...flags], { env: { CATALOG_DATABASE: path } });
    },
    version: async () => (await service.get("/v1/coverage")).headers.get("data-version"),
    exported: async () => (await runInProcess(["export"], { service })).stdout.split("\n").toSorted(),
  };
}

/** The lines of an export, sorted. */
const lines = (rows: readonly Product[]) => ["", ...rows.map((row) => JSON.stringify(row)).toSorted()];

test("service remove removes the rows of the filters and says how many; --dry-run only says so", async () => {
  const { run, exported } = await database();

  const dry = await run("remove", "--retailer", "bolt", "--date", "latest", "--dry-run");
  expect(dry).toEqual({ code: 0, stdout: "", stderr: "3 rows would be removed: 1 combination, on 2026-01-16\n" });
  expect(await exported()).toEqual(lines([...products(2), ...BOLT]));

  const removed = await run("remove", "--retailer", "bolt", "--date", "latest");
  expect(removed).toEqual({ code: 0, stdout: "", stderr: "3 rows removed: 1 combination, on 2026-01-16\n" });
  expect(await exported()).toEqual(lines(products(2)));

  expect((await run("remove", "--date", "2020-01-01")).stderr).toBe("0 rows removed\n");
  expect((await run("remove", "--all")).stderr).toBe("2 rows removed: 1 combination, on 2026-01-15\n");
  expect(await exported()).toEqual([""]);
});

test.each([
  [[], /^error: no filter is given: .* or give --all to remove every row/],
  [["--all", "--retailer", "acme"], /^error: --all removes every row and takes no filters/],
  [["--retailer", "acmee"], /no rows of the retailer "acmee"\.\nDid you mean acme\?/],
  [
    ["--retailer", "acme,bolt", "--date", "latest"],
    /^error: the retailers have different newest days; name one retailer/,
  ],
  [
    ["--retailer", "bolt", "--category", "lamp"],
    /no rows of the category "lamp" at the retailer "bolt"\.\nDid you mean/,
  ],
  [["--rcd", "acme:lamps:hom"], /no rows of the combination "acme:lamps:hom"\.\nDid you mean acme:lamps:home/],
])("service remove %j is refused and removes nothing", async (flags, message) => {
  const { run, exported } = await database();

  expect(await run("remove", ...flags)).toMatchObject({ code: EXIT.usage, stderr: expect.stringMatching(message) });
  expect(await exported()).toEqual(lines([...products(2), ...BOLT]));
});

test("load --replace replaces rows of the same product_id, which is an error without it", async () => {
  const { load, exported } = await database();
  const again = products(3).map((row, index) => (index === 1 ? { ...row, title: "Crawled again" } : row));

  expect((await load(again)).code).toBe(EXIT.failure);
  const { stderr } = await load(again, "--replace");

  expect(stderr).toContain("rows.ndjson: 2 rows added, 1 was there already, 1 earlier row removed\n");
  expect(await exported()).toEqual(lines([...again, ...BOLT]));
});

test("load --replace with a retailer and a day replaces all rows of them, and only them", async () => {
  const { load, exported } = await database();
  const slice = ["--replace", "--retailer", "bolt", "--date", "2026-01-16"];
  const again = [...BOLT.slice(0, 1), product({ retailer: "bolt", crawl_date: "2026-01-16", sku: "sku-9" })];

  const foreign = await load([...again, product({ sku: "sku-8" })], ...slice);
  const empty = await load([], ...slice);
  const { stderr } = await load(again, ...slice);

  expect(foreign).toMatchObject({
    code: EXIT.failure,
    stderr: expect.stringContaining(
      ":3: retailer: expected only rows of bolt on 2026-01-16, which they replace, found acme",
    ),
  });
  expect(empty).toMatchObject({
    code: EXIT.failure,
    stderr: expect.stringContaining("has no rows to replace the others"),
  });
  expect(stderr).toContain("1 row added, 1 was there already, 2 earlier rows removed");
  expect(await exported()).toEqual(lines([...products(2), ...again]));
});

test("load --replace with a retailer and a day leaves the retailer's rows of other days, and takes none of them", async () => {
  const { load, exported } = await database();
  const other = products(3, { retailer: "bolt", crawl_date: "2026-01-17" });
  const slice = ["--replace", "--retailer", "bolt", "--date", "2026-01-17"];
  await load(other);
  const again = other.slice(0, 1).map((row) => ({ ...row, title: "Crawled again" }));

  const foreign = await load([...again, ...BOLT], ...slice);
  const { stderr } = await load(again, ...slice);

  expect(foreign).toMatchObject({
    code: EXIT.failure,
    stderr: expect.stringContaining(":2: crawl_date: expected only rows of bolt on 2026-01-17, which they replace"),
  });
  expect(stderr).toContain("1 row added, 3 earlier rows removed");
  expect(await exported()).toEqual(lines([...products(2), ...BOLT, ...again]));
});

test.each([[[]], [["--retailer", "bolt", "--date", "2026-01-16"]]])(
  "the same load --replace %j a second time changes nothing and begins no version",
  async (flags) => {
    const { load, exported, version } = await database();
    const again = BOLT.map((row) => ({ ...row, title: "Crawled again" }));

    const first = await load(again, "--replace", ...flags);
    const before = await version();
    const second = await load(again, "--replace", ...flags);

    expect(first.stderr).toContain("3 rows added, 3 earlier rows removed");
    expect(second.stderr).toMatch(/: 0 rows added, 3 were there already, 0 earlier rows removed\n$/);
    expect(await version()).toBe(before);
    expect(await exported()).toEqual(lines([...products(2), ...again]));
  },
);

test.each([
  [["--retailer", "bolt"], "--retailer needs --date"],
  [["--replace", "--date", "2026-01-16"], "--date needs --retailer"],
  [["--retailer", "bolt", "--date", "2026-01-16"], "--retailer needs --replace"],
  [["--replace", "--retailer", "bolt", "--date", "latest"], '--date "latest" depends on the loaded rows'],
  [["--replace", "--retailer", "bolt,acme", "--date", "2d"], '"bolt,acme" must be one retailer slug'],
  [["more.ndjson", "--replace", "--retailer", "bolt", "--date", "2d"], "one file replaces the rows"],
])("load with %j is refused", async (flags, message) => {
  const { load } = await database();

  expect(await load(BOLT, ...flags)).toMatchObject({ code: EXIT.usage, stderr: expect.stringContaining(message) });
});

test("--database wins over CATALOG_DATABASE", async () => {
  const folder = await temporaryFolder();
  const env = { CATALOG_DATABASE: join(folder, "env.db") };

  await runInProcess(["service", "teams", "create", "one"], { env });
  await runInProcess(["service", "teams", "create", "two", "--database", join(folder, "flag.db")], { env });

  expect((await runInProcess(["service", "teams", "list"], { env })).stdout).toMatch(/one/);
  expect((await runInProcess(["service", "teams", "list"], { env })).stdout).not.toMatch(/two/);
  expect((await stat(join(folder, "flag.db"))).isFile()).toBe(true);
});
