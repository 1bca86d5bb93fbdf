import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../helpers/cli.ts";

const run = promisify(execFile);

test("the packed tarball, installed into an empty folder, is a working tool with one dependency", async () => {
  const folder = await temporaryFolder();
  await run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder]);
  const [tarball = ""] = await readdir(folder);
  await run("npm", ["init", "--yes"], { cwd: folder });
  await run("npm", ["install", "--prefer-offline", "--omit=dev", "--no-audit", "--no-fund", `./${tarball}`], {
    cwd: folder,
  });

  const { stdout } = await run(join(folder, "node_modules", ".bin", "catalog"), [
    "export",
    "--demo",
    "--max-rows",
    "3",
  ]);
  expect(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => Object.keys(JSON.parse(line)).length),
  ).toEqual([17, 17, 17]);
  const { stdout: tree } = await run("npm", ["ls", "--json", "--depth=1"], { cwd: folder });
  const installed = JSON.parse(tree) as {
    dependencies: Record<string, { dependencies?: Record<string, { version?: string }> }>;
  };
  const own = Object.entries(installed.dependencies).map(([name, { dependencies = {} }]) => [
    name,
    // A package that is to be installed on demand is listed without a version.
    Object.keys(dependencies).filter((dependency) => dependencies[dependency]?.version !== undefined),
  ]);
  expect(own).toEqual([["retail-catalog-cli", ["libsql"]]]);
  expect(await readdir(join(folder, "node_modules"))).not.toContain("@duckdb");
});
