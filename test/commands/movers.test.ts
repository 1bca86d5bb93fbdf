import { describe, expect, test } from "vitest";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { syncedFolder } from "../helpers/synced-folder.ts";

const rows = [
  ["2026-01-01", "fell", 100],
  ["2026-01-08", "fell", 70],
  ["2026-01-01", "rose", 10],
  ["2026-01-08", "rose", 15],
  ["2026-01-01", "same", 5],
  ["2026-01-08", "same", 5],
].map(([crawl_date, sku, selling_price]) =>
  product({
    crawl_date: String(crawl_date),
    sku: String(sku),
    selling_price: Number(selling_price),
    mrp: 100,
    discount_pct: sku === "same" ? 95 : 0,
    category: sku === "rose" ? "chairs" : "lamps",
  }),
);

type History = readonly (readonly [day: string, price: number, currency?: string])[];

function historyOf(sku: string, history: History) {
  return history.map(([crawl_date, selling_price, currency = "EUR"]) =>
    product({ crawl_date, sku, selling_price, currency, mrp: 100 }),
  );
}

describe("catalog movers", () => {
  test("writes drops, rises, new lows and discounts with their titles", async () => {
    const { code, stdout } = await runInProcess(["movers", await syncedFolder(rows), "--since", "latest-7d"]);

    expect([
      code,
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ]).toEqual([
      0,
      [
        expect.objectContaining({ kind: "drop", sku: "fell", title: "Title of fell", percent: -30 }),
        expect.objectContaining({ kind: "rise", sku: "rose", before_selling_price: 10, percent: 50 }),
        expect.objectContaining({ kind: "new_low", sku: "fell", low_selling_price: 100, low_date: "2026-01-01" }),
        expect.objectContaining({ kind: "discount", sku: "same", discount_pct: 95 }),
      ],
    ]);
  });

  test("writes a kind once that is given twice", async () => {
    const args = ["movers", await syncedFolder(rows), "--since", "2026-01-01", "-f", "csv"];
    const once = await runInProcess([...args, "--only", "drop"]);

    expect(await runInProcess([...args, "--only", "drop,drop"])).toEqual(once);
    expect(once).toMatchObject({ code: 0, stdout: expect.stringMatching(/^kind,.*\r\ndrop,.*\r\n$/) });
  });

  test("shows the first --limit movers of each group, in one table a kind", async () => {
    const folder = await syncedFolder(rows);
    const { stdout } = await runInProcess([
      ...["movers", folder, "--since", "2026-01-01", "--only", "drop,rise", "--group-by", "category", "-n", "1"],
      ...["-f", "table"],
    ]);

    const lines = stdout.split("\n").filter((line) => /^(Biggest|title|lamps|chairs|Title of)/.test(line));
    expect(lines.map((line) => line.replace(/ {2}.*/, ""))).toEqual([
      ...["Biggest drops from 2026-01-01 to 2026-01-08", "title", "lamps", "Title of fell"],
      ...["Biggest rises from 2026-01-01 to 2026-01-08", "title", "chairs", "Title of rose"],
    ]);
  });

  test("ends with 8 if a product meets --fail-if, after the output is complete", async () => {
    const folder = await syncedFolder(rows);
    const args = ["movers", folder, "--since", "2026-01-01", "--only", "drop"];

    const held = await runInProcess([...args, "--fail-if", "percent < -20"]);
    const free = await runInProcess([...args, "--fail-if", "percent < -20 and selling_price > 90"]);

    expect([held.code, held.stdout.split("\n").length, free.code]).toEqual([8, 2, 0]);
    expect(held.stderr).toBe("error: 1 product fell more than 20 %: acme fell\n");
  });

  test("sees products beyond the listed ones with --fail-if", async () => {
    const less = historyOf("less", [
      ["2026-01-01", 100],
      ["2026-01-08", 90],
    ]);
    const folder = await syncedFolder([...rows, ...less]);
    const listed = ["movers", folder, "-n", "1", "--only", "drop", "--columns", "sku", "-f", "csv"];
    const { code, stdout, stderr } = await runInProcess([...listed, "--fail-if", "percent > -20"]);

    expect({ code, stdout, stderr }).toEqual({
      code: 8,
      stdout: "sku\r\nfell\r\n",
      stderr: expect.stringContaining("error: percent > -20 holds for 1 product: acme less\n"),
    });
  });

  test.each<[string, History, object[]]>([
    [
      "says on which day an earlier low was last seen, and since when there is a new one",
      [
        ["2026-01-01", 10],
        ["2026-01-02", 8],
        ["2026-01-04", 8],
        ["2026-01-05", 9],
        ["2026-01-10", 6],
        ["2026-01-11", 6],
        ["2026-01-12", 7],
      ],
      [
        {
          ...{ low_date: "2026-01-04", low_selling_price: 8, date: "2026-01-12", selling_price: 7 },
          ...{ new_low_price: 6, reached_date: "2026-01-10", below_low_percent: -25 },
        },
      ],
    ],
    [
      "compares a new low with prices since the last change of currency only",
      [
        ["2026-01-01", 5],
        ["2026-01-04", 20, "USD"],
        ["2026-01-12", 18, "USD"],
      ],
      [
        {
          ...{ low_date: "2026-01-04", low_selling_price: 20, date: "2026-01-12", selling_price: 18 },
          ...{ new_low_price: 18, reached_date: "2026-01-12", below_low_percent: -10 },
        },
      ],
    ],
    [
      "takes no price in a new currency for a new low",
      [
        ["2026-01-01", 20],
        ["2026-01-12", 18, "USD"],
      ],
      [],
    ],
  ])("%s", async (_, history, expected) => {
    const folder = await syncedFolder(historyOf("lamp", history));
    const columns = [
      ...["low_date", "low_selling_price", "date", "selling_price"],
      ...["new_low_price", "reached_date", "below_low_percent"],
    ];
    const args = ["movers", folder, "--only", "new_low", "--columns", columns.join(), "-f", "ndjson"];
    const { code, stdout } = await runInProcess(args);
    expect([code, stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]))]).toEqual([
      0,
      expected,
    ]);
  });

  test.each([
    ["percent<=-20.5%", "1 product fell 20.5 % or more: "],
    ["percent > 5", "1 product rose more than 5 %: "],
    ["percent < -20 and selling_price > 1", "percent < -20 and selling_price > 1 holds for 1 product: "],
  ])("says what %s means", async (condition, words) => {
    const { code, stderr } = await runInProcess(["movers", await syncedFolder(rows), "--fail-if", condition]);

    expect([code, stderr]).toEqual([
      8,
      expect.stringMatching(new RegExp(`^error: ${words.replaceAll(/[+.%]/g, "\\$&")}`)),
    ]);
  });

  test.each([
    ["percent", "is not a condition"],
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

  test("names the days of the folder if there is nothing to compare", async () => {
    const { code, stderr } = await runInProcess(["movers", await syncedFolder(rows), "--since", "2026-01-08"]);

    expect(code).toBe(2);
    expect(stderr).toContain("has no row after 2026-01-08; its rows are from 2026-01-01 to 2026-01-08");
    expect(stderr).toContain("--since latest-7d\n");
  });

  test("has nothing to compare in a folder of one day, and names its first day in one that is younger than a week", async () => {
    const on = (...days: string[]) => syncedFolder(days.map((crawl_date) => product({ crawl_date })));
    const one = await on("2026-01-08");
    expect(await runInProcess(["movers", one])).toEqual({ code: 0, stdout: "", stderr: "" });
    expect((await runInProcess(["movers", one], { columns: 1000 })).stderr).toContain(
      "has one day, 2026-01-08: nothing to compare yet",
    );
    for (const since of ["7d", "latest-7d", "2026-01-08"]) {
      const { code, stderr } = await runInProcess(["movers", one, "--since", since]);
      expect([code, stderr]).toEqual([
        2,
        `error: --since ${since}: ${one} has one day, 2026-01-08: nothing to compare yet.\n`,
      ]);
    }
    const { code, stderr } = await runInProcess([
      "movers",
      await on("2026-01-06", "2026-01-08"),
      "--since",
      "latest-7d",
    ]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("Did you mean 2026-01-06?")]);
  });

  test("looks back a week from the newest day of the folder, however old that is", async () => {
    const folder = await syncedFolder(rows);
    const week = await runInProcess(["movers", folder, "--since", "latest-7d"]);

    expect(await runInProcess(["movers", folder])).toEqual(week);
  });

  test("shows what all rows share above the table, so that the sku fits a terminal of 80 columns", async () => {
    const more = ["2026-01-01", "2026-01-08"].map((crawl_date, index) =>
      product({ crawl_date, sku: "too", selling_price: 9 - index, mrp: 100 }),
    );
    const folder = await syncedFolder([...rows, ...more]);
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
    const folder = await syncedFolder(long);
    const movers = await runInProcess(["movers", folder, "--only", "drop", "--no-color"], { columns: 80 });
    expect(movers.stdout).toMatch(new RegExp(`^Long .*… +acme +${sku} +89,999.00 +▼? ?-0.0`, "m"));
    const history = await runInProcess(["history", "--search", "long", folder, "--no-color"], { columns: 80 });
    expect(history.stdout).toMatch(new RegExp(`^Long .*… +acme +${sku} +89,999`, "m"));
    const diff = await runInProcess(["diff", folder, "--no-color"], { columns: 80 });
    expect(diff.stdout).toMatch(new RegExp(`^acme +Long .*… +${sku} +89,999.00 +▼? ?-0.0`, "m"));
    const links = { FORCE_COLOR: "1", FORCE_HYPERLINK: "1" };
    const opened = `\u001b]8;;https://shop.example/p/${sku}\u001b\\Long `;
    for (const args of [["movers"], ["history", "--search", "long"], ["history", sku, "--retailer", "acme"]]) {
      const linked = await runInProcess([...args, folder, "-f", "table"], { columns: 80, env: links });
      expect(linked.stdout).toContain(opened);
      expect((await runInProcess([...args, folder, "-f", "table"], { columns: 80 })).stdout).not.toContain("]8;");
    }
  });

  test("sorts within each kind, and writes the chosen columns with brand and url", async () => {
    const folder = await syncedFolder(rows);
    const columns = ["--columns", "sku,brand,url"];
    const { stdout } = await runInProcess(["movers", folder, "--only", "drop,rise", ...columns, "-f", "csv"]);
    expect(stdout.split("\r\n")).toEqual([
      "sku,brand,url",
      "fell,Brand,https://shop.example/p/fell",
      "rose,Brand,https://shop.example/p/rose",
      "",
    ]);
    const more = ["2026-01-01", "2026-01-08"].flatMap((crawl_date, index) =>
      ["b", "c", "a"].map((sku, place) => product({ crawl_date, sku, selling_price: 10 - index * (place + 1) })),
    );
    const other = await syncedFolder(more);
    const skus = async (...args: string[]) => {
      const listing = ["movers", other, "--only", "drop", "--columns", "sku", "-f", "csv", ...args];
      return (await runInProcess(listing)).stdout.trimEnd().split("\r\n").slice(1);
    };
    expect(await skus()).toEqual(["a", "c", "b"]);
    expect(await skus("--sort", "sku")).toEqual(["a", "b", "c"]);
    expect(await skus("--sort", "selling_price:desc", "-n", "1")).toEqual(["b"]);
    const table = await runInProcess(["movers", other, "--only", "drop", "--columns", "sku,url", "-f", "table"]);
    expect(table.stdout).toMatch(/^sku {2}url\n.*\na {4}https:\/\/shop.example\/p\/a$/m);
    const unknown = await runInProcess(["movers", folder, "--columns", "ulr"]);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining("Did you mean url?")]);
  });

  test("asks for a folder if none is named", async () => {
    const { code, stderr } = await runInProcess(["movers"]);

    expect([code, stderr.split("\n")[0]]).toEqual([
      2,
      "error: name a folder of `catalog sync`; the current folder is not one. `catalog sync rows` creates one, and --demo uses generated rows.",
    ]);
  });
});
