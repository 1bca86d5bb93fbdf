import { readdir } from "node:fs/promises";
import module from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCatalog, temporaryFolder } from "../helpers/cli.ts";

test("compiled code is stored in the cache folder if Node.js supports it", async () => {
  const cache = await temporaryFolder();
  expect((await runCatalog(["--version"], { env: { XDG_CACHE_HOME: cache } })).code).toBe(0);
  const kept = await readdir(join(cache, "catalog", "compiled")).catch(() => []);
  expect(kept.length > 0).toBe("enableCompileCache" in module);
});

test("a cache folder that cannot be written does no harm", async () => {
  const { code, stderr } = await runCatalog(["--version"], { env: { XDG_CACHE_HOME: "/dev/null" } });
  expect([code, stderr]).toEqual([0, ""]);
});
