import { execFile, spawnSync } from "node:child_process";
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { bareEnvironment, CATALOG, temporaryFolder } from "../helpers/cli.ts";
import { product } from "../helpers/products.ts";
import { syncedFolder } from "../helpers/synced-folder.ts";

const run = promisify(execFile);

test("the package, installed into an empty folder, is a working tool with one dependency and one optional one", async () => {
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
  expect([own.dependencies, own.optionalDependencies].map(Object.keys)).toEqual([
    ["libsql"],
    ["@duckdb/node-bindings"],
  ]);
  expect(await readdir(modules)).toContain("@duckdb");
});

test("each native package is in the lock file for all its platforms", async () => {
  const { packages } = JSON.parse(await readFile("package-lock.json", "utf8")) as {
    packages: Record<string, { os?: string[]; cpu?: string[]; optionalDependencies?: Record<string, string> }>;
  };
  for (const name of ["@duckdb/node-bindings", "libsql"]) {
    const platforms = Object.keys(packages[`node_modules/${name}`]?.optionalDependencies ?? {});
    expect(platforms.length).toBeGreaterThan(5);
    for (const platform of platforms) {
      expect(packages[`node_modules/${platform}`], platform).toMatchObject({
        os: [expect.any(String)],
        cpu: [expect.any(String)],
      });
    }
  }
});

test.each([
  ["sql", "DuckDB", "@duckdb/node-bindings@[\\w.-]+", ["sql", "select 1", "rows"]],
  ["a database", "libsql", "libsql", ["service", "keys", "create", "laptop", "--database", "service.db"]],
])("without its package, %s is refused with the command that installs it", async (_, title, name, command) => {
  const folder = await temporaryFolder();
  await cp(dirname(CATALOG), join(folder, "dist"), { recursive: true });
  const synced = await syncedFolder([product()]);
  const args = command.map((word) => (word === "rows" ? synced : word));
  const run = spawnSync(process.execPath, [join(folder, "dist", "catalog.js"), ...args], {
    ...{ cwd: folder, env: bareEnvironment(), encoding: "utf8" },
  });
  expect(run).toMatchObject({ status: 1, stdout: "" });
  expect(run.stderr).toMatch(
    new RegExp(`^error: ${title}, [^\\n]* is not installed\\. [^\\n]*npm install [^\\n]* ${name}\\n$`),
  );
});
