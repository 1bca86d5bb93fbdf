import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { bareEnvironment, CATALOG, temporaryFolder } from "../helpers/cli.ts";

const run = promisify(execFile);

test("the package, installed into an empty folder, is a working tool with one dependency", async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "package.json"), "{}");
  // Packs the files that a release has, and installs them.
  const flags = ["--install-links", "--ignore-scripts", "--prefer-offline", "--omit=dev", "--no-audit", "--no-fund"];
  await run("npm", ["install", ...flags, process.cwd()], { cwd: folder });

  const modules = join(folder, "node_modules");
  const installed = join(modules, "retail-catalog-cli");
  expect((await readdir(join(installed, "dist"), { recursive: true })).sort()).toEqual(
    (await readdir(dirname(CATALOG), { recursive: true })).sort(),
  );
  // A database needs the dependency.
  const create = ["service", "keys", "create", "laptop", "--database", "service.db"];
  const { stdout } = await run(join(modules, ".bin", "catalog"), create, { cwd: folder, env: bareEnvironment() });
  expect(stdout).toMatch(/^[\w-]{43}\n$/);
  const own = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
  expect([Object.keys(own.dependencies), own.optionalDependencies]).toEqual([["libsql"], undefined]);
  expect(await readdir(modules)).not.toContain("@duckdb");
});
