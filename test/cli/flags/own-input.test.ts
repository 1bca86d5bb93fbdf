import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EXIT } from "../../../src/contract/errors.ts";
import { runInProcess } from "../../helpers/in-process.ts";
import { sixteenDays, syncedFolder } from "../../helpers/synced-folder.ts";

test.each([
  ["an operand", (file: string, folder: string) => ["index", file, folder, "-o", file]],
  ["the value of a flag", (file: string, folder: string) => ["latest", folder, "--skus", file, "-o", file]],
  ["as a page", (file: string, folder: string) => ["history", folder, "--skus", file, "--html", file]],
])("an output does not replace a file that the command reads: %s", async (_, argsOf) => {
  const folder = await syncedFolder(sixteenDays());
  const long = join(folder, "x".repeat(80));
  await mkdir(long);
  const file = join(long, "own.csv");
  await writeFile(file, "sku\ns0\n");
  expect(await runInProcess(argsOf(file, folder))).toMatchObject({
    code: EXIT.usage,
    stderr: expect.stringMatching(/x\/own\.csv" would replace a file that this command reads; name another file\./),
  });
});

test("an output may have the name of a value that is no file", async () => {
  const folder = await syncedFolder(sixteenDays());
  const file = join(folder, "acme");
  await writeFile(file, "of yesterday");
  expect(await runInProcess(["latest", folder, "-f", "csv", "--brand", file, "-o", file])).toMatchObject({
    code: EXIT.notFound,
    stderr: expect.stringContaining("has no product of the brand"),
  });
});

test.each([
  ".catalog/state.json",
  ".catalog/looks/a.csv",
  "crawl_date=2026-01-01/part-0.parquet",
  "crawl_date=2026-01-01/new.csv",
])("an output does not go among the files of a synced folder: %s", async (name) => {
  const folder = await syncedFolder(sixteenDays());
  await mkdir(join(folder, ".catalog/looks"), { recursive: true });
  expect(await runInProcess(["latest", folder, "-o", join(folder, name), "-f", "parquet"])).toMatchObject({
    code: EXIT.usage,
    stderr: expect.stringContaining("is in a folder that `catalog sync` keeps"),
  });
});

test("an output does not replace a file of a synced folder through a link", async () => {
  const folder = await syncedFolder(sixteenDays());
  const link = join(folder, "out.parquet");
  await symlink("crawl_date=2026-01-01/part-0.parquet", link);
  expect(await runInProcess(["latest", folder, "-o", link])).toMatchObject({
    code: EXIT.usage,
    stderr: expect.stringContaining("is in a folder that `catalog sync` keeps"),
  });
});
