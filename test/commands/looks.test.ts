import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { addDays } from "../../src/contract/values/day-arithmetic.ts";
import { lock } from "../../src/files/lock.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { servedFolder, syncedFolder } from "../helpers/synced-folder.ts";

const FIRST = "2026-01-01";
/** One product that gets cheaper by one each day. */
const rowsUpTo = (last: number) =>
  Array.from({ length: last + 1 }, (_, day) =>
    product({ crawl_date: addDays(FIRST, day), sku: "s", selling_price: 100 - day, mrp: 200 }),
  );

/** A folder of twenty days; `next` syncs one more. */
async function folderOfDays() {
  const { folder, replace, sync, alreadySynced } = await servedFolder(rowsUpTo(19));
  await alreadySynced(true);
  let last = 19;
  const next = async () => {
    last += 1;
    await replace(rowsUpTo(last));
    await sync();
  };
  return { folder, next };
}

/** The prices before and after that a command tells. */
const COMMANDS = {
  movers: {
    args: (folder: string) => ["movers", folder, "--only", "drop"],
    columns: "before_selling_price,selling_price",
  },
  diff: {
    args: (folder: string) => ["diff", folder, "--only", "changed"],
    columns: "from_selling_price,to_selling_price",
  },
} as const;
type Name = keyof typeof COMMANDS;

async function look(name: Name, folder: string, since = "last"): Promise<string[]> {
  const { args, columns } = COMMANDS[name];
  const { code, stdout, stderr } = await runInProcess([
    ...args(folder),
    ...["--since", since, "--columns", columns, "-f", "csv"],
  ]);
  expect([code, stderr]).toEqual([0, ""]);
  return stdout.trimEnd().split("\r\n").slice(1);
}

// Questions share the code of bookmarks.
describe("movers --since last", () => {
  test("takes the last week at first, and then what is newer than the last look", async () => {
    const { folder, next } = await folderOfDays();
    expect(await look("movers", folder)).toEqual(["88,81"]);
    expect(await look("movers", folder)).toEqual([]);
    await next();
    await next();
    expect(await look("movers", folder)).toEqual(["81,79"]);
    expect(await look("movers", folder)).toEqual([]);
  });

  test("compares with the first day of a folder that is younger than a week, and tells one day from no change", async () => {
    const { folder, replace, sync } = await servedFolder(rowsUpTo(0));
    await sync();
    const args = [...COMMANDS.movers.args(folder), "--since", "last", "-f", "csv", "--columns", "sku"];
    const first = await runInProcess(args, { columns: 200 });
    expect([first.stdout, first.stderr]).toEqual(["sku\r\n", expect.stringContaining("there is no newer day")]);
    await replace(rowsUpTo(2));
    await sync();
    expect(await look("movers", folder)).toEqual(["100,98"]);
    expect(await look("movers", folder, "last:new")).toEqual(["100,98"]);
  });

  test("keeps each name of a look, and those of another command, apart", async () => {
    const { folder, next } = await folderOfDays();
    expect(await look("movers", folder, "last:mail")).toEqual(["88,81"]);
    await next();
    expect(await look("movers", folder)).toEqual(["87,80"]);
    expect(await look("diff", folder, "last:mail")).toEqual(["87,80"]);
    expect(await look("diff", folder, "last:mail")).toEqual([]);
    expect(await look("movers", folder, "last:mail")).toEqual(["81,80"]);
  });

  test("does not move a look whose output failed, and moves one whose condition holds", async () => {
    const { folder, next } = await folderOfDays();
    expect(await look("movers", folder)).toEqual(["88,81"]);
    await next();
    const args = [...COMMANDS.movers.args(folder), "--since", "last"];
    const failed = await runInProcess([...args, "-o", join(folder, "none", "out.csv")]);
    expect(failed.code).toBe(EXIT.failure);
    expect((await runInProcess([...args, "--fail-if", "percent < 0"])).code).toBe(EXIT.condition);
    expect(await look("movers", folder)).toEqual([]);
  });

  test("tells a terminal what it compares", async () => {
    const { folder } = await folderOfDays();
    const args = [...COMMANDS.movers.args(folder), "--since", "last"];
    const said = async () => (await runInProcess(args, { columns: 100 })).stderr;
    expect(await said()).toContain("first use of --since last: compared with 2026-01-13\n");
    const what = "everything up to 2026-01-20 was written";
    expect(await said()).toContain(`--since last: ${what}; there is no newer day\n`);
  });

  test("compares a new retailer with the first day of the folder, without a warning", async () => {
    const { folder, replace, sync } = await servedFolder(rowsUpTo(1));
    await sync();
    const args = [...COMMANDS.movers.args(folder), "--since", "last"];
    await runInProcess(args);
    const newcomer = product({ crawl_date: addDays(FIRST, 2), retailer: "zeta" });
    await replace([...rowsUpTo(2), newcomer]);
    await sync();
    expect((await runInProcess(args)).stderr).toBe("");
  });

  test("refuses the name of the look without a name", async () => {
    const { folder } = await folderOfDays();
    const { code, stderr } = await runInProcess([...COMMANDS.movers.args(folder), "--since", "last:last"]);
    expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining("but not the name last")]);
  });

  test("ends before any output if another process takes the same look", async () => {
    const { folder } = await folderOfDays();
    const looks = join(folder, ".catalog", "looks");
    await mkdir(looks);
    const path = join(looks, "movers-mail.json");
    const held = await lock(path, `${path}.lock`, process.ppid);
    const { code, stdout } = await runInProcess([...COMMANDS.movers.args(folder), "--since", "last:mail"]);
    await held.release();
    expect([code, stdout]).toEqual([EXIT.unavailable, ""]);
    expect(await look("movers", folder, "last:mail")).toEqual(["88,81"]);
    expect(await readdir(looks)).toEqual(["movers-mail.json"]);
  });

  test("ends before any output if the folder cannot remember the look", async () => {
    const { folder } = await folderOfDays();
    await writeFile(join(folder, ".catalog", "looks"), "");
    const { code, stdout, stderr } = await runInProcess([...COMMANDS.movers.args(folder), "--since", "last"]);
    expect([code, stdout]).toEqual([EXIT.failure, ""]);
    expect(stderr).toContain(`--since last: ${folder} cannot store the bookmark: `);
    expect(stderr).toContain("If the folder is read-only, name a day: --since latest-7d.");
  });

  test("refuses a damaged look", async () => {
    const { folder } = await folderOfDays();
    await look("movers", folder);
    const path = join(folder, ".catalog", "looks", "movers-last.json");
    await writeFile(path, '{"version":1,"seen":"2026-02-31"}');
    const { code, stdout, stderr } = await runInProcess([...COMMANDS.movers.args(folder), "--since", "last"]);
    expect([code, stdout]).toEqual([EXIT.failure, ""]);
    expect(stderr).toContain(`${path} is damaged; remove it, and the next `);
  });

  test.each(["last:", "last:../state", "last:a b", "lasts"])("refuses --since %s", async (since) => {
    const { code, stdout } = await runInProcess(["movers", "rows", "--since", since]);
    expect([code, stdout]).toEqual([EXIT.usage, ""]);
  });
});

test("diff --since takes a day, too, and excludes --from and --to", async () => {
  const { folder } = await folderOfDays();
  expect(await look("diff", folder, "latest-2d")).toEqual(["83,81"]);
  for (const [flag, value] of [
    ["--from", "2026-01-01"],
    ["--to", "2026-01-03"],
  ] as const) {
    const { code, stderr } = await runInProcess(["diff", folder, "--since", "last", flag, value]);
    expect([code, stderr]).toEqual([EXIT.usage, expect.stringContaining(`--since cannot be combined with ${flag}: `)]);
  }
  const { code, stderr } = await runInProcess(["diff", "--since", "last"]);
  expect([code, stderr]).toEqual([
    EXIT.usage,
    expect.stringContaining("--since last needs a folder of `catalog sync`"),
  ]);
});

test("a bookmark never moves back, and warns of one from before the first day", async () => {
  const { folder, next } = await folderOfDays();
  await look("movers", folder);
  const older = await runInProcess([
    "movers",
    folder,
    "--since",
    "last",
    "--retailer",
    "acme",
    "--end-date",
    "2026-01-05",
  ]);
  expect([older.code, older.stdout]).toEqual([EXIT.ok, ""]);
  await next();
  const bookmark = (called: string, day: string) =>
    writeFile(
      join(folder, ".catalog", "looks", `movers-${called}.json`),
      JSON.stringify({ version: 2, seen: { acme: day } }),
    );
  await bookmark("old", "2025-01-01");
  const old = await runInProcess([...COMMANDS.movers.args(folder), "--since", "last:old", "-f", "csv"]);
  expect([old.code, old.stdout.trimEnd().split("\r\n").length]).toEqual([EXIT.ok, 1]);
  expect(old.stderr).toContain(
    `warning: --since last:old: ${folder} begins on 2026-01-01, after the bookmark (2025-01-01)`,
  );
  // No day after today can have been seen: what is remembered is not believed.
  await bookmark("new", "2062-01-01");
  expect(await look("movers", folder, "last:new")).toEqual(["87,80"]);
  await next();
  expect(await look("movers", folder, "last:new")).toEqual(["80,79"]);
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
  const late = [2, 3].map((day) => product({ crawl_date: addDays(FIRST, day), retailer: "zeta" }));
  const folder = await syncedFolder([...rowsUpTo(3), ...late]);
  const { code, stderr } = await runInProcess(["movers", folder, "--retailer", "zeta", "--since", FIRST]);
  const [first, latest] = [addDays(FIRST, 2), addDays(FIRST, 3)];
  expect([code, stderr]).toEqual([
    EXIT.usage,
    expect.stringContaining(
      `${folder}, with these filters, has no matching row up to ${FIRST}; its matching rows are from ${first} to ${latest}.`,
    ),
  ]);
});
