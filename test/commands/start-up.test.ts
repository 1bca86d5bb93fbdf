import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import module from "node:module";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { demoCache } from "../../src/cli/source/demo-cache.ts";
import { dayOf } from "../../src/contract/values/day-arithmetic.ts";
import { runCatalog, temporaryFolder } from "../helpers/cli.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import { copyFolder, sixteenDays, syncedFolder } from "../helpers/synced-folder.ts";

/** Writes at the end of a process which files it loaded, and which modules of Node.js. */
const RECORDER = `process.on("exit", () => {
  const files = Object.keys(require.cache).filter((file) => file !== __filename);
  const builtins = process.moduleLoadList.map((name) => name.replace("NativeModule ", ""));
  require("node:fs").writeFileSync(__dirname + "/loaded.json", JSON.stringify({ files, builtins }));
});`;

/** What a command loads: packages beside the tool, and modules of Node.js. */
async function loadedBy(args: readonly string[], service?: TestService) {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "recorder.cjs"), RECORDER);
  const env = {
    ...(service && { CATALOG_BASE_URL: service.url, CATALOG_API_KEY: service.key }),
    NODE_OPTIONS: `--require "${folder}/recorder.cjs"`,
  };
  expect(await runCatalog(args, { env })).toMatchObject({ code: 0, stderr: "" });
  const { files, builtins } = JSON.parse(await readFile(join(folder, "loaded.json"), "utf8"));
  const packages = (files as string[]).flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  return { packages: new Set(packages), builtins: new Set(builtins as string[]) };
}

describe("what is loaded", () => {
  test("by --help: nothing that sends, compresses or encrypts", async () => {
    const { packages, builtins } = await loadedBy(["--help"]);
    expect([...packages]).toEqual([]);
    expect(["crypto", "http", "zlib"].filter((name) => builtins.has(name))).toEqual([]);
  });

  test("by coverage of a service at an http address: neither https nor http/2, workers nor a database", async () => {
    const { packages, builtins } = await loadedBy(["coverage"], await startTestService());
    expect([...packages]).toEqual([]);
    expect(builtins.has("http")).toBe(true);
    expect(["http2", "https", "worker_threads"].filter((name) => builtins.has(name))).toEqual([]);
  });

  test("by sql: DuckDB; by verify, which also reads a folder: not", async () => {
    const folder = await syncedFolder(sixteenDays());
    const [sql, verify] = [await loadedBy(["sql", "select 1", folder]), await loadedBy(["verify", folder])];
    expect(sql.packages).toContain("@duckdb/node-bindings");
    expect([...verify.packages]).toEqual([]);
  });
});

test("compiled code is stored in the cache folder if Node.js supports it", async () => {
  const cache = await temporaryFolder();
  expect((await runCatalog(["--version"], { env: { XDG_CACHE_HOME: cache } })).code).toBe(0);
  const kept = await readdir(join(cache, "catalog", "compiled")).catch(() => []);
  expect(kept.length > 0).toBe("enableCompileCache" in module);
});

test("a cache folder that cannot be written is ignored", async () => {
  expect(await runCatalog(["--version"], { env: { XDG_CACHE_HOME: "/dev/null" } })).toMatchObject({
    code: 0,
    stderr: "",
  });
});

describe("without a home folder,", () => {
  /** The environment of a bare user id, which the list of users does not know. */
  async function withoutHome() {
    const folder = await temporaryFolder();
    const preload = join(folder, "homeless.cjs");
    await writeFile(
      preload,
      'require("node:os").homedir = () => { throw new Error("uv_os_homedir returned ENOENT"); };',
    );
    return {
      env: { HOME: "", XDG_CONFIG_HOME: "", XDG_CACHE_HOME: "", TMPDIR: folder, NODE_OPTIONS: `-r "${preload}"` },
    };
  }

  test("the version, the demo and its folder work", async () => {
    const options = await withoutHome();
    expect(await runCatalog(["--version"], options)).toMatchObject({ code: 0, stderr: "" });
    // Another command filled the folder earlier that day.
    const cache = join(options.env.TMPDIR, `catalog-demo-${process.geteuid?.()}`);
    await mkdir(cache, { mode: 0o700 });
    copyFolder(await syncedFolder(sixteenDays()), join(cache, `rows-${dayOf(Date.now())}`));
    const asked = await runCatalog(["latest", "--demo", "--columns", "sku", "-f", "csv"], options);
    expect(asked).toMatchObject({ code: 0, stdout: "sku\r\ns0\r\ns1\r\ns2\r\n", stderr: "" });
  });

  test("a command that needs a folder says which setting names one", async () => {
    const options = await withoutHome();
    const url = ["--base-url", "http://127.0.0.1:9"];
    const login = await runCatalog(["auth", "login", "--no-check", ...url], { ...options, stdin: "k".repeat(43) });
    const keys = await runCatalog(["service", "keys", "list"], options);
    expect([login, keys]).toMatchObject([
      { code: 2, stderr: expect.stringContaining("set HOME, or CATALOG_CONFIG to a file") },
      { code: 2, stderr: expect.stringContaining("--database is needed, because there is no home folder") },
    ]);
  });
});

test("a relative XDG folder is ignored", async () => {
  const cwd = await temporaryFolder();
  const { url, key } = await startTestService();
  const service = { CATALOG_BASE_URL: url, CATALOG_API_KEY: key };
  const env = { ...service, HOME: cwd, XDG_CACHE_HOME: "cache", XDG_CONFIG_HOME: "config" };
  expect(await runCatalog(["coverage"], { cwd, env })).toMatchObject({ code: 0, stderr: "" });
  expect(await readdir(cwd)).toEqual([".cache"]);
});

test("a home folder in which nothing can be created does not stop a command", async () => {
  const { url, key } = await startTestService();
  const home = { HOME: "/proc", XDG_CONFIG_HOME: "", XDG_CACHE_HOME: "" };
  const env = { ...home, CATALOG_BASE_URL: url, CATALOG_API_KEY: key };
  expect(await runCatalog(["coverage"], { env })).toMatchObject({ code: 0, stderr: "" });
  // The demo keeps its rows among the temporary files.
  const temporary = await temporaryFolder();
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const folders = { config: "/proc/.config", data: "/proc/.data", cache: "/proc/.cache" };
  const userId = process.geteuid?.();
  expect(await demoCache({ folders, userId })).toBe(join(temporary, `catalog-demo-${userId}`));
});

test.each([
  ["sync", "~/prices"],
  ["export", "--demo", "-o", "~/rows.csv"],
  ["index", "~ada/basket.csv"],
  ["service", "load", "rows.csv", "~/rows.csv"],
  ["service", "keys", "list", "--database", "~/service.db"],
  ["history", "A1", "~/rows"],
  ["why", "acme", "A1", "~/rows"],
  ["sql", "from watch", "--with", "watch=~/list.csv"],
])("the ~ that a shell left in `catalog %s %s %s %s %s` is refused, with both readings", async (...args) => {
  const { code, stderr } = await runInProcess(args.filter((word) => word !== undefined));
  expect(code).toBe(2);
  expect(stderr).toContain("the ~ was not expanded; write ");
  expect(stderr).toContain(", or ./~");
});

test.each([
  ["latest rows --skus=", "--skus is empty; name a file."],
  ["export --demo --output=", "--output is empty; name a file."],
  ["coverage --demo --html=", "--html is empty; name a file."],
  ["coverage --from=", "--from is empty; name a folder."],
  ["service keys list --database=", "--database is empty; name a file."],
  ["diff ", "the name of the folder is empty."],
  ["sync ", "the name of the folder is empty."],
  ["verify ", "the name of the file is empty."],
])("the empty path in `catalog %s` is refused", async (line, message) => {
  expect(await runInProcess(line.split(" "))).toMatchObject({ code: 2, stderr: `error: ${message}\n` });
});

test.each(["CATALOG_API_KEY_FILE", "CATALOG_CONFIG"])("the ~ in %s is refused, too", async (variable) => {
  const env = { [variable]: "~/key", CATALOG_BASE_URL: "http://127.0.0.1:1" };
  const { code, stderr } = await runInProcess(["coverage"], { env });
  expect(code).toBe(2);
  expect(stderr).toContain(`${variable} "~/key": the ~ was not expanded; write "$HOME/key" for the home folder`);
});
