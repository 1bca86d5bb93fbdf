import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { fileGlob } from "../../src/files/duckdb.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

test("characters of patterns stand for themselves", () => {
  expect([fileGlob("/a*b?c[d]e"), fileGlob("/back\\slash")]).toEqual(["/a[*]b[?]c[[]d]e", "/back\\slash"]);
});

test.each([
  ["export", "-f", "parquet", "-o", "./rows.parquet"],
  ["export", "-f", "parquet", "--partition-by", "retailer", "-o", "./rows"],
  ["sync", "."],
])("a folder that DuckDB cannot name is refused before the first page: %s %s %s %s", async (...args) => {
  const service = await startTestService({ rows: [product()] });
  const cwd = join(await temporaryFolder(), "back\\slash [1]");
  await mkdir(cwd);
  const { code, stderr } = await runInProcess([...args, "--verbose"], { service, cwd });
  expect({ code, stderr }).toEqual({
    code: EXIT.failure,
    stderr: expect.stringContaining("DuckDB reads no path with a backslash"),
  });
  expect(stderr).not.toContain("/v1/catalog");
  expect((await readdir(cwd, { recursive: true })).filter((name) => name !== "rows")).toEqual([]);
});
