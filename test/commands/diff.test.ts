import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { recordsOf, runInProcess } from "../helpers/in-process.ts";
import { onceEach } from "../helpers/once-each.ts";
import { product } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

const MONDAY = "2026-01-12";
const TUESDAY = "2026-01-13";
const DAYS = ["--from", MONDAY, "--to", TUESDAY];

/** A row whose prices are written with digits that a parser would lose. */
function row(sku: string, crawl_date: string, selling: string, given: Record<string, unknown> = {}): string {
  const text = JSON.stringify({ ...product({ sku, crawl_date, ...given }), selling_price: 0 });
  return text.replace('"selling_price":0', `"selling_price":${selling}`);
}

const onEnd = afterAllTests();
const serviceOf = onceEach((...rows: readonly string[]) => startTestService({ rows, onEnd }));

async function diff(rows: readonly string[], ...args: string[]) {
  return await runInProcess(["diff", ...DAYS, ...args], { service: await serviceOf(...rows) });
}

const WEEK = [
  row("dearer", MONDAY, "19.90"),
  row("dearer", TUESDAY, "21.50"),
  row("gone", MONDAY, "5"),
  row("new", TUESDAY, "7.00"),
  row("same", MONDAY, "3.10"),
  row("same", TUESDAY, "3.1", { title: "Reworded" }),
];

const PLACE = { retailer: "acme", department: "home", category: "lamps", from_date: MONDAY, to_date: TUESDAY };

test("lists what changed price, vanished and appeared, and nothing else, before a condition fails", async () => {
  const { code, stdout, stderr } = await diff(WEEK, "--fail-if", "percent > 5");
  const before = { from_mrp: 20, from_discount_pct: 25, from_currency: "EUR" };
  const after = { to_mrp: 20, to_discount_pct: 25, to_currency: "EUR" };
  const never = { from_mrp: null, from_selling_price: null, from_discount_pct: null, from_currency: null };
  const nevermore = { to_mrp: null, to_selling_price: null, to_discount_pct: null, to_currency: null };
  expect({ code, stderr, records: recordsOf(stdout) }).toEqual({
    code: 8,
    stderr: "error: 1 product rose more than 5 %: acme dearer\n",
    records: [
      {
        ...PLACE,
        ...before,
        ...after,
        change: "changed",
        sku: "dearer",
        title: "Title of dearer",
        from_selling_price: 19.9,
        to_selling_price: 21.5,
        percent: 8.040201,
        difference: 1.6,
        reason: null,
        from_seen: MONDAY,
        to_seen: TUESDAY,
      },
      {
        ...PLACE,
        ...before,
        ...nevermore,
        change: "vanished",
        sku: "gone",
        title: "Title of gone",
        from_selling_price: 5,
        percent: null,
        difference: null,
        reason: null,
        from_seen: MONDAY,
        to_seen: null,
      },
      {
        ...PLACE,
        ...never,
        ...after,
        change: "appeared",
        sku: "new",
        title: "Title of new",
        to_selling_price: 7,
        percent: null,
        difference: null,
        reason: null,
        from_seen: null,
        to_seen: TUESDAY,
      },
    ],
  });
});

test("a table that is not on a terminal has all differences, and --fail-if is about the kinds that are written", async () => {
  const rows = Array.from({ length: 43 }, (_, index) => row(`p${index}`, TUESDAY, "1"));
  const others = [row("p0", MONDAY, "1"), row("dearer", MONDAY, "1"), row("dearer", TUESDAY, "2")];
  const flags = ["-f", "table", "--only", "appeared", "--fail-if", "percent > 5"];
  const { code, stdout } = await diff([...others, ...rows], ...flags);
  expect({ code, matchCount: stdout.match(/^Title of p\d+/gm)?.length }).toEqual({ code: 0, matchCount: 42 });
  expect(stdout.split("\n").slice(-3)).toEqual(["", "1 changed, 42 appeared, 0 vanished, 1 unchanged", ""]);
});

test("compares a sku of a retailer, wherever it is listed, and warns of a retailer without rows on a day", async () => {
  const { stdout, stderr } = await diff([
    ...[row("7", MONDAY, "1"), row("7", TUESDAY, "1", { retailer: "zeta" })],
    ...[row("moved", MONDAY, "1"), row("moved", TUESDAY, "1", { category: "sofas" })],
    row("8", MONDAY, "1", { retailer: "bolt" }),
  ]);
  expect(recordsOf(stdout).map(({ change, retailer, sku }) => [change, retailer, sku])).toEqual([
    ["vanished", "acme", "7"],
    ["vanished", "bolt", "8"],
    ["appeared", "zeta", "7"],
  ]);
  expect(stderr).toBe(
    [
      "warning: no rows on 2026-01-12 of zeta: all their products count as appeared",
      "warning: no rows on 2026-01-13 of bolt: all their products count as vanished",
      "",
    ].join("\n"),
  );
});

test("--fail-on-empty makes a day without rows an error, and no file is left", async () => {
  const file = join(await temporaryFolder(), "changes.csv");
  const { code, stderr } = await diff([row("1", MONDAY, "1")], "--fail-on-empty", "-o", file);
  expect(code).toBe(7);
  expect(stderr).toContain("no rows match on 2026-01-13");
  await expect(readFile(file)).rejects.toMatchObject({ code: "ENOENT" });
});

test.each([
  [["diff", "--demo"], "--from is missing: name the earlier of the two crawl days"],
  [["diff", "--demo", "--from", TUESDAY, "--to", MONDAY], "--from 2026-01-13 is not before --to 2026-01-12"],
  [
    ["diff", "--demo", "--from", "7d", "--only", "change"],
    '--only "change" is not one of changed, appeared, returned, vanished',
  ],
  [["diff", "--from", "7d", "--as-of"], "--as-of needs the rows of all earlier days"],
  [["diff", "--from", "7d", "--max-age", "7d"], "--max-age needs the rows of all earlier days"],
  [
    ["diff", "--demo", "--from", "7d", "--max-age", "7"],
    '--max-age "7" is not a number of days; write 0d to 99999d, such as 14d',
  ],
  [["diff", "--demo", "--from", "7d", "--max-age", "7d", "--no-as-of"], "leave out one of the two"],
  [["diff", "--demo", "--since", "latest"], /--since [\d-]+ is not before the newest day, [\d-]+\.\n/],
  [["diff", "--demo", "--from", MONDAY, "--to", MONDAY], "--from 2026-01-12 is not before --to 2026-01-12"],
])("refuses %j", async (args, message) => {
  const { code, stdout, stderr } = await runInProcess(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(message);
});

test("--from latest-1d compares with the newest day, which need not be yesterday, of a service and of a folder", async () => {
  const service = await startTestService({ rows: WEEK });
  const folder = join(await temporaryFolder(), "rows");
  await runInProcess(["sync", folder], { service });
  const now = () => Date.parse("2026-02-01T12:00:00Z");
  const args = ["--from", "latest-1d", "--only", "changed", "--columns", "sku,to_date", "-f", "csv"];
  const expected = { code: 0, stdout: `sku,to_date\r\ndearer,${TUESDAY}\r\n`, stderr: "" };
  expect(await runInProcess(["diff", ...args], { service, now })).toEqual(expected);
  expect(await runInProcess(["diff", folder, ...args], { now })).toEqual(expected);
});
