import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { addDays } from "../../src/contract/values/day-arithmetic.ts";
import { lock } from "../../src/files/lock.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { servedFolder, syncedFolder } from "../helpers/synced-folder.ts";

const FIRST = "2026-01-01";
/** One product that gets cheaper by one each day. */
const rowsUpTo = (last: number) =>
  Array.from({ length: last + 1 }, (_, day) =>
    product({ crawl_date: addDays(FIRST, day), sku: "s", selling_price: 100 - day, mrp: 200 }),
  );

/** The days of a retailer that comes late, with a price that stays. */
const LATE = [18, 19].map((day) => addDays(FIRST, day));
const TWENTY_DAYS = [...rowsUpTo(19), ...LATE.map((crawl_date) => product({ crawl_date, retailer: "zeta" }))];

const onEnd = afterAllTests();
/** A folder of twenty days. Each test has bookmarks with names of its own. */
let folder: string;
beforeAll(async () => {
  folder = await syncedFolder(TWENTY_DAYS, onEnd);
});

const bookmarkOf = (of: string, name: string) => join(of, ".catalog", "looks", `movers-${name}.json`);
const drops = (since: string, of = folder) => ["movers", of, "--only", "drop", "--since", since];

/** The prices before and after that a command tells. */
const COMMANDS = {
  movers: { args: ["--only", "drop"], columns: "before_selling_price,selling_price" },
  diff: { args: ["--only", "changed"], columns: "from_selling_price,to_selling_price" },
} as const;

async function look(name: keyof typeof COMMANDS, of: string, since = "last"): Promise<string[]> {
  const { args, columns } = COMMANDS[name];
  const { code, stdout, stderr } = await runInProcess([
    ...[name, of, ...args, "--since", since, "--columns", columns, "-f", "csv"],
  ]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout.trimEnd().split("\r\n").slice(1);
}

// Questions share the code of bookmarks.
describe("movers --since last", () => {
  test("tells the last week at first, and then what is newer than the last output of its name that was written", async () => {
    const served = await servedFolder(TWENTY_DAYS);
    const { folder } = served;
    await served.alreadySynced(true);
    expect(await look("movers", folder)).toEqual(["88,81"]);
    expect(await look("movers", folder)).toEqual([]);
    // An earlier last day does not move the bookmark back, and one retailer alone does not forget the others.
    const older = await runInProcess([...drops("last", folder), "--retailer", "acme", "--end-date", "2026-01-05"]);
    expect(older).toMatchObject({ code: EXIT.ok, stdout: "" });
    const other = await runInProcess([...drops("last", folder), "--retailer", "zeta"], { columns: 100 });
    expect(other.stderr).toContain("everything up to 2026-01-20 was written");
    expect(await look("movers", folder, "last:mail")).toEqual(["88,81"]);
    const failed = await runInProcess([...drops("last:failed", folder), "-o", join(folder, "none", "out.csv")]);
    const held = await runInProcess([...drops("last:alert", folder), "--fail-if", "percent < 0"]);
    expect({ failedCode: failed.code, heldCode: held.code }).toEqual({
      failedCode: EXIT.failure,
      heldCode: EXIT.condition,
    });
    // No day after today can have been seen: what is remembered is not believed.
    const seen = { acme: "2062-01-01" };
    await writeFile(bookmarkOf(folder, "future"), JSON.stringify({ version: 2, seen }));
    expect(await look("movers", folder, "last:future")).toEqual(["88,81"]);

    await served.replace([...TWENTY_DAYS, ...rowsUpTo(21).slice(20)]);
    await served.sync();
    expect(await look("movers", folder)).toEqual(["81,79"]);
    expect(await look("movers", folder)).toEqual([]);
    expect(await look("diff", folder, "last:mail")).toEqual(["86,79"]);
    expect(await look("diff", folder, "last:mail")).toEqual([]);
    for (const name of ["mail", "alert", "future"]) {
      expect({ name, look: await look("movers", folder, `last:${name}`) }).toEqual({ name, look: ["81,79"] });
    }
    expect(await look("movers", folder, "last:failed")).toEqual(["86,79"]);
  });

  test("compares with the first day of a folder younger than a week, also a new retailer, and tells one day from no change", async () => {
    const { folder, replace, sync } = await servedFolder(rowsUpTo(0));
    await sync();
    const first = await runInProcess([...drops("last", folder), "-f", "csv", "--columns", "sku"], { columns: 200 });
    expect(first).toMatchObject({ stdout: "sku\r\n", stderr: expect.stringContaining("there is no newer day") });
    await replace([...rowsUpTo(2), product({ crawl_date: addDays(FIRST, 2), retailer: "zeta" })]);
    await sync();
    expect(await look("movers", folder)).toEqual(["100,98"]);
    expect(await look("movers", folder, "last:new")).toEqual(["100,98"]);
  });

  test("tells a terminal what it compares", async () => {
    const said = async () => (await runInProcess(drops("last"), { columns: 100 })).stderr;
    expect(await said()).toContain("first use of --since last: compared with 2026-01-13\n");
    const what = "everything up to 2026-01-20 was written";
    expect(await said()).toContain(`--since last: ${what}; there is no newer day\n`);
  });

  test("warns of a bookmark from before the first day, and refuses a damaged one", async () => {
    const [old, damaged] = [bookmarkOf(folder, "old"), bookmarkOf(folder, "damaged")];
    await mkdir(join(folder, ".catalog", "looks"), { recursive: true });
    await writeFile(old, JSON.stringify({ version: 2, seen: { acme: "2025-01-01" } }));
    await writeFile(damaged, '{"version":1,"seen":"2026-02-31"}');
    expect(await runInProcess([...drops("last:old"), "--columns", "sku", "-f", "csv"])).toEqual({
      ...{ code: EXIT.ok, stdout: "sku\r\n" },
      stderr: expect.stringContaining(
        `warning: --since last:old: ${folder} begins on 2026-01-01, after the bookmark (2025-01-01)`,
      ),
    });
    expect(await runInProcess(drops("last:damaged"))).toEqual({
      ...{ code: EXIT.failure, stdout: "" },
      stderr: expect.stringContaining(`${damaged} is damaged; remove it, and the next `),
    });
  });

  test("ends before any output if another process takes the same look", async () => {
    const path = bookmarkOf(folder, "taken");
    await mkdir(join(folder, ".catalog", "looks"), { recursive: true });
    const held = await lock(path, `${path}.lock`, process.ppid);
    const { code, stdout } = await runInProcess(drops("last:taken"));
    await held.release();
    expect({ code, stdout }).toEqual({ code: EXIT.unavailable, stdout: "" });
    expect(await look("movers", folder, "last:taken")).toEqual(["88,81"]);
    expect(await readdir(join(folder, ".catalog", "looks"))).not.toContain("movers-taken.json.lock");
  });

  test("ends before any output if the folder cannot remember the look", async () => {
    const unwritable = await syncedFolder(TWENTY_DAYS);
    await writeFile(join(unwritable, ".catalog", "looks"), "");
    const { code, stdout, stderr } = await runInProcess(drops("last", unwritable));
    expect({ code, stdout }).toEqual({ code: EXIT.failure, stdout: "" });
    expect(stderr).toContain(`--since last: ${unwritable} cannot store the bookmark: `);
    expect(stderr).toContain("If the folder is read-only, name a day: --since latest-7d.");
  });

  test.each([
    ["last:", ""],
    ["last:../state", ""],
    ["last:a b", ""],
    ["lasts", ""],
    ["last:last", "but not the name last"],
  ])("refuses --since %s", async (since, reason) => {
    expect(await runInProcess(["movers", "rows", "--since", since])).toMatchObject({
      code: EXIT.usage,
      stdout: "",
      stderr: expect.stringContaining(reason),
    });
  });
});

test("diff --since takes a day, too, and excludes --from and --to", async () => {
  expect(await look("diff", folder, "latest-2d")).toEqual(["83,81"]);
  for (const [args, reason] of [
    [[folder, "--from", "2026-01-01"], "--since cannot be combined with --from: "],
    [[folder, "--to", "2026-01-03"], "--since cannot be combined with --to: "],
    [[], "--since last needs a folder of `catalog sync`"],
  ] as const) {
    expect(await runInProcess(["diff", ...args, "--since", "last"])).toMatchObject({
      code: EXIT.usage,
      stderr: expect.stringContaining(reason),
    });
  }
});

test("what came after the last day of a retailer is told later", async () => {
  const dropping = (retailer: string, days: number) =>
    rowsUpTo(days).map((row) => ({ ...row, retailer, product_id: `${retailer}-${row.product_id}` }));
  const folder = await syncedFolder([...dropping("acme", 19), ...dropping("bolt", 12)]);
  const drops = async (...flags: string[]) => {
    const { stdout } = await runInProcess([
      ...["movers", folder, "--only", "drop", "--since", "last", ...flags],
      ...["--columns", "retailer,before_selling_price,selling_price", "-f", "csv"],
    ]);
    return stdout.trimEnd().split("\r\n").slice(1);
  };
  for (const [name, heading] of [
    ["movers", "Biggest drops from 2026-01-06 or later to 2026-01-20"],
    ["diff", "Changes from 2026-01-06 or later to 2026-01-20, by last known prices"],
  ] as const) {
    const { stdout } = await runInProcess([name, folder, "--since", "last:table", "-f", "table"]);
    expect(stdout).toContain(`${heading}\n`);
  }
  // Each retailer has its own newest day.
  expect(await drops("--end-date", "latest-4d")).toEqual(["acme,92,85", "bolt,99,92"]);
  expect(await drops()).toEqual(["acme,85,81", "bolt,92,88"]);
  expect(await drops()).toEqual([]);
});

test("rows that the filters leave out are not said to be missing from the folder", async () => {
  expect(await runInProcess(["movers", folder, "--retailer", "zeta", "--since", FIRST])).toMatchObject({
    code: EXIT.usage,
    stderr: expect.stringContaining(
      `${folder}, with these filters, has no matching row up to ${FIRST}; its matching rows are from ${LATE[0]} to ${LATE[1]}.`,
    ),
  });
});
