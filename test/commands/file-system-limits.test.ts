import { chmod, open, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../helpers/cli.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

/** Lets calls on open files fail until the test ends, as on network drives that have no such call. */
async function refuse(folder: string, calls: readonly ("chmod" | "sync" | "datasync")[], code: string): Promise<void> {
  const handle = await open(folder);
  const handles = Object.getPrototypeOf(handle);
  await handle.close();
  for (const call of calls) {
    const spy = vi.spyOn(handles, call).mockRejectedValue(Object.assign(new Error(code), { code }));
    onTestFinished(() => spy.mockRestore());
  }
}

async function setUp() {
  const service = await startTestService({ rows: [product({ sku: "1" })] });
  return { service, folder: await temporaryFolder() };
}

test("a file that exists is replaced where permissions cannot be changed", async () => {
  const { service, folder } = await setUp();
  const out = join(folder, "rows.csv");
  await refuse(folder, ["chmod"], "EPERM");
  for (const _day of [1, 2]) {
    expect(await runInProcess(["export", "-o", out], { service })).toMatchObject({ code: 0, stderr: "" });
  }
  // Permissions that really differ must not be lost silently.
  await chmod(out, 0o600);
  const { code, stderr } = await runInProcess(["export", "-o", out], { service });
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("the operation is not permitted") });
});

test("without fsync, files and folders are written, and a note says so once", async () => {
  const { service, folder } = await setUp();
  await refuse(folder, ["sync", "datasync"], "EINVAL");
  const out = join(folder, "rows.ndjson");
  const options = { service, env: { CATALOG_CONFIG: join(folder, "config.toml") } };
  await writeFile(options.env.CATALOG_CONFIG, "", { mode: 0o600 });
  const exported = await runInProcess(["export", "-v", "-o", out], options);
  const notes = exported.stderr.split("\n").filter((line) => line.includes("no fsync"));
  expect({ code: exported.code, notes }).toEqual({ code: 0, notes: [expect.stringContaining("power failure")] });
  expect(await readFile(out, "utf8")).toContain('"sku"');
  expect((await runInProcess(["sync", join(folder, "rows"), "-q"], options)).code).toBe(0);
  expect(await readdir(join(folder, "rows"))).toContain(".catalog");
});
