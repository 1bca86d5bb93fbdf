import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Product } from "../../src/contract/product.ts";
import { addDays } from "../../src/contract/values/day-arithmetic.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { onceEach } from "../helpers/once-each.ts";
import { product } from "../helpers/products.ts";
import { syncedFolder } from "../helpers/synced-folder.ts";

const HOSTILE = `\u202e</title><script>alert(1)</script>"'<b>`;

/** Each product with its prices on days of January 2026. */
const PRICES: readonly (readonly [sku: string, prices: Readonly<Record<string, number>>, more?: Partial<Product>])[] = [
  ["fell", { "10": 100, "20": 70, "28": 60.5 }, { brand: "Alder" }],
  ["fell-more", { "10": 10, "28": 2 }, { brand: "ALDER ", currency: "JPY", discount_pct: 0 }],
  ["rose", { "10": 10, "27": 15 }, { brand: "Birch", retailer: "bolt", discount_pct: 0 }],
  ["was-free", { "10": 0, "28": 3 }, { brand: "", discount_pct: 0 }],
  ["new", { "28": 8 }, { brand: "Birch", title: " ", discount_pct: 12.5 }],
  ["hostile", { "10": 5, "12": 5 }, { title: HOSTILE, url: "javascript:alert(1)", retailer: "closed" }],
  ["same", { "10": 5, "28": 5 }, { discount_pct: 0 }],
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
  folder = await syncedFolder(ROWS, onEnd);
});

/** Runs on the day after the newest. */
const run = onceEach((...args: readonly string[]) => runInProcess(args, { now: () => NOW }));
/** The same, on the folder of all rows. */
const report = (...args: readonly string[]) => run("report", folder, ...args);

type Row = Record<string, unknown>;

async function jsonOf<T = Row[]>(...args: string[]): Promise<T> {
  const { code, stdout } = await run(...args, "-f", "json");
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

type Document = Record<string, Row[]> & { figures: Record<string, number | null> };
const documentOf = (...args: string[]) => jsonOf<Document>("report", ...args);

describe("the document of a report", () => {
  test("has the rows of movers, diff and latest, and their numbers as figures", async () => {
    const { figures, ...lists } = await documentOf(folder);
    const movers = await jsonOf("movers", folder, "--only", "drop,rise,new_low");
    const changes = await jsonOf("diff", folder);
    const brands = await jsonOf("latest", folder, "--group-by", "brand");
    const of = (rows: Row[], column: string, value: string) => rows.filter((row) => row[column] === value);
    const without = (rows: Row[] = [], ...columns: string[]) =>
      rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !["id", ...columns].includes(name))));
    const price = ["currency", "selling_price", "discount_pct", "crawl_date", "url"];

    expect({
      drops: without(lists.drops),
      rises: without(lists.rises),
      new_lows: without(lists.new_lows),
      new_products: without(lists.new_products, ...price),
      gone_products: without(lists.gone_products, ...price),
      brands: new Set(without(lists.discounts_by_brand)),
    }).toEqual({
      drops: of(movers, "kind", "drop"),
      rises: of(movers, "kind", "rise"),
      new_lows: of(movers, "kind", "new_low"),
      new_products: of(changes, "change", "appeared"),
      gone_products: of(changes, "change", "vanished"),
      brands: new Set(brands),
    });
    expect(figures).toEqual({
      ...{ drops: 2, rises: 1, new_lows: 2, new: 1, returned: 1, gone: 0, not_crawled: 0, unknown: 1 },
      ...{ outages: 0, stale: 0, suspects: 0, target_met: 0, products: 6, days_old: 17 },
      ...{ biggest_drop: -80, biggest_rise: 50, discounted_percent: 33.333333, mean_discount_pct: 22.915 },
    });
  });

  test("names each event by an id that stays while it is told", async () => {
    const lists = await documentOf(folder);
    const ids = (name: string) => lists[name]?.map(({ id }) => id);
    expect([ids("drops"), ids("new_lows"), ids("new_products"), ids("gone_products")]).toEqual([
      ["drop:acme:fell-more:JPY:2026-01-28", "drop:acme:fell:EUR:2026-01-28"],
      ["new_low:acme:fell-more:JPY:2026-01-28", "new_low:acme:fell:EUR:2026-01-28"],
      ["new:acme:new:EUR:2026-01-28"],
      ["gone:closed:hostile:EUR:2026-01-12"],
    ]);
    const later = await documentOf(folder, "--since", "latest-1d");
    // The other price of the day was not known any more on the day before.
    expect(later.drops?.map(({ id }) => id)).toEqual(["drop:acme:fell:EUR:2026-01-28"]);
  });

  test("is whole beside a page that lists --limit products, and both are there if its figures meet a condition", async () => {
    const cwd = await temporaryFolder();
    const conditions = ["drops > 99", "unknown > 0", "biggest_drop < -50 and rises = 1"];
    const flags = conditions.flatMap((condition) => ["--fail-if", condition]);
    expect(await report("-n", "1", "--html", join(cwd, "a.html"), "-o", join(cwd, "a.json"), ...flags)).toEqual({
      ...{ code: 8, stdout: "" },
      stderr:
        "error: unknown > 0 holds: unknown is 1; biggest_drop < -50 and rises = 1 holds: biggest_drop is -80, rises is 1\n",
    });
    expect(JSON.parse(await readFile(join(cwd, "a.json"), "utf8"))).toEqual(await documentOf(folder));
    const page = await readFile(join(cwd, "a.html"), "utf8");
    const drops = /<h2 id="drops">[\s\S]*?<\/section>/.exec(page)?.[0] ?? "";
    expect(drops).toContain("1 of 2. The last price is below the one known on 2026-01-21.");
    expect(drops.match(/<tr>/g)).toHaveLength(2);
    expect(page).toContain("</html>");
  });

  test("has the same figures with an own list, which narrows nothing else, also with filters", async () => {
    const list = join(await temporaryFolder(), "list.csv");
    await writeFile(list, "sku,target_price\nrose,20\n");
    for (const filters of [[], ["--brand", "alder"]]) {
      const { own_list: _, ...others } = await documentOf(folder, ...filters);
      const { own_list, figures, ...lists } = await documentOf(folder, ...filters, "--skus", list);
      const isListed = !filters.includes("alder");
      expect({ ...lists, figures }).toEqual({
        ...others,
        figures: { ...others.figures, target_met: isListed ? 1 : 0 },
      });
      expect(own_list?.map(({ sku, target_met }) => [sku, target_met])).toEqual(isListed ? [["rose", true]] : []);
    }
  });

  test("is asked by the SQL of --show-sql", async () => {
    const { stdout } = await report("--show-sql");
    expect(stdout.match(/^CREATE OR REPLACE TEMP TABLE \w+/gm)).toHaveLength(14);
    expect(stdout).not.toContain("$");
  });
});

/** Twenty days of six products; one retailer is not crawled on the last two, and others have what ruins figures. */
const FIRST = "2026-01-01";
const TROUBLES = Array.from({ length: 20 }, (_, at) => addDays(FIRST, at)).flatMap((crawl_date) => {
  const row = (sku: string, more: Partial<Product> = {}) => product({ sku, crawl_date, selling_price: 10, ...more });
  const day = Number(crawl_date.slice(-2));
  return [
    ...[1, 2, 3].map((number) => row(`steady-${number}`)),
    row("cent", { selling_price: day === 15 ? 0.01 : 10 }),
    row("hundredfold", { selling_price: day === 16 ? 1000 : 10 }),
    row("abroad", day < 18 ? {} : { currency: "USD", selling_price: 5 }),
    ...(day > 18 ? [] : [row("missed", { retailer: "bolt" })]),
  ];
});

describe("a report of a crawl full of troubles", () => {
  const args = ["--since", "2026-01-12", "--max-age", "1d"];
  let troubled: string;
  beforeAll(async () => {
    troubled = await syncedFolder(TROUBLES, onEnd);
  });

  test("begins with the outage, and moves nothing by suspect prices, another currency or what was not crawled", async () => {
    const document = join(await temporaryFolder(), "report.json");
    const { stdout } = await run("report", troubled, ...args, "--html", "-", "-o", document);
    const { figures, outages, ...lists } = JSON.parse(await readFile(document, "utf8")) as Document;
    expect(figures).toMatchObject({
      ...{ drops: 0, rises: 0, new_lows: 0, new: 0, gone: 0, not_crawled: 1, unknown: 0 },
      ...{ outages: 1, suspects: 2, biggest_drop: null },
    });
    expect(outages).toMatchObject([{ id: "outage:bolt:::2026-01-19", share: 0, outage_since: "2026-01-19" }]);
    expect(lists.gone_products).toMatchObject([{ sku: "missed", reason: "not_crawled" }]);
    expect([...stdout.matchAll(/<h2 id="(\w+)"/g)].map(([, id]) => id)).toEqual([
      ...["retailers", "drops", "rises", "new_lows", "new_products", "gone_products", "brands"],
    ]);
    expect(stdout).toContain("<b>0</b> <span>gone</span> <small>1 not crawled (bolt)</small>");
    expect(stdout).toContain("Suspect prices of 2 products are left out");
  });

  test("tells what moves if they are taken in", async () => {
    const { figures } = await documentOf(troubled, ...args, "--include-suspect", "--end-date", "2026-01-16");
    expect(figures).toMatchObject({ rises: 1, new_lows: 1, suspects: 0, biggest_rise: 9900 });
  });

  test("says since when a price is in another currency, and dashes lines through days without a price", async () => {
    const cwd = await temporaryFolder();
    const [list, page] = [join(cwd, "list.csv"), join(cwd, "report.html")];
    await writeFile(list, "sku,target_price,note\nabroad,5,travel\ncent,9.99,\nmissed,20,\nnone,1,\n");
    const { stdout, stderr } = await run("report", troubled, ...args, "--skus", list, "--text", "--html", page);
    expect(stderr).toBe('warning: no row for 1 product on the list: "none"\n');
    expect(stdout).toMatch(
      /^ {2}5\.00 USD, 25 % off, target 5\.00, met, since 2026-01-18 in USD, acme\n {2}abroad, travel$/m,
    );
    // Its price is not known any more.
    expect(stdout.replaceAll(/\s+/g, " ")).toContain("target 20.00, no longer known, last seen 2026-01-18");

    const { figures, own_list } = await documentOf(troubled, ...args, "--skus", list);
    expect({
      target_met: figures.target_met,
      own_list: own_list?.map(({ sku, target_met, known }) => [sku, target_met, known]),
    }).toEqual({
      target_met: 1,
      own_list: [
        ["abroad", true, true],
        ["cent", false, true],
        ["missed", true, false],
      ],
    });
    const charts = [...(await readFile(page, "utf8")).matchAll(/<svg class="prices".*?<\/svg>/g)].map(([svg]) => svg);
    expect(charts.map((svg) => svg.includes('class="gap"'))).toEqual([false, true, false, false]);
  });
});

describe("catalog report", () => {
  test("is a text without options, that fits a mail, with whole titles", async () => {
    const { code, stdout, stderr } = await report();

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("Prices from 2026-01-21 to 2026-01-28\n");
    expect(stdout).toContain("\n  -80.0 %, 2 JPY, before 10, acme fell-more\n    Title of fell-more\n");
    expect(stdout).toContain("New products: 1\n  8.00 EUR, 12.5 % off, acme new\n    new\n");
    expect(stdout).toMatch(/^ {2}closed +2026-01-12 +17 days old$/m);
    const lines = stdout.split("\n").filter((line) => line !== folder);
    expect(lines.filter((line) => line.length > 72)).toEqual([]);
    expect(stdout).not.toMatch(/[^\n\P{C}]/u);
  });

  test("writes one page without a script, with each product as a link and a small chart", async () => {
    const { code, stdout: html } = await report("--html", "-");

    expect({ code, html: html.slice(0, 15) }).toEqual({ code: 0, html: "<!doctype html>" });
    expect(html).toContain(
      'content="default-src &#39;none&#39;; img-src data:; style-src &#39;unsafe-inline&#39;; base-uri',
    );
    expect(html).toContain('<a href="https://shop.example/p/fell" rel="noopener noreferrer">Title of fell</a>');
    expect(html).not.toMatch(/<script|javascript:|<b>"|\u202e/);
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    // A product without a title has the name of its sku.
    expect(html).toContain(">new</a>");
    expect(html).toMatch(
      /<svg [^>]*aria-label="3 days from 2026-01-10 to 2026-01-28: lowest 60.50 on 2026-01-28, highest 100.00 on 2026-01-10 EUR"/,
    );
    expect(html).not.toMatch(/NaN|Infinity|undefined|null/);
  });

  test("writes the same page to a file as to stdout, and the same text beside it", async () => {
    const page = join(await temporaryFolder(), "morning.html");
    const both = await report("--html", page, "--text");
    const [text, html] = [await report(), await report("--html", "-")];
    expect({ stdout: both.stdout, content: await readFile(page, "utf8") }).toEqual({
      stdout: text.stdout,
      content: html.stdout,
    });
  });

  test("takes filters and brands, and names them", async () => {
    const { stdout } = await report("--retailer", "bolt,acme", "--brand", "birch");

    expect(stdout).toContain("--retailer bolt,acme --brand birch\n2 known products of 2 retailers,");
    expect(stdout).toMatch(/\nRises: 1\n {2}\+50\.0 %, .*\n.*\n\nNew lows: 0\n\nNew products: 1\n/);
  });

  test("--stale-after and --max-age move what is stale and gone; --urls adds addresses", async () => {
    expect((await report()).stdout).toContain("Stale retailers: 0 of 3, over 28 days old on 2026-01-28\n");
    const moved = ["--stale-after", "15d", "--max-age", "16d", "--urls"];
    const { code, stdout } = await report(...moved, "--fail-if", "days_old > 17", "--fail-if", "gone > 1");
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/Stale retailers: 1 of 3.*\n {2}closed .* stale\n/),
    });
    expect(stdout).toContain("Gone, or not crawled: 0 gone\n");
    expect(stdout).toContain("\n    Title of fell-more\n    https://shop.example/p/fell-more\n");
  });

  test("says how many of the retailers that fail it lists", async () => {
    const closed = Array.from({ length: 6 }, (_, shop) =>
      product({ retailer: `shop${shop}`, crawl_date: "2026-01-10" }),
    );
    const many = await syncedFolder([...ROWS, ...closed]);
    const { stdout } = await run("report", many, "--stale-after", "17d");
    expect(stdout.replaceAll(/\s+/g, " ")).toContain(
      "Stale retailers: 6 of 9, over 17 days old on 2026-01-28, 5 of them shop0 ",
    );
  });

  test("of a retailer without a known price names its own days, and no share of discounted products", async () => {
    const page = join(await temporaryFolder(), "closed.html");
    const { stdout } = await report("--retailer", "closed", "--text", "--html", page);
    expect(stdout).toContain("\n0 known products of 1 retailer, crawled from 2026-01-10 to 2026-01-12.\n");
    expect(stdout).toMatch(/\n\nDiscounted products: none, because no price is known\n$/);
    expect(await readFile(page, "utf8")).toContain('<a href="#brands"><b>–</b> <span>discounted</span>');
  });

  test.each([
    [["--text", "-f", "json"], "--text cannot be combined with --format json."],
    [["--fail-if", "drop > 3"], '--fail-if has no field "drop"'],
    [["--max-age", "two"], "is not a number of days; write 0d to 99999d, such as 14d."],
    [["--no-clobber"], "--no-clobber protects a file"],
    [["--html", "-", "--text"], "is already the destination of the other output"],
    [["--rcd", "bolt:lamps:home", "--brand", "alder"], "has no rows that match the filters."],
  ])("%j is refused", async (flags, reason) => {
    expect(await report(...flags)).toEqual({ code: 2, stdout: "", stderr: expect.stringContaining(reason) });
  });

  test("of a folder that is younger than a week compares with its first day", async () => {
    const young = await syncedFolder(ROWS.filter(({ crawl_date }) => crawl_date > "2026-01-25"));
    const { code, stdout } = await run("report", young);

    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining("Prices from 2026-01-27 to 2026-01-28\n"),
    });
    // The highest discount comes first.
    expect(stdout).toMatch(/^New products: 5\n.* 33\.33 % off, .*\n.*\n.* 12\.5 % off, .*\n/m);
  });

  test("of a single day has its retailers and brands, and no condition on changes holds", async () => {
    const single = await syncedFolder(ROWS.filter(({ crawl_date }) => crawl_date === "2026-01-28"));
    const { code, stdout, stderr } = await run("report", single, "--fail-if", "drops >= 0", "--html", "-", "--verbose");

    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("\n-: the report of 2026-01-28\n") });
    expect(stdout).toContain("There is no earlier day: nothing to compare yet.");
    expect([...stdout.matchAll(/<h2 id="(\w+)"/g)].map(([, id]) => id)).toEqual(["retailers", "brands"]);
    const first = await run("report", single, "--since", "last");
    expect(first.stdout).toContain("There is no earlier day: nothing to compare yet.");
    const named = await runInProcess(["report", single, "--since", "2026-01-20"]);
    expect(named).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("has one day, 2026-01-28: nothing to compare yet"),
    });
  });

  test("--since last compares each retailer with its day in the last report that was written, and shows nothing twice", async () => {
    const missing = join(await temporaryFolder(), "none", "a.html");
    const ask = (...args: readonly string[]) =>
      runInProcess(["report", folder, "--since", "last", ...args], { now: () => NOW });
    const failed = await ask("--html", missing, "--text");
    const first = await ask("--fail-if", "drops > 1");
    const again = await ask();

    expect({ failedCode: failed.code, firstCode: first.code, stdout: first.stdout }).toEqual({
      failedCode: 1,
      firstCode: 8,
      stdout: expect.stringContaining("Drops: 2\n"),
    });
    expect(again).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Prices from 2026-01-12 or later to 2026-01-28\n"),
    });
    expect(again.stdout).toContain("Each retailer is compared with its newest day in the previous report.");
    expect(again.stdout).toMatch(/\nDrops: 0\n\nRises: 0\n\nNew lows: 0\n\nNew products: 0\n\n/);
  });

  test("of an empty folder is an error that says so", async () => {
    expect(await runInProcess(["report", await syncedFolder([])])).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining("has no rows that match the filters.") },
    });
  });
});
