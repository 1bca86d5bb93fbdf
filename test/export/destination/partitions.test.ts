import type { Stats } from "node:fs";
import fs, { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { FileError, LockedError, UsageError } from "../../../src/contract/errors.ts";
import {
  assertFolderNames,
  moveIntoPlace,
  PARTITION_COLUMNS,
  parsePartitionColumns,
  partitionOf,
} from "../../../src/export/destination/partitions.ts";
import { batchOf } from "../../../src/rows/scan.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { followSyncs } from "../../helpers/durability.ts";
import { productRow } from "../../helpers/products.ts";
import { rejectionOf } from "../faults.ts";

function refusalOf(action: () => unknown): Partial<UsageError> {
  try {
    action();
  } catch (error) {
    if (error instanceof UsageError) {
      return { message: error.message, suggestions: error.suggestions, flag: error.flag, value: error.value };
    }
  }
  throw new Error("it was not refused");
}

describe("the columns of partitions", () => {
  test("are read in the given order, and blanks around a name are ignored", () => {
    expect(parsePartitionColumns("crawl_date, retailer")).toEqual(["crawl_date", "retailer"]);
  });

  test("are those that have few values", () => {
    expect(refusalOf(() => parsePartitionColumns("retailer,retailr"))).toEqual({
      message: '--partition-by takes retailer, department, category, crawl_date, not "retailr"',
      suggestions: ["retailer"],
      flag: "--partition-by",
      value: "retailr",
    });
  });

  test("are named once", () => {
    expect(refusalOf(() => parsePartitionColumns("category,category"))).toMatchObject({
      message: '--partition-by names "category" twice',
      flag: "--partition-by",
      value: "category,category",
    });
  });
});

describe("the partition of a row", () => {
  test("is a folder for each column, with values as Hive names them", () => {
    const row = productRow({ retailer: '"a/b=c"', department: '""', category: '"caf\\u00e9"' });
    expect(partitionOf(PARTITION_COLUMNS)(batchOf([row]), 0)).toBe(
      "retailer=a%2Fb%3Dc/department=__HIVE_DEFAULT_PARTITION__/category=café/crawl_date=2026-03-01",
    );
  });

  test("is that of its own values, in whatever order rows and batches are asked for", () => {
    const batches = ["aabb", "baac"].map((all) =>
      batchOf([...all].map((retailer) => productRow({ retailer: `"${retailer}"` }))),
    );
    const folderOf = partitionOf(["retailer"]);
    const shown = (asked: [batch: number, row: number][]) =>
      asked.map(([batch, row]) => folderOf(batches[batch] as (typeof batches)[number], row).slice(-1)).join("");
    const rows = [0, 1, 2, 3];
    expect(shown([0, 1].flatMap((batch) => rows.map((row) => [batch, row] as [number, number])))).toBe("aabbbaac");
    expect(shown(rows.flatMap((row) => [0, 1].map((batch) => [batch, row] as [number, number])))).toBe("abaababc");
    expect(shown([3, 1, 2, 0, 2, 3, 2].map((row) => [1, row]))).toBe("caabaca");
  });

  test("differs from that of the row before if any column does", () => {
    const rows = batchOf([
      productRow({ retailer: '"a"', category: '"x"' }),
      productRow({ retailer: '"a"', category: '"y"' }),
      productRow({ retailer: '"b"', category: '"y"' }),
    ]);
    const folderOf = partitionOf(["retailer", "category"]);
    expect([0, 1, 2].map((row) => folderOf(rows, row))).toEqual([
      "retailer=a/category=x",
      "retailer=a/category=y",
      "retailer=b/category=y",
    ]);
  });
});

describe("a value as the name of a folder", () => {
  const combination = { retailer: "acme", department: "toys", category: "games" };
  const long = "x".repeat(255 - "category=".length);

  test("may have as many bytes as a name can have", () => {
    assertFolderNames(PARTITION_COLUMNS, [combination, { ...combination, category: long }]);
    assertFolderNames(["retailer"], [{ ...combination, category: `${long}x` }]);
    assertFolderNames(PARTITION_COLUMNS, []);
  });

  test.each([`${long}x`, `/${long.slice(2)}`])("is refused if its escaped bytes are more: %s", (category) => {
    expect(refusalOf(() => assertFolderNames(PARTITION_COLUMNS, [combination, { ...combination, category }]))).toEqual({
      message: `the category "${category.slice(0, 40)}…" is too long for the name of a folder; leave category out of --partition-by`,
      suggestions: [],
      flag: "--partition-by",
      value: "category",
    });
  });
});

describe("complete files", () => {
  test("are moved to their places, in folders that are made, and all of these are on disk then", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "a=1"));
    await writeFile(join(folder, "a=1", "rows.csv"), "old");
    const staged = await temporaryFolder();
    const files = new Map<string, string>();
    for (const [place, content] of [
      ["a=1/rows.csv", "new 1"],
      ["a=2/b=3/rows.csv", "new 2"],
    ] as const) {
      files.set(place, join(staged, content));
      await writeFile(join(staged, content), content);
    }
    let asked = 0;
    const syncs = await followSyncs(folder);
    await moveIntoPlace(folder, files, async () => {
      asked += 1;
    });
    expect({
      asked,
      one: await readFile(join(folder, "a=1", "rows.csv"), "utf8"),
      two: await readFile(join(folder, "a=2", "b=3", "rows.csv"), "utf8"),
    }).toEqual({ asked: 4, one: "new 1", two: "new 2" });
    // The folder, a=1, a=2 and b=3, after the last file is in its place.
    const names = ["a=1", "a=1/rows.csv", "a=2", "a=2/b=3", "a=2/b=3/rows.csv"];
    expect(syncs).toEqual(Array(4).fill({ kind: "folder", names }));
  });

  test("are not moved if two of them would have one place, as where the case of letters does not count", async () => {
    const folder = await temporaryFolder();
    const complete = join(folder, "complete");
    await writeFile(complete, "new");
    const { dev, ino } = await stat(folder, { bigint: true });
    const spy = vi.spyOn(fs, "stat").mockResolvedValue({ dev, ino } as unknown as Stats);
    syncBuiltinESMExports();
    onTestFinished(() => {
      spy.mockRestore();
      syncBuiltinESMExports();
    });
    const files = new Map(["a=x/rows.csv", "a=X/rows.csv"].map((place) => [place, complete]));
    const [one, other] = [join(folder, "a=x"), join(folder, "a=X")];
    expect(await rejectionOf(moveIntoPlace(folder, files, async () => {}))).toMatchObject({
      message: `${one} and ${other} are the same folder on this file system; use another one`,
    });
    expect(await readFile(complete, "utf8")).toBe("new");
  });

  test("are not moved when the folder is no longer held", async () => {
    const folder = await temporaryFolder();
    const complete = join(folder, "complete");
    await writeFile(complete, "new");
    const lost = new LockedError("somebody else writes it");
    const moving = moveIntoPlace(folder, new Map([["a=1/rows.csv", complete]]), () => Promise.reject(lost));
    expect({ rejection: await rejectionOf(moving), content: await readFile(complete, "utf8") }).toEqual({
      rejection: lost,
      content: "new",
    });
  });

  test("are not moved through a link, and a file that is gone is named by its place", async () => {
    const folder = await temporaryFolder();
    const complete = join(folder, "complete");
    const moving = () => moveIntoPlace(folder, new Map([["a=1/rows.csv", complete]]), async () => {});
    const place = join(folder, "a=1");
    expect(await rejectionOf(moving())).toMatchObject({
      constructor: FileError,
      message: `${join(place, "rows.csv")}: no such file or folder`,
    });
    await symlink(await temporaryFolder(), join(folder, "a=2"));
    const linked = moveIntoPlace(folder, new Map([["a=2/rows.csv", complete]]), async () => {});
    expect(await rejectionOf(linked)).toMatchObject({ constructor: FileError, path: join(folder, "a=2") });
  });
});
