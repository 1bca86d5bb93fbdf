import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../helpers/cli.ts";
import { products } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";
import { losses, recordCalls, type SystemCall, story } from "../helpers/system-calls.ts";

/** Forty rows of two retailers and two days. */
const ROWS = ["acme", "bolt"].flatMap((retailer) =>
  ["2026-01-01", "2026-01-02"].flatMap((crawl_date) => products(10, { retailer, crawl_date })),
);

const PAGES = "rows.csv.partial.pages";
const LINES = "rows.csv.partial.json";

/** How an export leaves a complete output: the output, then what says that it is complete, then the store that it is made from. */
const OUTPUT_PLACED = [
  "write rows.csv.partial",
  "sync rows.csv.partial",
  "rename rows.csv.partial to rows.csv",
  "sync .",
];
const STORE_REMOVED = [`remove ${LINES}`, `remove ${PAGES}`, "sync .", "remove rows.csv.partial.lock"];

/** A service that returns a page only when it may. */
async function gatedService() {
  let left = Number.POSITIVE_INFINITY;
  const { url, key } = await startTestService({
    rows: ROWS,
    rateLimit: 1_000_000,
    faults: (store) => ({
      page: async (...given) => {
        while (left <= 0) {
          await delay(5);
        }
        left -= 1;
        return store.page(...given);
      },
    }),
  });
  return {
    env: { CATALOG_BASE_URL: url, CATALOG_API_KEY: key },
    /** Returns this number of further pages. */
    allow: (pages: number) => {
      left = pages;
    },
  };
}

/** The calls of an export once its rows are complete, without the syncs of the store, which follow a clock. */
function ending(calls: readonly SystemCall[], cwd: string): string[] {
  const placed = calls.filter(
    ({ path, kind }) => path.startsWith(cwd) && !(kind === "sync" && path.includes(".partial.")),
  );
  return story(placed.slice(placed.findLastIndex(isWriteTo("rows.csv.partial"))), cwd);
}

function isWriteTo(name: string) {
  return ({ kind, path }: SystemCall) => kind === "write" && path.endsWith(`/${name}`);
}

function isSyncOf(name: string) {
  return ({ kind, path, end }: SystemCall) =>
    kind === "sync" && path.endsWith(`/${name}`) && end !== Number.POSITIVE_INFINITY;
}

/** The pages that were not on disk when the lines that describe them were synced. */
function tooEarly(calls: readonly SystemCall[]): string[] {
  const pages = new Map(calls.filter(isWriteTo(PAGES)).map((call) => [/, (\d+)$/.exec(call.args)?.[1], call]));
  const described = calls.filter(isWriteTo(LINES)).flatMap((line) => {
    const at = /\\"extent\\":{\\"at\\":(\d+),/.exec(line.args)?.[1];
    const page = pages.get(at);
    return page === undefined ? [] : [{ at, page, line }];
  });
  expect(described.length).toBeGreaterThan(0);
  return calls.filter(isSyncOf(LINES)).flatMap((lines) =>
    described
      .filter(({ line }) => line.end < lines.begin)
      .filter(
        ({ page }) => !calls.filter(isSyncOf(PAGES)).some((sync) => sync.begin > page.end && sync.end < lines.begin),
      )
      .map(({ at }) => `the line of the page at ${at} is synced before its page`),
  );
}

/** Resolves when the record of a run has what it takes. */
async function until(soFar: () => Promise<SystemCall[]>, isReached: (calls: SystemCall[]) => boolean): Promise<void> {
  while (!isReached(await soFar())) {
    await delay(20);
  }
}

test("an export through a link syncs its output before the rename, the target's folder after it, then writes the manifest, then removes the store", async () => {
  const home = await temporaryFolder();
  const cwd = join(home, "share");
  const { env } = await gatedService();
  await mkdir(cwd);
  await writeFile(join(cwd, "rows.csv"), "an earlier output");
  await symlink("share/rows.csv", join(home, "rows.csv"));
  const args = ["export", "-o", "rows.csv", "--manifest", "--page-size", "5"];
  const { code, stderr, calls } = await recordCalls(args, { cwd: home, env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const own = calls.filter(({ path }) => path.startsWith(cwd));
  expect(story(own.slice(0, own.findIndex(isWriteTo(PAGES))), cwd).slice(0, 8)).toEqual([
    "create rows.csv.partial.lock",
    "write rows.csv.partial.lock",
    "sync rows.csv.partial.lock",
    "create rows.csv.partial",
    `create ${LINES}`,
    `create ${PAGES}`,
    "sync .",
    `write ${LINES}`,
  ]);
  expect(ending(calls, cwd)).toEqual([
    ...OUTPUT_PLACED,
    "create rows.csv.manifest.json.new",
    "write rows.csv.manifest.json.new",
    "sync rows.csv.manifest.json.new",
    "rename rows.csv.manifest.json.new to rows.csv.manifest.json",
    "sync .",
    ...STORE_REMOVED,
  ]);
  expect({ tooEarly: tooEarly(calls), losses: losses(calls, cwd) }).toEqual({ tooEarly: [], losses: [] });
});

test("the store reaches the disk about once a second and when a run is interrupted, pages before their lines; --resume keeps the order", async () => {
  const cwd = await temporaryFolder();
  const { env, allow } = await gatedService();
  const args = ["export", "-o", "rows.csv", "--page-size", "2", "--concurrency", "3"];
  allow(6);
  const stopped = await recordCalls(args, {
    cwd,
    env,
    meanwhile: async (soFar) => {
      await until(soFar, (calls) => {
        const sixth = calls.filter(isWriteTo(PAGES))[5];
        return sixth !== undefined && calls.some((call) => isSyncOf(LINES)(call) && call.begin > sixth.end);
      });
      allow(3);
      await until(soFar, (calls) => calls.filter(isWriteTo(LINES)).length === 1 + 9);
      const { pid } = JSON.parse(await readFile(join(cwd, "rows.csv.partial.lock"), "utf8")) as { pid: number };
      process.kill(pid, "SIGINT");
    },
  });
  expect(stopped.code).toBe(130);
  const last = stopped.calls.filter(({ path, kind }) => path.includes(".partial.") || kind === "signal");
  expect(story(last.slice(last.findIndex(({ kind }) => kind === "signal")), cwd)).toEqual([
    "SIGINT",
    `sync ${PAGES}`,
    `sync ${LINES}`,
    "remove rows.csv.partial.lock",
  ]);
  expect({ tooEarly: tooEarly(stopped.calls), losses: losses(stopped.calls, cwd) }).toEqual({
    tooEarly: [],
    losses: [],
  });

  allow(Number.POSITIVE_INFINITY);
  const { code, stderr, calls } = await recordCalls([...args, "--resume"], { cwd, env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(ending(calls, cwd)).toEqual([...OUTPUT_PLACED, ...STORE_REMOVED]);
  expect({ tooEarly: tooEarly(calls), losses: losses(calls, cwd) }).toEqual({ tooEarly: [], losses: [] });
});

test("a line waits for a sync that is going on, because its page might reach the disk after it", async () => {
  const cwd = await temporaryFolder();
  const { url, key } = await startTestService({
    rows: products(300),
    rateLimit: 1_000_000,
    // Pages come for longer than the second after which the store is synced.
    faults: (store) => ({ page: async (...given) => delay(20, await store.page(...given)) }),
  });
  const { code, calls } = await recordCalls(["export", "-o", "rows.csv", "--page-size", "1"], {
    cwd,
    env: { CATALOG_BASE_URL: url, CATALOG_API_KEY: key },
    paths: [PAGES, LINES].map((name) => join(cwd, name)),
    inject: "fdatasync:delay_enter=200ms",
  });
  const syncs = calls.filter(isSyncOf(PAGES));
  const meanwhile = calls
    .filter(isWriteTo(PAGES))
    .filter((page) => syncs.some((sync) => page.begin > sync.begin && page.end < sync.end));
  expect(code).toBe(0);
  expect(meanwhile.length).toBeGreaterThan(0);
  expect(tooEarly(calls)).toEqual([]);
});

test("a stored key can be read by its owner alone from the first byte on, and replaces the old file when it is on disk", async () => {
  const cwd = await temporaryFolder();
  const { url, key } = await startTestService();
  const run = { cwd, env: { XDG_CONFIG_HOME: join(cwd, "config") }, stdin: `${key}\n` };
  const { code, calls } = await recordCalls(["auth", "login", "--base-url", url], run);
  const own = calls.filter(({ path }) => path.startsWith(cwd));
  const name = (text: string) => text.replaceAll(/\.\d+\.new/g, ".PID.new");
  expect([code, ...story(own, cwd).map(name)]).toEqual([
    0,
    "make folder config",
    "sync .",
    "make folder config/catalog",
    "sync config",
    "create config/catalog/config.toml.lock",
    "write config/catalog/config.toml.lock",
    "sync config/catalog/config.toml.lock",
    "create config/catalog/config.toml.PID.new",
    "write config/catalog/config.toml.PID.new",
    "sync config/catalog/config.toml.PID.new",
    "rename config/catalog/config.toml.PID.new to config/catalog/config.toml",
    "sync config/catalog",
    "remove config/catalog/config.toml.lock",
  ]);
  const modes = own.flatMap(({ path, args }) =>
    /(?:config|catalog|\.new)$/.test(path) ? (/, (0\d+)$/.exec(args)?.[1] ?? []) : [],
  );
  expect(modes).toEqual(["0700", "0700", "0600"]);
});

describe("a folder that cannot be synced is an error that names it", () => {
  test.each([
    // The one that succeeds is of the removed partial file.
    ["when the pages of an export begin", 1, 1, []],
    ["when its output has its name", 2, 1, ["rows.csv"]],
    ["when its manifest has its name", 3, 2, ["rows.csv", "rows.csv.manifest.json"]],
    ["when its pages are removed", 4, 3, ["rows.csv", "rows.csv.manifest.json"]],
  ])("%s", async (_, nth, succeeded, placed) => {
    const cwd = await temporaryFolder();
    const { env } = await gatedService();
    const { code, stderr, calls } = await recordCalls(["export", "-o", "rows.csv", "--manifest"], {
      cwd,
      env: { ...env, UV_THREADPOOL_SIZE: "1" },
      paths: [cwd],
      inject: `fsync:error=EIO:when=${nth}`,
    });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining("the device failed to read or write"),
    });
    expect(calls.filter(({ kind }) => kind === "sync").length).toBe(succeeded);
    expect((await readdir(cwd)).filter((name) => !name.includes(".partial")).sort()).toEqual(placed);
  });

  test("when a stored key has its name", async () => {
    const cwd = await temporaryFolder();
    const { url, key } = await startTestService();
    expect(
      await recordCalls(["auth", "login", "--base-url", url], {
        cwd,
        env: { XDG_CONFIG_HOME: cwd },
        stdin: `${key}\n`,
        paths: [join(cwd, "catalog")],
        inject: "fsync:error=EIO",
      }),
    ).toMatchObject({ code: 1, stderr: expect.stringContaining("the device failed to read or write") });
  });
});
