import { expect, test } from "vitest";
import { addDays } from "../../src/contract/values/day-arithmetic.ts";
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

test.each([[[]], [["--as-of"]]])(
  "compares the last known price of each product up to the two days: %j",
  async (flags) => {
    const { code, records } = await diff(...flags, "--only", "changed");
    expect({ code, records }).toEqual({
      code: 0,
      records: [
        expect.objectContaining({
          ...{
            sku: "fell",
            title: "New title",
            from_selling_price: 10,
            to_selling_price: 7,
            percent: -30,
            difference: -3,
          },
          ...{ from_date: FROM, to_date: TO, from_seen: FIRST, to_seen: BETWEEN },
        }),
        expect.objectContaining({ sku: "old", from_seen: FIRST, to_seen: TO, percent: 20 }),
      ],
    });
  },
);

test.each([
  ["drop", ["fell", "old"]],
  ["rise", ["old", "fell"]],
])("sorts by the biggest %s", async (sort, expected) => {
  const { skus } = await diff("--only", "changed", "--sort", sort);
  expect(skus.map(([, sku]) => sku)).toEqual(expected);
});

test("a price is known for --max-age, and what is known again was never gone or returned", async () => {
  const only = ["--only", "appeared,returned,vanished"];
  const unbounded = await diff("--max-age", "none", ...only);
  const bounded = await diff("--max-age", "4d", ...only);
  const exactly = await diff("--max-age", "5d", "--only", "vanished");
  expect(unbounded.skus).toEqual([
    ["appeared", "late"],
    ["appeared", "new"],
  ]);
  expect(bounded.skus).toEqual([
    ["returned", "fell"],
    ["appeared", "late"],
    ["appeared", "new"],
    ["returned", "old"],
    ["vanished", "once"],
    ["vanished", "twice"],
  ]);
  expect({ code: exactly.code, skus: exactly.skus }).toEqual({ code: 0, skus: [] });
});

test("counts each kind below a table, which lists what changed or, one after the other, the kinds that are named", async () => {
  const { stdout } = await diff("--max-age", "4d", "-f", "table");
  expect(stdout).toContain(
    ", by last known prices\n0 changed, 2 appeared, 2 returned, 2 vanished (2 unknown), 1 unchanged\n",
  );
  const all = await diff("--max-age", "4d", "-f", "table", "--only", "vanished,returned,appeared,changed");
  expect(all.stdout.match(/^(changed|appeared|returned|vanished)/gm)).toEqual([
    ...["appeared", "appeared", "returned", "returned", "vanished", "vanished"],
  ]);
});

test("says why products vanished, as latest --gone does: gone from a shop that was crawled, or not crawled", async () => {
  const days = Array.from({ length: 20 }, (_, day) => addDays(FIRST, day));
  const shop = (retailer: string, until: string, gone: string) =>
    days
      .filter((day) => day <= until)
      .flatMap((crawl_date) =>
        ["a", "b", "c", "d", "e", "f", "gone"]
          .filter((sku) => sku !== "gone" || crawl_date <= gone)
          .map((sku) => product({ retailer, sku, crawl_date, selling_price: 40 - Number(crawl_date.slice(-2)) })),
      );
  const folder = await syncedFolder([
    ...shop("acme", "2026-01-20", "2026-01-05"),
    ...shop("bolt", "2026-01-05", "2026-01-05"),
  ]);
  const seen = "2026-01-05";
  const questions = [
    [
      ...["diff", folder, "--from", FROM, "--to", "2026-01-20", "--only", "vanished"],
      ...["--columns", "retailer,sku,from_selling_price,from_seen,reason"],
    ],
    ["latest", folder, "--gone", "--columns", "retailer,sku,selling_price,crawl_date,reason"],
  ];
  const [diff, latest] = await Promise.all(questions.map((args) => runInProcess([...args, "-f", "csv"])));
  for (const answer of [diff, latest]) {
    expect(answer?.stdout.trimEnd().split("\r\n").slice(1).sort()).toEqual([
      `acme,gone,35,${seen},gone`,
      ...["a", "b", "c", "d", "e", "f", "gone"].map((sku) => `bolt,${sku},35,${seen},not_crawled`),
    ]);
  }
  expect(diff?.stderr).toBe(
    [
      "warning: on 2026-01-10 fewer rows than usual were crawled of bolt (outage)",
      "warning: on 2026-01-20 fewer rows than usual were crawled of bolt (outage)",
      "",
    ].join("\n"),
  );
});

test.each(["--strict-days", "--no-as-of"])("%s compares the rows of the days themselves", async (flag) => {
  const { skus } = await diff(flag);
  expect(skus).toEqual([
    ["appeared", "late"],
    ["appeared", "old"],
    ["vanished", "once"],
    ["vanished", "twice"],
  ]);
});

test("--strict-days names a retailer without rows on one of the days, and none without rows on both", async () => {
  const others = [product({ retailer: "bolt", crawl_date: FROM }), product({ retailer: "zeta", crawl_date: BETWEEN })];
  const folder = await syncedFolder([...ROWS, ...others]);
  const { stderr } = await runInProcess(["diff", folder, "--strict-days", "--from", FROM, "--to", TO]);
  expect(stderr).toBe("warning: no rows on 2026-01-15 of bolt: all their products count as vanished\n");
});

test("rows after --to show that a price up to it is wrong", async () => {
  const rows = [at("s", FROM, 100), at("s", BETWEEN, 5), at("s", TO, 100), at("s", "2026-01-16", 100)];
  const folder = await syncedFolder(rows);
  const { stdout, stderr } = await runInProcess(["diff", folder, "--from", FROM, "--to", BETWEEN, "-f", "csv"]);
  expect({ stdoutLines: stdout.split("\r\n").length, stderr }).toEqual({ stdoutLines: 2, stderr: "" });
});
