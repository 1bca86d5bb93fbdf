import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../helpers/cli.ts";

const run = promisify(execFile);

test("the packed tarball, installed into an empty folder, is a working tool with one dependency", async () => {
  const folder = await temporaryFolder();
  await run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder]);
  const [tarball = ""] = await readdir(folder);
  await writeFile(join(folder, "package.json"), "{}");
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
  const modules = join(folder, "node_modules");
  const own = JSON.parse(await readFile(join(modules, "retail-catalog-cli", "package.json"), "utf8"));
  expect([Object.keys(own.dependencies), own.optionalDependencies]).toEqual([["libsql"], undefined]);
  expect(await readdir(modules)).not.toContain("@duckdb");
});
