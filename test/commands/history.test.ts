import { cp, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { runCatalog, temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { recordsOf, runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { syncedFolder } from "../helpers/synced-folder.ts";

const PRICES = [20, 20, 25, 18];

const rows = PRICES.flatMap((selling_price, index) => [
  product({ crawl_date: `2026-01-0${index + 1}`, sku: "A1", selling_price, title: "Desk lamp, brass" }),
  product({ crawl_date: `2026-01-0${index + 1}`, sku: "B2", retailer: "bolt", selling_price: 9, title: "LAMP desk" }),
]);

type Found = readonly [sku: string, title: string, model_number?: string];

/** Products that a search has to tell apart. */
const SHOES: readonly Found[] = [
  ["Z9794A88", "Nike Run Defy"],
  ["9700112", "Nike Downshifter 13"],
  ["MXX297", "Nike Air Max 97"],
  ["ZPS5D1", "Satin ribbon 10mm, caps5"],
  ["P1", "Case for PS5/PS4 (PS50 too)"],
  ["P2", "Controller for PS50"],
  ["B15256", "Apple iPhone 17 Pro Max 256GB"],
  ["I2", "Apple iPhone 15 Pro Max (1256 pieces)", "X-15.256"],
  ["I3", "Apple iPhone 15 Pro Max 256 GB"],
  ["I4", "apple IPHONE 15 pro max, 256GB"],
  ["I5", "Apple iPhone 15e Pro Max 256GB"],
  ["T1", "Herbal tea 1.5g"],
  ["T2", "Herbal tea 5g router"],
];

const SEARCHED = [
  ...SHOES.map(([sku, title, model_number = ""]) => product({ sku, title, model_number, brand: "" })),
  ...(
    [
      ["A1", "acme", 30, "Élan", "", "14"],
      ["A1", "acme", 30, "Élan", "SM-A155F", "15"],
      ["B2", "bolt", 20, "ÉLAN", "sm-a155f/ds", "15"],
      ["C3", "cedar", 10, "", "SM-A156", "15"],
      ["A155F", "cedar", 5, "Other", "", "15"],
    ] as const
  ).map(([sku, retailer, selling_price, brand, model_number, day]) => {
    const facts = { brand, model_number, title: `Lamp ${sku[0]}` };
    return product({ sku, retailer, selling_price, crawl_date: `2026-01-${day}`, ...facts });
  }),
  ...(
    [
      ["one", 9, "USD"],
      ["two", 8, "USD"],
      ["three", 900, "EUR"],
    ] as const
  ).map(([sku, selling_price, currency]) => product({ sku, selling_price, currency, title: "Toaster" })),
  ...Array.from({ length: 51 }, (_, index) =>
    product({ sku: `s${index}`, title: `Kettle \u001b[31m\n${"x".repeat(90)}` }),
  ),
  ...["B0CHX1W1XY", "b0chx1w1xy", "AB/12"].map((sku) => product({ sku })),
];

/** A product whose last price is suspect, one that is free, one with each kind of trouble, and two of which one is old. */
const TROUBLED = [
  ...(
    [
      [1, 20, "Lamp"],
      [2, 20, "Lamp"],
      [3, 20, "Lamp"],
      [3, 900, "?"],
      [4, 900, "?"],
    ] as const
  ).map(([day, selling_price, title]) =>
    product({ crawl_date: `2026-01-0${day}`, sku: "last", selling_price, title, product_id: `${day} ${title}` }),
  ),
  product({ crawl_date: "2026-01-01", sku: "free", selling_price: 0, title: "Free" }),
  ...[20, 20, 0.01, 21, 900, 910, 905].map((selling_price, day) =>
    product({ crawl_date: `2026-01-0${day + 1}`, sku: "all", selling_price, currency: day < 4 ? "EUR" : "INR" }),
  ),
  // Of several rows of a day, the cheapest counts.
  product({ crawl_date: "2026-01-01", sku: "all", selling_price: 25, product_id: "dearer" }),
  product({ sku: "old", crawl_date: "2026-01-01" }),
  ...["2026-01-01", "2026-01-15"].map((crawl_date) => product({ sku: "new", crawl_date })),
];

const onEnd = afterAllTests();

describe("catalog history", () => {
  let synced: string;
  let searched: string;
  let troubled: string;
  beforeAll(async () => {
    synced = await syncedFolder(rows, onEnd);
    searched = await syncedFolder(SEARCHED, onEnd);
    troubled = await syncedFolder(TROUBLED, onEnd);
  });

  test("compares the first day of a period with the price before it", async () => {
    const args = ["history", "A1", synced, "--start-date", "2026-01-04", "--fail-if", "percent < -5"];
    expect(await runInProcess([...args, "--columns", "crawl_date,percent"])).toMatchObject({
      code: 8,
      stdout: '{"crawl_date":"2026-01-04","percent":-28}\n',
    });
  });

  test("has the title of the newest row that is not suspect, as latest has it", async () => {
    const [ofHistory, ofFree, ofLatest] = [
      await runInProcess(["history", "last", troubled, "--columns", "title", "-f", "csv"]),
      await runInProcess(["history", "free", troubled, "--columns", "title"]),
      await runInProcess(["latest", troubled, "--columns", "sku,title", "-f", "csv"]),
    ];
    expect(new Set(ofHistory.stdout.split("\r\n"))).toEqual(new Set(["title", "Lamp", ""]));
    expect({ ofFreeStdout: ofFree.stdout, ofLatestStdout: ofLatest.stdout }).toEqual({
      ofFreeStdout: '{"title":"Free"}\n',
      ofLatestStdout: expect.stringContaining("\nlast,Lamp\r"),
    });
  });

  test("leaves out products whose last price is older than --max-age", async () => {
    const skus = async (...flags: string[]) => {
      const args = ["history", "old", "new", troubled, ...flags, "--columns", "sku", "-f", "csv"];
      return (await runInProcess(args)).stdout.trimEnd().split("\r\n").slice(1);
    };
    expect(await skus()).toEqual(["old", "new", "new"]);
    expect(await skus("--max-age", "14d")).toEqual(["old", "new", "new"]);
    expect(await skus("--max-age", "13d")).toEqual(["new", "new"]);
  });

  test("writes each day of a product with the change from the day before", async () => {
    const { code, stdout } = await runInProcess(["history", "A1", synced]);

    expect(code).toBe(0);
    expect(
      recordsOf(stdout).map(({ crawl_date, selling_price, percent }) => [crawl_date, selling_price, percent]),
    ).toEqual([
      ["2026-01-01", 20, null],
      ["2026-01-02", 20, 0],
      ["2026-01-03", 25, 25],
      ["2026-01-04", 18, -28],
    ]);
  });

  test("shows for one product the last, lowest and highest price and the days of changes", async () => {
    const { stdout } = await runInProcess(["history", "A1", synced, "-f", "table"]);

    expect(stdout.split("\n").slice(0, 4)).toEqual([
      "Desk lamp, brass · acme A1",
      "last 18.00 EUR (2026-01-04), a new low",
      "lowest 18.00 EUR (2026-01-04), highest 25.00 EUR (2026-01-03)",
      "2 changes in 4 days  ▃▃█▁",
    ]);
    expect(stdout.split("\n").filter((line) => line.startsWith("2026"))).toHaveLength(3);
  });

  test("finds products by words of their titles, in any order and case, the cheapest first", async () => {
    const { stdout } = await runInProcess(["history", "--search", "lamp DESK", synced, "-f", "table"]);

    expect(stdout.match(/bolt|acme/g)).toEqual(["bolt", "acme"]);
  });

  test("finds products by model number, by brand and a word of the title, and by sku", async () => {
    const found = async (...words: readonly string[]) => {
      const { stdout } = await runInProcess(["history", ...words, searched, "--sort", "price", "-f", "csv"]);
      const columns = stdout.trimEnd().split("\n").slice(1);
      return columns.map((line) => line.split(",").slice(0, 2).join(" "));
    };

    expect(await found("--search", "Sm-A155f")).toEqual(["bolt B2", "acme A1", "acme A1"]);
    expect(await found("--search", "élan lamp")).toEqual(["bolt B2", "acme A1", "acme A1"]);
    expect(await found("--search", "A155F")).toEqual(["cedar A155F", "bolt B2", "acme A1", "acme A1"]);
    expect(await found("--search", "other A155F")).toEqual(["cedar A155F"]);
  });

  test("does not find words inside skus or numbers", async () => {
    const found = async (words: string) => {
      const { stdout } = await runInProcess(["history", "--search", words, searched, "-f", "csv"]);
      return stdout
        .trimEnd()
        .split("\n")
        .slice(1)
        .map((line) => line.split(",")[1])
        .sort();
    };

    expect(await found("nike 97")).toEqual(["MXX297"]);
    expect(await found("ps5")).toEqual(["P1"]);
    expect(await found("iphone 15 pro max 256")).toEqual(["I3", "I4"]);
    expect(await found("iphone 15e")).toEqual(["I5"]);
    expect(await found("970011")).toEqual(["9700112"]);
    expect(await found("nike 9700112")).toEqual(["9700112"]);
    expect(await found("zps5")).toEqual(["ZPS5D1"]);
    expect(await found("ps5d1")).toEqual([]);
    expect(await found("tea 1.5")).toEqual(["T1"]);
    expect(await found("tea 5")).toEqual([]);
  });

  test("finds a sku in any letter case, and suggests the one that was probably meant", async () => {
    const { stdout } = await runInProcess(["history", "b2", "a1", synced, "-f", "csv", "--start-date", "2026-01-04"]);
    expect(stdout.match(/acme,A1|bolt,B2/g)).toEqual(["bolt,B2", "acme,A1"]);

    const skusOf = async (sku: string) =>
      (await runInProcess(["history", sku, searched, "-f", "csv"])).stdout.match(/B0CHX1W1XY(?=,T)/gi);
    expect(await skusOf("b0chx1w1xy")).toEqual(["b0chx1w1xy"]);
    expect(await skusOf("B0Chx1W1XY")).toEqual(["B0CHX1W1XY", "b0chx1w1xy"]);
    for (const wrong of ["B0CHX1WXY", "BOCHX1W1XY", "B0CHX"]) {
      expect(await runInProcess(["history", wrong, searched])).toMatchObject({
        code: 4,
        stderr: expect.stringContaining(`\n  catalog history B0CHX1W1XY ${searched}\n`),
      });
    }
  });

  test("takes a sku with a slash for a sku, unless it is a folder", async () => {
    const here = await runCatalog(["history", "AB/12", "-f", "csv"], { cwd: searched });
    expect({ code: here.code, matches: here.stdout.match(/AB.12(?=,T)/g) }).toEqual({ code: 0, matches: ["AB/12"] });
    const both = await runInProcess(["history", "A1", "AB/12", searched, "-f", "csv", "--start-date", "2026-01-15"]);
    expect(both.stdout.match(/(?<=^acme,)[^,]+/gm)).toEqual(["A1", "AB/12"]);
    const wrong = await runCatalog(["history", "A1", "no/where"], { cwd: searched });
    expect(wrong.stderr).toContain(
      'no row of the sku "no/where" from 2026-01-14 to 2026-01-15, and "no/where" is not a',
    );
    const path = await runInProcess(["history", "A1", "./no/where"], { cwd: searched });
    expect(path).toMatchObject({ code: 1, stderr: expect.stringContaining("there is no folder no/where") });
  });

  test("says whether the last price is a new low, and of several products which ones have one", async () => {
    const higher = await runInProcess(["history", "A1", synced, "-f", "table", "--end-date", "2026-01-03"]);
    expect(higher.stdout).toContain("last 25.00 EUR (2026-01-03), not a new low");

    const { stdout } = await runInProcess(["history", "--search", "desk lamp", synced, "-f", "table"]);
    expect(stdout.split("\n").filter((line) => line.includes("new low"))).toEqual([
      expect.stringMatching(/ acme .* 18.00 /),
    ]);
  });

  test("calls no price a new low that was lower before --start-date", async () => {
    const last = async (...flags: string[]) => {
      const { stdout } = await runInProcess(["history", "A1", ...flags, "-f", "table"]);
      return stdout.match(/^last .*$/m)?.[0];
    };
    const at = (day: number, selling_price: number, currency = "EUR") =>
      product({ crawl_date: `2026-01-0${day}`, sku: "A1", selling_price, currency });
    const dearer = await syncedFolder([at(1, 10), at(2, 50), at(3, 40)]);
    expect(await last(dearer, "--start-date", "2026-01-02")).toBe("last 40.00 EUR (2026-01-03), not a new low");
    const cheaper = await syncedFolder([at(1, 50), at(2, 40)]);
    expect(await last(cheaper, "--start-date", "2026-01-02")).toBe("last 40.00 EUR (2026-01-02), a new low");
    const converted = await syncedFolder([at(1, 50), at(2, 40, "USD")]);
    expect(await last(converted)).toBe("last 40.00 USD (2026-01-02)");
  });

  test("lists the cheapest of each currency, one currency after the other", async () => {
    const { stdout } = await runInProcess(["history", "--search", "toaster", searched, "-f", "table"]);
    expect(stdout.match(/one|two|three/g)).toEqual(["three", "two", "one"]);
  });

  test("lists what was not seen for 14 days after what is known, though it was cheaper", async () => {
    const seen = (sku: string, day: number, selling_price: number) =>
      product({ crawl_date: `2026-01-${day}`, sku, selling_price, title: `Kettle ${sku}` });
    const folder = await syncedFolder([seen("old", 10, 1), seen("dear", 25, 9), seen("cheap", 11, 8)]);
    const shown = async (...flags: string[]) =>
      (await runInProcess(["history", "--search", "kettle", folder, "-f", "table", ...flags])).stdout.match(
        /old|dear|cheap/g,
      );
    expect(await shown()).toEqual(["cheap", "cheap", "dear", "dear", "old", "old"]);
    expect(await shown("-n", "2")).toEqual(["cheap", "cheap", "dear", "dear"]);
  });

  test("refuses a search that finds too many products, and lists the first titles without control characters", async () => {
    const { code, stderr } = await runInProcess(["history", "--search", "kettle", searched]);
    expect(code).toBe(2);
    expect(stderr.split("\n").slice(0, 2)).toEqual([
      'error: "kettle" finds 51 products; add words, a --retailer or, for a table or a page, --limit 50. The first are:',
      expect.stringMatching(/^ {2}Kettle \\x1b\[31m\\nx{40,60}…$/),
    ]);
    const limited = await runInProcess(["history", "--search", "kettle", searched, "-f", "table", "-n", "2"]);
    expect({ code: limited.code, matchCount: limited.stdout.match(/^Kettle /gm)?.length }).toEqual({
      code: 0,
      matchCount: 2,
    });
  });

  test("names the folder that was probably meant if none is named", async () => {
    expect(await runCatalog(["history", "A1"], { cwd: dirname(synced) })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("the current folder is not one, but it contains copy."),
    });
  });

  test("shows a suspect price, which is in no figure, and never compares across a change of currency", async () => {
    const ask = async (...flags: string[]) => (await runInProcess(["history", "all", troubled, ...flags])).stdout;
    const listed = await ask("-f", "csv", "--columns", "crawl_date,selling_price,percent,suspect");
    expect(listed.trimEnd().split("\r\n").slice(1)).toEqual([
      "2026-01-01,20,,false",
      "2026-01-02,20,0,false",
      "2026-01-03,0.01,,true",
      "2026-01-04,21,5,false",
      "2026-01-05,900,,false",
      "2026-01-06,910,1.111111,false",
      "2026-01-07,905,-0.549451,false",
    ]);
    expect(await ask("-f", "table")).toContain(
      "lowest 900.00 INR (2026-01-05), highest 910.00 INR (2026-01-06), since 2026-01-05 in INR\n4 changes in 6 days  ▁█▅\n",
    );
    const all = await ask("--include-suspect", "--end-date", "2026-01-04", "-f", "table");
    expect(all).toContain("lowest 0.01 EUR (2026-01-03)");
  });

  test.each([
    ["all", ["1 row with a suspect price left out; --include-suspect keeps them"]],
    ["new", null],
  ])("counts the suspect rows of %s alone", async (sku, noted) => {
    for (const command of [["history"], ["why", "acme"]]) {
      const found = await runInProcess([...command, sku, troubled, "-v"]);
      expect({ code: found.code, matches: found.stderr.match(/.* suspect .*/g) }).toEqual({ code: 0, matches: noted });
    }
  });

  test.each([
    [[], ["old", "new", "last", "all"]],
    [["--include-suspect"], ["free", "old", "new", "last", "all"]],
    [
      ["--max-age", "10d"],
      ["new", "all"],
    ],
  ])("a table of the products %j with a limit has the first of the whole one", async (flags, skus) => {
    const args = ["history", "free", "last", "all", "old", "new", troubled, "-f", "table", ...flags];
    const listed = async (limit: string) =>
      (await runInProcess([...args, "-n", limit])).stdout.match(/(?<= {2})(?:free|last|all|old|new)(?= {2})/g);
    expect([await listed("9"), await listed("1")]).toEqual([skus, skus.slice(0, 1)]);
  });

  test("names a sku that is not in the folder", async () => {
    const { code, stderr } = await runInProcess(["history", "A1", "C3", synced]);

    expect(code).toBe(4);
    expect(stderr).toContain('has no row of the sku "C3" from 2026-01-01 to 2026-01-04');
    expect(stderr).toContain(`\`catalog history --search WORDS ${synced}\``);
  });

  test("calls the folder of --demo the demo, and keeps --demo in the command that searches", async () => {
    const [cache, now] = [await temporaryFolder(), Date.UTC(2026, 0, 5)];
    // It was filled earlier that day.
    await cp(synced, join(cache, "demo", "rows-2026-01-05"), { recursive: true });
    const folders = { config: "/nonexistent", data: "/nonexistent", cache };
    const { code, stderr } = await runInProcess(["history", "nykqaq", "--demo"], { folders, now: () => now });

    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: expect.stringMatching(/^error: the demo has no row of the sku "nykqaq" from /),
    });
    expect(stderr).toContain("`catalog history --search WORDS --demo`");
  });

  test("writes every output that is asked for, in the order and length that are asked for", async () => {
    const cwd = await temporaryFolder();
    const args = ["history", "A1", "B2", synced, "--html", "./page.html", "--sort", "price:desc", "-n", "1"];
    const rows = await runInProcess([...args, "-f", "ndjson", "-o", "./rows.ndjson"], { cwd });
    expect({ code: rows.code, stdout: rows.stdout, files: (await readdir(cwd)).sort() }).toEqual({
      code: 0,
      stdout: "",
      files: ["page.html", "rows.ndjson"],
    });
    const alone = await runInProcess([...args.slice(0, 3), synced, "-f", "ndjson", ...args.slice(6)], { cwd });
    expect(await readFile(join(cwd, "rows.ndjson"), "utf8")).toBe(alone.stdout);
  });

  test("writes a page that needs no other file", async () => {
    const page = join(await temporaryFolder(), "prices.html");
    await runInProcess(["history", "A1", "B2", synced, "--html", page]);
    const html = await readFile(page, "utf8");

    expect(html).toContain('data-tip="Desk lamp, brass: 18.00 EUR on 2026-01-04"');
    expect(html).not.toMatch(/(?:src|href)="(?!data:|#|https:\/\/shop\.example\/)/);
    const sku = "A1";
    await runInProcess(["history", sku, synced, "--html", page]);
    const single = await readFile(page, "utf8");
    expect(single).toMatch(/<h1><a href="https:\/\/[^"]+" rel="noopener noreferrer">Desk lamp, brass<\/a><\/h1>/);
    expect(single.match(/<td class="day"[^>]*><span>[^<]*/g)?.map((cell) => cell.slice(-10))).toEqual([
      "2026-01-04",
      "2026-01-03",
      "2026-01-01",
    ]);
  });

  test.each([
    [[], "no product is named"],
    [["A1", "--search", "lamp"], '"A1" is not a folder of `catalog sync`; leave out one of the two'],
    [["--search", "lamp", "A1", "rows"], '--search finds products by words; leave out "A1" or --search'],
  ])("refuses %j", async (words, reason) => {
    const { code, stderr } = await runInProcess(["history", ...words]);

    expect(code).toBe(2);
    expect(stderr).toContain(reason);
  });
});
