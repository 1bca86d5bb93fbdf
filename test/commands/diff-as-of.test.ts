import { expect, test } from "vitest";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { syncedFolder } from "../helpers/synced-folder.ts";

const [FIRST, FROM, BETWEEN, TO] = ["2026-01-01", "2026-01-10", "2026-01-14", "2026-01-15"] as const;

const at = (sku: string, crawl_date: string, selling_price: number, title = `Title of ${sku}`) =>
  product({ sku, crawl_date, selling_price, title });

/** The two days share one of two products; `old` was last crawled long before. */
const ROWS = [
  ...[at("fell", FIRST, 10), at("fell", BETWEEN, 7, "New title")],
  ...[at("old", FIRST, 5), at("old", TO, 6)],
  ...[at("both", FROM, 3), at("both", TO, 3)],
  ...[at("once", FROM, 4), at("twice", FROM, 4), at("new", BETWEEN, 8), at("late", TO, 1)],
];

async function diff(...args: string[]) {
  const folder = await syncedFolder(ROWS);
  const days = ["--from", FROM, "--to", TO];
  const { code, stdout, stderr } = await runInProcess(["diff", "--against", folder, ...days, ...args]);
  const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
  const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { code, stdout, stderr, records, skus: records.map(({ change, sku }) => [change, sku]) };
}

test("compares the last known price of each product up to the two days", async () => {
  const { code, records } = await diff("--as-of", "--only", "changed");
  expect([code, records]).toEqual([
    0,
    [
      expect.objectContaining({
        ...{ sku: "fell", title: "New title", from_selling_price: 10, to_selling_price: 7, percent: -30 },
        ...{ from_date: FROM, to_date: TO, from_seen: FIRST, to_seen: BETWEEN },
      }),
      expect.objectContaining({ sku: "old", from_seen: FIRST, to_seen: TO, percent: 20 }),
    ],
  ]);
});

test("a product vanishes only if its price is older than --max-age", async () => {
  const unbounded = await diff("--as-of", "--only", "appeared,vanished");
  const bounded = await diff("--max-age", "4d", "--only", "appeared,vanished");
  expect(unbounded.skus).toEqual([
    ["appeared", "late"],
    ["appeared", "new"],
  ]);
  expect(bounded.skus).toEqual([
    ["appeared", "fell"],
    ["appeared", "late"],
    ["appeared", "new"],
    ["appeared", "old"],
    ["vanished", "once"],
    ["vanished", "twice"],
  ]);
});

test("a price of exactly --max-age days is still known", async () => {
  const { code, skus } = await diff("--max-age", "5d", "--only", "vanished");
  expect([code, skus]).toEqual([0, []]);
});

test("cannot say which products vanished without --max-age, in every format", async () => {
  for (const format of ["table", "ndjson", "csv"]) {
    const folder = await syncedFolder(ROWS);
    const args = ["diff", folder, "--as-of", "--from", FROM, "--to", TO, "-f", format];
    const { stdout, stderr } = await runInProcess(args, { columns: 200 });
    expect(format === "table" ? stdout : stderr).toContain(
      "2 changed, 2 appeared, vanished unknown, 3 unchanged (--max-age 14d counts products as",
    );
  }
  const bounded = await diff("--max-age", "4d", "-f", "table");
  expect(bounded.stdout).toContain("4 appeared, 2 vanished, 1 unchanged\n");
  const { code, stderr } = await diff("--as-of", "--only", "vanished");
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining("no product vanishes from its last known prices. Add --max-age"),
  ]);
});

test("is the default if the two days share fewer than half of their products, and says so", async () => {
  const { stdout, stderr } = await diff("-f", "table");
  expect(stdout).toContain(
    "\n2 changed, 2 appeared, vanished unknown, 3 unchanged (--max-age 14d counts products as vanished that",
  );
  expect(stderr).toBe("");
  const told = await diff("-v", "-f", "table");
  expect(told.stderr).toContain("share 1 of 3 products, so the last known prices up to each are compared");
});

test("--no-as-of compares the rows of the days themselves", async () => {
  const { skus } = await diff("--no-as-of");
  expect(skus).toEqual([
    ["appeared", "late"],
    ["appeared", "old"],
    ["vanished", "once"],
    ["vanished", "twice"],
  ]);
});
