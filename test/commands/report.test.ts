import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Product } from "../../src/contract/product.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { servedFolder } from "../helpers/synced-folder.ts";

const HOSTILE = `\u202e</title><script>alert(1)</script>"'<b>`;

/** Each product with its prices on days of January 2026. */
const PRICES: readonly (readonly [sku: string, prices: Readonly<Record<string, number>>, more?: Partial<Product>])[] = [
  ["fell", { "05": 100, "20": 70, "28": 60.5 }, { brand: "Alder" }],
  ["fell-more", { "05": 10, "28": 2 }, { brand: "Alder", currency: "JPY", discount_pct: 0 }],
  ["rose", { "05": 10, "27": 15 }, { brand: "Birch", retailer: "bolt", discount_pct: 0 }],
  ["was-free", { "05": 0, "28": 3 }, { brand: "", discount_pct: 0 }],
  [
    "is-free",
    { "05": 3, "28": 0 },
    { title: HOSTILE, url: "javascript:alert(1)", retailer: "bolt", discount_pct: 100 },
  ],
  ["new", { "28": 8 }, { brand: "Birch", title: " ", discount_pct: 12.5 }],
  ["gone", { "05": 5, "12": 5 }, { retailer: "closed", discount_pct: 20 }],
  ["same", { "05": 5, "28": 5 }, { discount_pct: 0 }],
];

const ROWS = PRICES.flatMap(([sku, prices, more]) =>
  Object.entries(prices).map(([day, selling_price]) =>
    product({ sku, selling_price, mrp: 200, discount_pct: 33.33, ...more, crawl_date: `2026-01-${day}` }),
  ),
);

// On its day a product may have several rows; the cheapest counts.
ROWS.push({
  ...(ROWS.find(({ sku }) => sku === "new") as Product),
  product_id: "x",
  category: "chairs",
  selling_price: 9,
  discount_pct: 50,
});

const NOW = Date.parse("2026-01-29T08:00:00Z");

const onEnd = afterAllTests();
let folder: string;

beforeAll(async () => {
  const { folder: copy, sync } = await servedFolder(ROWS, undefined, onEnd);
  await sync();
  folder = copy;
});

/** Runs on the folder of all rows, on the day after the newest. */
async function report(...args: string[]) {
  return await runInProcess(["report", folder, ...args], { now: () => NOW });
}

async function recordsOf(...args: string[]): Promise<Record<string, unknown>[]> {
  const { code, stdout } = await runInProcess([...args, "-f", "json"], { now: () => NOW });
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

/** Folder with these rows alone. */
async function folderOf(rows: readonly Product[]): Promise<string> {
  const { folder: copy, sync } = await servedFolder(rows);
  await sync();
  return copy;
}

describe("catalog report", () => {
  test("is a text without options, that fits a mail", async () => {
    const { code, stdout, stderr } = await report();

    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("Prices from 2026-01-21 to 2026-01-28\n");
    expect(stdout).toMatch(/^ +-80\.0 % +2 {2}JPY {2}Title of fell-more +acme fell-more$/m);
    expect(stdout).toContain("New products: 1\n  12.5 % off  8  EUR  new  acme new\n");
    expect(stdout).toMatch(/^ {2}closed +2026-01-12 +17 days old {2}stale$/m);
    const lines = stdout.trimEnd().split("\n");
    expect([lines.length <= 60, lines.filter((line) => line.length > 72)]).toEqual([true, []]);
    expect(stdout).not.toMatch(/[^\n\P{C}]/u);
  });

  test("has its figures, and the stale retailers of coverage", async () => {
    const names = ["drops", "rises", "new_lows", "new", "gone", "stale", "products"];
    const all = names.map((name) => `${name} >= 0`).join(" and ");
    const { code, stderr } = await report("--fail-if", all);
    const figures = new Map(
      [...stderr.matchAll(/(\w+) is (\S+?)(?=[,\n]|$)/gm)].map(([, name, value]) => [name, Number(value)]),
    );

    const retailers = await recordsOf("coverage", folder, "--group-by", "retailer");
    expect([code, Object.fromEntries(figures)]).toEqual([
      8,
      {
        ...{ drops: 3, rises: 1, new_lows: 3, new: 1, gone: 1, products: PRICES.length },
        stale: retailers.filter(({ days_old }) => Number(days_old) > 2).length,
      },
    ]);
  });

  test("counts the discounts of each brand by last known prices", async () => {
    const { stdout } = await report("--fail-if", "discounted_percent = 50 and mean_discount_pct = 41.4575");

    expect(stdout.slice(stdout.indexOf("Discounted"))).toMatch(
      /^Discounted products: 50\.0 %, by 41\.5 % on average\n {2}Brand +66\.7 %.*by 60\.0 %\n {2}Alder +50\.0 % {2}of 2 products +by 33\.3 %\n {2}Birch +50\.0 %.*\n {2}no brand +0\.0 % +of 1 product\n$/,
    );
  });

  test("has the discounts of latest --group-by brand", async () => {
    const groups = await recordsOf("latest", folder, "--group-by", "brand", "--max-age", "none");
    const { stdout } = await report("--html", "-");
    const section = stdout.slice(stdout.indexOf('<h2 id="brands"'));
    const cells = (label: string) =>
      [...section.matchAll(new RegExp(`data-label="${label}"><span>(.*?)</span>`, "g"))].map(([, text]) => text);

    const shown = cells("Brand").map((brand, index) => [
      ...[brand, cells("Products")[index], cells("Discounted")[index], cells("Mean discount")[index]],
    ]);
    const percent = (value: unknown) => (value === null ? "" : `${Number(value).toFixed(1)} %`);
    const expected = groups.map(({ brand, products, discounted_percent, mean_discount_pct }) => [
      ...[brand || "<i>no brand</i>", String(products), percent(discounted_percent), percent(mean_discount_pct)],
    ]);
    expect(shown.sort()).toEqual(expected.sort());
  });

  test("writes one page without a script, with each product as a link and a small chart", async () => {
    const page = join(await temporaryFolder(), "morning.html");
    const { code, stdout } = await report("--html", page);
    const html = await readFile(page, "utf8");

    expect([code, stdout]).toEqual([0, ""]);
    expect(html).toContain(
      'content="default-src &#39;none&#39;; img-src data:; style-src &#39;unsafe-inline&#39;; base-uri',
    );
    expect(html).toContain('<a href="https://shop.example/p/fell" rel="noopener noreferrer">Title of fell</a>');
    expect(html).not.toMatch(/<script|javascript:|<b>"|\u202e/);
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    // A product without a title has the name of its sku.
    expect(html).toContain(">new</a>");
    expect(html).toMatch(
      /<svg [^>]*aria-label="3 days from 2026-01-05 to 2026-01-28: lowest 60.5 on 2026-01-28, highest 100 on 2026-01-05 EUR"/,
    );
    // The price rose from nothing, which is no percentage.
    expect(html).not.toMatch(/NaN|Infinity|undefined/);
  });

  test("writes the page to stdout, or beside the text, but not both to one place", async () => {
    const page = join(await temporaryFolder(), "morning.html");
    const [alone, both, twice] = await Promise.all([
      report("--html", "-"),
      report("--html", page, "--text"),
      report("--html", "-", "--text"),
    ]);

    expect(alone.stdout).toMatch(/^<!doctype html>/);
    expect([both.stdout, await readFile(page, "utf8")]).toEqual([(await report()).stdout, alone.stdout]);
    expect([twice.code, twice.stdout, twice.stderr]).toEqual([
      2,
      "",
      expect.stringContaining("would have two outputs"),
    ]);
  });

  test("--no-clobber keeps the page that is there, and then writes nothing else", async () => {
    const cwd = await temporaryFolder();
    const page = join(cwd, "morning.html");
    await writeFile(page, "mine");
    const kept = await report("--html", page, "--text", "--no-clobber");

    expect([kept.code, kept.stdout, kept.stderr]).toEqual([1, "", expect.stringContaining("already exists")]);
    expect([await readdir(cwd), await readFile(page, "utf8")]).toEqual([["morning.html"], "mine"]);
    expect((await report("--no-clobber")).stderr).toContain("--no-clobber protects a file; it needs --html FILE.");
    expect([(await report("--html", page)).code, await readdir(cwd)]).toEqual([0, ["morning.html"]]);
  });

  test("ends with 8 if one of its figures meets a condition, and the page is there", async () => {
    const page = join(await temporaryFolder(), "morning.html");
    const conditions = ["drops > 99", "stale > 0", "biggest_drop < -50 and rises = 1"];
    const held = await report("--html", page, ...conditions.flatMap((condition) => ["--fail-if", condition]));

    expect([held.code, held.stderr]).toEqual([
      8,
      "error: stale > 0 holds: stale is 1; biggest_drop < -50 and rises = 1 holds: biggest_drop is -100, rises is 1\n",
    ]);
    expect(await readFile(page, "utf8")).toContain("</html>");
    expect((await report("--fail-if", "days_old > 17", "--fail-if", "gone > 1")).code).toBe(0);
    expect(await report("--fail-if", "drop > 3")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--fail-if has no field "drop"'),
    });
  });

  test("lists --limit products, and says how many there are", async () => {
    const { stdout } = await report("--html", "-", "-n", "1");
    const drops = /<h2 id="drops">[\s\S]*?<\/section>/.exec(stdout)?.[0] ?? "";

    expect(drops).toContain("1 of 3. The last price is below the one known on 2026-01-21.");
    expect(drops.match(/<tr>/g)).toHaveLength(2);
  });

  test("takes filters and brands, and names them", async () => {
    const { stdout } = await report("--retailer", "bolt,acme", "--brand", "birch");

    expect(stdout).toContain("--retailer bolt,acme --brand birch\n4 rows of 2 products,");
    expect(stdout).toMatch(/\nRises: 1\n {2}\+50\.0 % .*\n\nNew lows: 0\n\nNew products: 1\n/);
  });

  test("--stale-after and --max-age move what is stale and gone", async () => {
    expect((await report("--stale-after", "17d")).stdout).toContain("Stale retailers: 0 of 3, older than 17 days\n");
    expect((await report("--max-age", "16d")).stdout).toContain("Gone products: 0\n");
    expect((await report("--max-age", "two")).stderr).toContain("is not a number of days; write 14d.");
  });

  test("of a folder that is younger than a week compares with its first day", async () => {
    const young = await folderOf(ROWS.filter(({ crawl_date }) => crawl_date > "2026-01-25"));
    const { code, stdout } = await runInProcess(["report", young], { now: () => NOW });

    expect([code, stdout]).toEqual([0, expect.stringContaining("Prices from 2026-01-27 to 2026-01-28\n")]);
    // The highest discount comes first.
    expect(stdout).toMatch(/^New products: 6, 5 of them\n +100 % off .*\n +33\.33 % off .*\n +12\.5 % off .*\n/m);
  });

  test("of a single day has its retailers and brands, and no condition on changes holds", async () => {
    const single = await folderOf(ROWS.filter(({ crawl_date }) => crawl_date === "2026-01-28"));
    const args = ["--fail-if", "drops >= 0", "--html", "-"];
    const { code, stdout } = await runInProcess(["report", single, ...args], { now: () => NOW });

    expect(code).toBe(0);
    expect(stdout).toContain("There is no earlier day to compare with.");
    expect([...stdout.matchAll(/<h2 id="(\w+)"/g)].map(([, id]) => id)).toEqual(["retailers", "brands"]);
    const named = await runInProcess(["report", single, "--since", "2026-01-20"]);
    expect([named.code, named.stderr]).toEqual([2, expect.stringContaining("has no row up to 2026-01-20")]);
  });

  test("--since last compares with the day that the last report saw, and shows nothing twice", async () => {
    const first = await report("--since", "last:mail", "--fail-if", "drops > 2");
    const again = await report("--since", "last:mail");

    expect([first.code, first.stdout]).toEqual([8, expect.stringContaining("Drops: 3\n")]);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining("Prices from 2026-01-28 to 2026-01-28\n")]);
    expect(again.stdout).toContain("Drops: 0\n\nRises: 0\n\nNew lows: 0\n\nNew products: 0\n\nGone products: 0\n");
  });

  test("of nothing is an error that says so", async () => {
    const nothing = "holds no rows that the filters match.";
    expect(await report("--rcd", "bolt:lamps:home", "--brand", "alder")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(nothing),
    });
    const empty = await folderOf([]);
    expect(await runInProcess(["report", empty])).toMatchObject({ code: 2, stderr: expect.stringContaining(nothing) });
  });
});
