import { copyFile, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { FileError, UsageError } from "../../../src/contract/errors.ts";
import { addDays } from "../../../src/contract/values/day-arithmetic.ts";
import { PARQUET_WRITER } from "../../../src/export/formats/parquet.ts";
import { fingerprint } from "../../../src/files/fingerprint.ts";
import { readStateOf } from "../../../src/folder/folder-state.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { parquetOf } from "../../helpers/parquet-files.ts";
import { product, products } from "../../helpers/products.ts";
import { FIRST_DAY, rewriteDay, servedFolder } from "../../helpers/synced-folder.ts";
import { failureOf } from "../../helpers/test-client.ts";

const OTHER_DAY = "2019-05-05";

/** A Parquet file of somebody else's. */
const FOREIGN = await parquetOf([['{"id":"1"}']], { known: ["id"] });

async function place(path: string, content: Buffer | string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

describe("a folder without a state", () => {
  test.each([false, true])("with another program's day file is refused, with adopt: %s", async (adopt) => {
    const rows = await servedFolder(products(2));
    await place(rows.file(OTHER_DAY), FOREIGN);
    const failure = await failureOf(rows.sync({ adopt }));
    expect(failure).toBeInstanceOf(UsageError);
    expect(String(failure)).toContain(`crawl_date=${OTHER_DAY}/part-0.parquet`);
    expect(await readFile(rows.file(OTHER_DAY))).toEqual(FOREIGN);
    expect(await readdir(rows.folder)).toEqual([`crawl_date=${OTHER_DAY}`]);
  });

  test.each([false, true])("with other files in day folders is refused, with adopt: %s", async (adopt) => {
    const rows = await servedFolder(products(2));
    await place(join(rows.folder, `crawl_date=${OTHER_DAY}/data_0.parquet`), FOREIGN);
    await expect(rows.sync({ adopt })).rejects.toThrow("data_0.parquet");
    expect(await readdir(rows.folder)).toEqual([`crawl_date=${OTHER_DAY}`]);
  });

  test("that catalog wrote is refused, and accepted with --adopt", async () => {
    const rows = await servedFolder(products(3, { crawl_date: FIRST_DAY }));
    await rows.alreadySynced();
    await rm(join(rows.folder, ".catalog"), { recursive: true });
    const gone = products(2, { crawl_date: OTHER_DAY });
    await rows.replace([...products(4, { crawl_date: FIRST_DAY }), product({ crawl_date: addDays(FIRST_DAY, 1) })]);
    const other = await servedFolder(gone);
    await other.alreadySynced();
    await mkdir(dirname(rows.file(OTHER_DAY)));
    await copyFile(other.file(OTHER_DAY), rows.file(OTHER_DAY));

    await expect(rows.sync()).rejects.toThrow("take them over with --adopt");
    expect(await rows.sync({ adopt: true })).toMatchObject({
      daysRemoved: 1,
      rowsAdded: 2,
      rowsReplaced: 3,
      rowsRemoved: 2,
    });
    expect(await rows.copy()).toEqual(rows.expected());
  });

  test.each([
    ["of another day", [1, 1, 1]],
    ["with a row of a later day", [0, 0, 1]],
    ["with a row of an earlier day", [-1, 0, 0]],
  ])("with a file of an earlier version %s in a day's folder is refused", async (_, after) => {
    const rows = await servedFolder(products(3, { crawl_date: FIRST_DAY }));
    await rows.alreadySynced();
    const crawled = after.map((days) => addDays(OTHER_DAY, days));
    await rewriteDay(rows.folder, FIRST_DAY, (row) => ({ ...row, crawl_date: crawled.shift() }));
    const content = await readFile(rows.file(FIRST_DAY));
    await rm(rows.folder, { recursive: true });
    await place(rows.file(OTHER_DAY), content);
    await expect(rows.sync({ adopt: true })).rejects.toThrow("did not write");
    expect(await readFile(rows.file(OTHER_DAY))).toEqual(content);
  });

  test("with a file whose columns are in another order is refused", async () => {
    const rows = await servedFolder(products(3, { crawl_date: FIRST_DAY }));
    await rows.alreadySynced();
    const content = await readFile(rows.file(FIRST_DAY), "latin1");
    const swapped = content.replace(/brand|title/g, (name) => (name === "brand" ? "title" : "brand"));
    await rm(rows.folder, { recursive: true });
    await place(rows.file(FIRST_DAY), Buffer.from(swapped, "latin1"));
    await expect(rows.sync({ adopt: true })).rejects.toThrow("did not write");
  });

  test.each([
    [3, ""],
    [5, " and 2 more"],
  ])("with %i files of other programs is refused with the names of the first three", async (count, more) => {
    const rows = await servedFolder(products(2));
    const days = Array.from({ length: count }, (_, day) => addDays(OTHER_DAY, day));
    for (const day of days) {
      await place(rows.file(day), FOREIGN);
    }
    const names = days.slice(0, 3).map((day) => `crawl_date=${day}/part-0.parquet`);
    await expect(rows.sync()).rejects.toMatchObject({
      message: `${rows.folder} has day folders that \`catalog sync\` does not know: ${names.join(", ")}${more}. Name another folder. If catalog wrote them, take them over with --adopt.`,
    });
    await expect(rows.sync({ adopt: true })).rejects.toMatchObject({
      message: `${rows.folder} cannot be taken over, because \`catalog sync\` did not write ${names.join(", ")}${more}. Move them away, or name another folder.`,
      flag: "--adopt",
    });
  });

  test("with a file that another program wrote with the same columns is refused", async () => {
    const rows = await servedFolder(products(3, { crawl_date: FIRST_DAY }));
    await rows.alreadySynced();
    const content = await readFile(rows.file(FIRST_DAY), "latin1");
    const other = content.replace(PARQUET_WRITER, (name) => "x".repeat(name.length));
    expect(other).not.toBe(content);
    await rm(rows.folder, { recursive: true });
    await place(rows.file(FIRST_DAY), Buffer.from(other, "latin1"));
    await expect(rows.sync({ adopt: true })).rejects.toThrow("did not write");
  });

  test("with a file of an earlier version, which has the day as a column, is taken over", async () => {
    const rows = await servedFolder(products(3, { crawl_date: FIRST_DAY }));
    await rows.alreadySynced();
    await rewriteDay(rows.folder, FIRST_DAY, (row) => ({ ...row, crawl_date: FIRST_DAY }));
    await rm(join(rows.folder, ".catalog"), { recursive: true });
    expect(await rows.sync({ adopt: true })).toMatchObject({ days: 1, rowsReplaced: 3, rowsAdded: 0 });
    expect(await rows.copy()).toEqual(rows.expected());
  });

  test("with days outside the filters is not taken over", async () => {
    const rows = await servedFolder(products(3, { crawl_date: FIRST_DAY }));
    await rows.alreadySynced();
    await rm(join(rows.folder, ".catalog"), { recursive: true });
    const filters = { start_date: addDays(FIRST_DAY, 1) };
    await expect(rows.sync({ adopt: true, filters })).rejects.toThrow(
      `it has days outside the filters: ${FIRST_DAY}. Use filters that include them, or move them away.`,
    );
    expect(await rows.copy()).toEqual(rows.expected());
  });
});

describe("in a synced folder", () => {
  test("another file in a day's folder is reported, not read and not removed", async () => {
    const rows = await servedFolder(products(3, { crawl_date: FIRST_DAY }));
    await rows.alreadySynced();
    const stranger = join(`crawl_date=${FIRST_DAY}`, "part-1.parquet");
    await writeFile(join(rows.folder, stranger), FOREIGN);
    expect(await rows.sync({ lookback: 2 })).toMatchObject({ unexpectedFiles: [stranger], rowsReplaced: 0 });
    await rows.replace([product({ crawl_date: addDays(FIRST_DAY, 1) })]);
    expect(await rows.sync({ allowShrink: true })).toMatchObject({ unexpectedFiles: [stranger], daysRemoved: 1 });
    expect(await readdir(join(rows.folder, `crawl_date=${FIRST_DAY}`))).toEqual(["part-1.parquet"]);
  });

  test("a day file that the state does not list is refused and stays", async () => {
    const rows = await servedFolder(products(3, { crawl_date: FIRST_DAY }));
    await rows.alreadySynced();
    await place(rows.file(OTHER_DAY), "a stranger");
    await expect(rows.sync()).rejects.toThrow(UsageError);
    await expect(rows.sync({ adopt: true })).rejects.toThrow("did not write");
    expect(await readFile(rows.file(OTHER_DAY), "utf8")).toBe("a stranger");
  });
});

test("a day file that an interrupted run began to take over is taken over by the next run", async () => {
  const [held, late, adopted] = [FIRST_DAY, addDays(FIRST_DAY, 5), addDays(FIRST_DAY, 9)];
  const interrupted: string[] = [];
  let isInterrupting = false;
  const days = [held, addDays(FIRST_DAY, 7)].flatMap((crawl_date) => products(3, { crawl_date }));
  const rows = await servedFolder(days, (client) => ({
    ...client,
    coverage: async (filters, signal) => {
      if (isInterrupting && filters.start_date === adopted) {
        interrupted.push(adopted);
        throw new Error("enough");
      }
      return await client.coverage(filters, signal);
    },
  }));
  const other = await servedFolder(products(2, { crawl_date: adopted }));
  await rows.sync();
  await other.sync();
  await mkdir(dirname(rows.file(adopted)));
  await copyFile(other.file(adopted), rows.file(adopted));
  await rows.replace([...rows.all(), product({ crawl_date: late, retailer: "bolt" })]);
  isInterrupting = true;
  await expect(rows.sync({ adopt: true })).rejects.toThrow("enough");
  expect({ interrupted, days: await rows.days() }).toEqual({
    interrupted: [adopted],
    days: [held, late, addDays(FIRST_DAY, 7), adopted],
  });
  const state = await readStateOf(rows.folder);
  const { counts = [], ...day } = state?.days[adopted] ?? {};
  const content = { rows: 2, digest: "", ...(await fingerprint(rows.file(adopted))) };
  expect({ day, counts: [...counts], pending: state?.pending }).toEqual({
    day: content,
    counts: [],
    pending: [adopted],
  });
  isInterrupting = false;
  expect(await rows.sync()).toMatchObject({ daysRemoved: 1, rowsRemoved: 2 });
  expect(await rows.copy()).toEqual(rows.expected());
});

describe("a planted link is refused, and its target is not changed:", () => {
  test("the tool's own folder", async () => {
    const rows = await servedFolder(products(3));
    const victim = await temporaryFolder();
    await place(join(victim, "staging/precious"), "data");
    await mkdir(rows.folder);
    await symlink(victim, join(rows.folder, ".catalog"));
    await expect(rows.sync()).rejects.toThrow(FileError);
    expect(await readdir(join(victim, "staging"))).toEqual(["precious"]);
    expect(await readdir(victim)).toEqual(["staging"]);
  });

  test("a day's folder", async () => {
    const rows = await servedFolder(products(3, { crawl_date: FIRST_DAY }));
    const victim = await temporaryFolder();
    await place(join(victim, "part-0.parquet"), "data");
    await mkdir(rows.folder);
    await symlink(victim, dirname(rows.file(FIRST_DAY)));
    await expect(rows.sync()).rejects.toThrow("is a symbolic link");
    await expect(rows.sync({ adopt: true })).rejects.toThrow("is a symbolic link");
    expect(await readFile(join(victim, "part-0.parquet"), "utf8")).toBe("data");
  });

  test("a day's folder that becomes a link during the run", async () => {
    const victim = await temporaryFolder();
    await place(join(victim, "part-0.parquet"), "data");
    const planted: string[] = [];
    const rows = await servedFolder(products(3, { crawl_date: FIRST_DAY }), (client) => ({
      ...client,
      catalog: async (...args) => {
        await rm(dirname(rows.file(FIRST_DAY)), { recursive: true, force: true });
        await symlink(victim, dirname(rows.file(FIRST_DAY)));
        planted.push(FIRST_DAY);
        return await client.catalog(...args);
      },
    }));
    await expect(rows.sync()).rejects.toThrow("is a symbolic link");
    expect(planted).toEqual([FIRST_DAY]);
    expect(await readFile(join(victim, "part-0.parquet"), "utf8")).toBe("data");
  });

  test("a day's file", async () => {
    const rows = await servedFolder(products(3, { crawl_date: FIRST_DAY }));
    const victim = join(await temporaryFolder(), "victim");
    await writeFile(victim, "data");
    await mkdir(dirname(rows.file(FIRST_DAY)), { recursive: true });
    await symlink(victim, rows.file(FIRST_DAY));
    await expect(rows.sync({ adopt: true })).rejects.toThrow("is a symbolic link");
    expect(await readFile(victim, "utf8")).toBe("data");
  });
});

test.runIf(process.platform === "linux")(
  "a folder that cannot be created, below /proc, is an error and the run ends",
  async () => {
    const rows = await servedFolder(products(1));
    await expect(rows.sync({ folder: "/proc/rows/copy" })).rejects.toThrow("/proc/rows/copy: ");
  },
);
