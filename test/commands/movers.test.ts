import { beforeAll, describe, expect, test } from "vitest";
import type { Product } from "../../src/contract/product.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { recordsOf, runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { syncedFolder } from "../helpers/synced-folder.ts";

type History = readonly (readonly [day: string, price: number, currency?: string])[];

function historyOf(sku: string, history: History, more: Partial<Product> = {}): Product[] {
  return history.map(([day, selling_price, currency = "EUR"]) =>
    product({ crawl_date: `2026-01-${day}`, sku, selling_price, currency, mrp: 100, discount_pct: 0, ...more }),
  );
}

const between = (before: number, after: number): History => [
  ["01", before],
  ["08", after],
];
const ROWS = [
  ...historyOf("fell", between(100, 70)),
  ...historyOf("fell-less", between(100, 90)),
  ...historyOf("rose", between(10, 15), { category: "chairs" }),
  ...historyOf("same", between(5, 5), { discount_pct: 95 }),
];

const onEnd = afterAllTests();
let folder: string;
beforeAll(async () => {
  folder = await syncedFolder(ROWS, onEnd);
});

const movers = (...args: readonly string[]) => runInProcess(["movers", folder, ...args]);

describe("catalog movers", () => {
  test("writes drops, rises, new lows and discounts of the last week of the folder, however old that is", async () => {
    const week = await movers("--since", "latest-7d");

    expect(await movers()).toEqual(week);
    expect({ code: week.code, records: recordsOf(week.stdout) }).toEqual({
      code: 0,
      records: [
        expect.objectContaining({ kind: "drop", sku: "fell", title: "Title of fell", percent: -30 }),
        expect.objectContaining({ kind: "drop", sku: "fell-less", percent: -10 }),
        expect.objectContaining({ kind: "rise", sku: "rose", before_selling_price: 10, percent: 50 }),
        expect.objectContaining({ kind: "new_low", sku: "fell", low_selling_price: 100, low_date: "2026-01-01" }),
        expect.objectContaining({ kind: "new_low", sku: "fell-less", low_selling_price: 100 }),
        expect.objectContaining({ kind: "discount", sku: "same", discount_pct: 95 }),
      ],
    });
  });

  test("sorts within each kind, and writes a kind once that is given twice, with the chosen columns", async () => {
    const { stdout } = await movers(
      "--only",
      "drop,rise,drop",
      "--sort",
      "selling_price:desc",
      "--columns",
      "sku,brand,url",
    );
    expect(recordsOf(stdout)).toEqual(
      ["fell-less", "fell", "rose"].map((sku) => ({ sku, brand: "Brand", url: `https://shop.example/p/${sku}` })),
    );
  });

  test("shows the first --limit movers of each group, in one table a kind", async () => {
    const { stdout } = await movers("--only", "drop,rise", "--group-by", "category", "-n", "1", "-f", "table");

    const lines = stdout.split("\n").filter((line) => /^(Biggest|title|lamps|chairs|Title of)/.test(line));
    expect(lines.map((line) => line.replace(/ {2}.*/, ""))).toEqual([
      ...["Biggest drops from 2026-01-01 to 2026-01-08", "title", "lamps, 1 of 2", "Title of fell"],
      ...["Biggest rises from 2026-01-01 to 2026-01-08", "title", "chairs", "Title of rose"],
    ]);
  });

  test.each([
    ["percent < -20", "1 product fell more than 20 %: acme fell"],
    ["percent<=-10%", "2 products fell 10 % or more: acme fell, acme fell-less"],
    ["percent > 5", "1 product rose more than 5 %: acme rose"],
    [
      "percent > -20 and selling_price = 90",
      "percent > -20 and selling_price = 90 holds for 1 product: acme fell-less",
    ],
    ["percent < -20 and selling_price > 90", undefined],
  ])(
    "ends with 8 after the output if products meet %s, listed or not, and says what that means",
    async (condition, words) => {
      const { code, stdout, stderr } = await movers(
        ...["--only", "drop,rise", "-n", "1", "--columns", "sku", "-f", "csv", "--fail-if", condition],
      );

      expect({ code, stdout, error: /^error: (.*)$/m.exec(stderr)?.[1] }).toEqual({
        ...{ code: words === undefined ? 0 : 8, stdout: "sku\r\nfell\r\nrose\r\n", error: words },
      });
    },
  );

  test("compares new lows within a currency, and says when the earlier low was last seen and since when there is a new one", async () => {
    const lamps = await syncedFolder([
      ...historyOf("low", [
        ["01", 10],
        ["02", 8],
        ["04", 8],
        ["05", 9],
        ["10", 6],
        ["11", 6],
        ["12", 7],
      ]),
      ...historyOf("low-since-its-currency", [
        ["01", 5],
        ["04", 20, "USD"],
        ["12", 18, "USD"],
      ]),
      ...historyOf("first-of-its-currency", [
        ["01", 20],
        ["12", 18, "USD"],
      ]),
    ]);
    const columns =
      "sku,low_date,low_selling_price,date,selling_price,new_low_price,reached_date,below_low_percent".split(",");
    const args = ["movers", lamps, "--only", "new_low", "--columns", columns.join(), "--sort", "sku"];
    expect(recordsOf((await runInProcess(args)).stdout)).toEqual([
      {
        ...{ sku: "low", low_date: "2026-01-04", low_selling_price: 8, date: "2026-01-12", selling_price: 7 },
        ...{ new_low_price: 6, reached_date: "2026-01-10", below_low_percent: -25 },
      },
      {
        ...{ sku: "low-since-its-currency", low_date: "2026-01-04", low_selling_price: 20 },
        ...{ date: "2026-01-12", selling_price: 18 },
        ...{ new_low_price: 18, reached_date: "2026-01-12", below_low_percent: -10 },
      },
    ]);
  });

  test.each([
    ["percent", "is not a condition"],
    ["price_shop.de < 20", 'has no field "price_shop.de"'],
    ["price < 3", "no field"],
    ["percent < abc", "is not a condition"],
    [
      "percent < -100000000000000000000",
      "is not a condition; write a field, one of < <= > >= = and a number (up to 20 digits",
    ],
  ])("refuses the condition %s before anything is read", async (condition, reason) => {
    const { code, stderr } = await runInProcess(["movers", "nowhere", "--fail-if", condition]);

    expect(code).toBe(2);
    expect(stderr).toContain(reason);
  });

  test("says of the rows that the filters match, and not of the folder, on which day they begin", async () => {
    const [old, recent] = [
      product({ crawl_date: "2026-01-01" }),
      product({ crawl_date: "2026-01-08", retailer: "bolt" }),
    ];
    const folder = await syncedFolder([old, recent]);
    const { stderr } = await runInProcess(["movers", folder, "--retailer", "bolt"], { columns: 1000 });
    expect(stderr).toContain(`${folder}, with these filters, has one day, 2026-01-08: nothing to compare yet\n`);
  });

  test("names the days of the folder if there is nothing to compare", async () => {
    const { code, stderr } = await movers("--since", "2026-01-08");

    expect(code).toBe(2);
    expect(stderr).toContain("has no row after 2026-01-08; its rows are from 2026-01-01 to 2026-01-08");
    expect(stderr).toContain("--since latest-7d\n");
  });

  test("has nothing to compare in a folder of one day, and names its first day in one that is younger than a week", async () => {
    const on = (...days: string[]) => syncedFolder(days.map((crawl_date) => product({ crawl_date })));
    const one = await on("2026-01-08");
    const shown = await runInProcess(["movers", one], { columns: 1000 });
    expect(shown).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("has one day, 2026-01-08: nothing to compare yet"),
    });
    for (const since of ["7d", "latest-7d", "2026-01-08"]) {
      const { code, stderr } = await runInProcess(["movers", one, "--since", since]);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: `error: --since ${since}: ${one} has one day, 2026-01-08: nothing to compare yet.\n`,
      });
    }
    const { code, stderr } = await runInProcess([
      "movers",
      await on("2026-01-06", "2026-01-08"),
      "--since",
      "latest-7d",
    ]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("Did you mean 2026-01-06?") });
  });

  test("shows what all rows share above the table, so that the sku fits a terminal of 80 columns", async () => {
    const { stdout } = await runInProcess(["movers", folder, "--only", "drop", "--no-color"], { columns: 80 });

    expect(stdout.split("\n").slice(0, 3)).toEqual([
      "Biggest drops from 2026-01-01 to 2026-01-08",
      "retailer: acme · currency: EUR",
      expect.stringMatching(/^title +sku +price +% +price before +seen$/),
    ]);
  });

  test("keeps the whole sku, the price and the change on a terminal of 80 columns", async () => {
    const sku = "Z1F28092E9191951A3A0EZ";
    const long = ["2026-01-01", "2026-01-08"].flatMap((crawl_date, index) =>
      ["acme", "a-retailer"].map((retailer) =>
        product({ crawl_date, retailer, sku, selling_price: 90_000 - index, title: "Long ".repeat(40) }),
      ),
    );
    const wide = await syncedFolder(long);
    const drops = await runInProcess(["movers", wide, "--only", "drop", "--no-color"], { columns: 80 });
    expect(drops.stdout).toMatch(new RegExp(`^Long .*… +acme +${sku} +89,999.00 +▼? ?-0.0`, "m"));
    const history = await runInProcess(["history", "--search", "long", wide, "--no-color"], { columns: 80 });
    expect(history.stdout).toMatch(new RegExp(`^Long .*… +acme +${sku} +89,999`, "m"));
    const diff = await runInProcess(["diff", wide, "--no-color"], { columns: 80 });
    expect(diff.stdout).toMatch(new RegExp(`^acme +Long .*… +${sku} +89,999.00 +▼? ?-0.0`, "m"));
    const links = { FORCE_COLOR: "1", FORCE_HYPERLINK: "1" };
    const opened = `\u001b]8;;https://shop.example/p/${sku}\u001b\\Long `;
    expect(diff.stdout).not.toContain("]8;");
    for (const args of [["movers"], ["history", "--search", "long"], ["history", sku, "--retailer", "acme"]]) {
      const linked = await runInProcess([...args, wide, "-f", "table"], { columns: 80, env: links });
      expect(linked.stdout).toContain(opened);
    }
  });

  test("says of a kind without products in its section alone that there are none", async () => {
    const one = await syncedFolder([product({ crawl_date: "2026-01-01" })]);
    const { stdout, stderr } = await runInProcess(["movers", one, "--only", "drop", "--no-color"], { columns: 80 });
    expect({ stdout, isRepeated: stderr.includes("no product matches") }).toEqual({
      stdout: expect.stringMatching(/^Biggest drops from \S+ to \S+\nnone\n$/),
      isRepeated: false,
    });
  });

  test("asks for a folder if none is named", async () => {
    const { code, stderr } = await runInProcess(["movers"]);

    expect({ code, stderr: stderr.split("\n")[0] }).toEqual({
      code: 2,
      stderr:
        "error: name a folder of `catalog sync`; the current folder is not one. `catalog sync rows` creates one, and --demo uses generated rows.",
    });
  });
});
