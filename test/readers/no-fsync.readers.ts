import { execFile, spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { runCatalog, temporaryFolder } from "../helpers/cli.ts";
import { products } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

const hasCompiler = spawnSync("gcc", ["--version"], { stdio: "ignore" }).status === 0;
if (!hasCompiler) {
  process.stderr.write("not installed, so not tested: gcc\n");
}

/** Refuses fsync in all of a process, the libraries of SQLite and DuckDB included, as some network drives do. */
const REFUSE = `#include <errno.h>
int fsync(int file) { errno = EINVAL; return -1; }
int fdatasync(int file) { errno = EINVAL; return -1; }
`;

test.runIf(hasCompiler)(
  "exports, folders, their index and the service's database work on a file system without fsync",
  async () => {
    const cwd = await temporaryFolder();
    await writeFile(join(cwd, "refuse.c"), REFUSE);
    await promisify(execFile)("gcc", ["-shared", "-fPIC", "-o", "refuse.so", "refuse.c"], { cwd });
    const rows = products(3);
    const { url, key } = await startTestService({ rows });
    const env = { CATALOG_BASE_URL: url, CATALOG_API_KEY: key, LD_PRELOAD: join(cwd, "refuse.so") };
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await runCatalog(args, { cwd, env });
      expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: expect.not.stringContaining("error") });
      return stdout;
    };

    for (const _day of [1, 2]) {
      await run("export", "-o", "rows.ndjson");
      await run("sync", "rows");
      expect((await run("latest", "rows")).trimEnd().split("\n")).toHaveLength(rows.length);
      await run("service", "load", "rows.ndjson", "--database", "service.db");
    }
    expect(await run("service", "keys", "create", "laptop", "--database", "service.db")).toMatch(/^.{43}\n$/);
  },
);
