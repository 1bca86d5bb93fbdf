import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { runCatalog, temporaryFolder } from "../helpers/cli.ts";
import { startInterruptibleService } from "../helpers/interruption.ts";
import { product, products } from "../helpers/products.ts";
import { servedFolder } from "../helpers/synced-folder.ts";
import { contentSynced, losses, recordCalls, type SystemCall, story, syncOf } from "../helpers/system-calls.ts";

const ROWS = ["2026-01-01", "2026-01-02", "2026-01-03"].flatMap((crawl_date) =>
  ["acme", "bolt"].map((retailer) => product({ retailer, crawl_date, sku: `sku-${retailer}` })),
);

/** Whether a change only matters to the run itself. An empty folder may come back. */
function isPassing({ kind, path, to = path }: SystemCall): boolean {
  return to.includes("/.catalog/staging") || (kind === "remove folder" && to.endsWith("/.catalog"));
}

/** The renames of complete files to their places in Hive folders, and the removals from there. */
function placings(calls: readonly SystemCall[]): SystemCall[] {
  return calls.filter(({ kind, path, to = path }) => /^re/.test(kind) && /=[^/]*\/part-0\.\w+$/.test(to));
}

/**
 * What breaks the promise that the state of a synced folder never says more than the disk has: a day is pending, on disk,
 * before its file changes, and until the change is on disk.
 */
function stateErrors(calls: readonly SystemCall[], folder: string): string[] {
  const own = join(folder, ".catalog");
  const state = join(own, "state.json");
  const written = calls.filter(({ kind, to }) => kind === "rename" && to === state);
  const isPending = (renamed: SystemCall, day: string) => {
    const text = calls.findLast(
      ({ kind, path, begin }) => kind === "write" && path === renamed.path && begin < renamed.begin,
    );
    return /\\"pending\\":\[(.*?)\]/.exec(text?.args ?? "")?.[1]?.includes(day) ?? false;
  };
  return placings(calls).flatMap((placing) => {
    const words = story([placing], folder)[0];
    const { path, to = path, begin, end } = placing;
    const day = /crawl_date=([\d-]+)/.exec(to)?.[1] ?? "";
    const before = written.findLast((renamed) => renamed.end < begin);
    const after = written.find((renamed) => renamed.begin > end && !isPending(renamed, day));
    return [
      ...(before !== undefined && isPending(before, day) ? [] : [`${words}: before it is pending`]),
      ...(before !== undefined && syncOf(calls, own, before.end, begin) ? [] : [`${words}: before pending is on disk`]),
      ...(after === undefined ? [`${words}: it stays pending`] : []),
      ...([dirname(to), folder].some((parent) => syncOf(calls, parent, end, after?.begin))
        ? []
        : [`${words}: not on disk before the state says so`]),
    ];
  });
}

test("a sync places complete days only, each between a state that has it pending and one that has it not", async () => {
  const { folder, env, replace, all } = await servedFolder(ROWS);
  const parent = dirname(folder);
  const first = await recordCalls(["sync", folder], { cwd: parent, env });
  expect(first).toMatchObject({ code: 0, stderr: expect.any(String) });
  expect(placings(first.calls).length).toBe(3);
  expect({ stateErrors: stateErrors(first.calls, folder), losses: losses(first.calls, parent, isPassing) }).toEqual({
    stateErrors: [],
    losses: [],
  });

  const changed = all().map((row) => (row.crawl_date === "2026-01-03" ? { ...row, title: "New title" } : row));
  await replace(changed.filter(({ crawl_date }) => crawl_date !== "2026-01-01"));
  const second = await recordCalls(["sync", folder], { cwd: parent, env });
  expect(second.code).toBe(0);
  expect(placings(second.calls).map((call) => story([call], folder)[0])).toEqual([
    expect.stringMatching(/^re.*crawl_date=2026-01-0[13].part-0.parquet$/),
    expect.stringMatching(/^re.*crawl_date=2026-01-0[13].part-0.parquet$/),
  ]);
  expect({ stateErrors: stateErrors(second.calls, folder), losses: losses(second.calls, parent, isPassing) }).toEqual({
    stateErrors: [],
    losses: [],
  });
});

test("useless pages of an earlier run are gone for good before anything else is asked for", async () => {
  const { folder, env, sync } = await servedFolder(ROWS);
  await sync();
  const own = join(folder, ".catalog");
  await Promise.all(["sync.json", "sync.pages"].map((name) => writeFile(join(own, name), "of no use\n")));
  const refused = { ...env, CATALOG_API_KEY: "not-a-key" };
  const { code, calls } = await recordCalls(["sync", folder], { cwd: dirname(folder), env: refused });
  const removed = calls.filter(({ kind, path }) => kind === "remove" && /sync\.\w+$/.test(path));
  expect({ code, story: story(removed, own) }).toEqual({ code: 3, story: ["remove sync.json", "remove sync.pages"] });
  expect(losses(calls, dirname(folder), isPassing)).toEqual([]);
});

test("partitions are replaced when all of them are complete and on disk, and the pages removed when they are in place", async () => {
  const { folder, env } = await servedFolder(ROWS);
  const parent = dirname(folder);
  const args = ["export", "--partition-by", "retailer,crawl_date", "-f", "csv", "-o", folder];
  for (const run of ["new", "replaced"]) {
    const { code, calls } = await recordCalls(args, { cwd: parent, env });
    expect({ run, code }).toEqual({ run, code: 0 });
    const moves = placings(calls);
    const [firstMove] = moves;
    const complete = moves.map((move) => contentSynced(calls, move)?.end ?? Number.POSITIVE_INFINITY);
    expect(moves.length).toBe(6);
    expect(complete.filter((end) => end > (firstMove?.begin ?? -1))).toEqual([]);
    const inPlace = Math.max(
      ...moves.map(({ to = "", end }) => syncOf(calls, dirname(to), end)?.end ?? Number.POSITIVE_INFINITY),
    );
    const removed = calls.filter(({ kind, path }) => kind === "remove" && /\.catalog\/export\./.test(path));
    expect(
      story(
        removed.filter(({ begin }) => begin < inPlace),
        folder,
      ),
    ).toEqual([]);
    expect(losses(calls, parent, isPassing)).toEqual([]);
  }
});

test.each([
  ["sync", ["sync"]],
  ["export", ["export", "--partition-by", "crawl_date", "-f", "csv", "-o"]],
])("an interrupted %s leaves with its pages on disk, and then their lines", async (name, args) => {
  const { env, answerOnly, isStalled } = await startInterruptibleService({
    rows: ["2026-01-01", "2026-01-02"].flatMap((crawl_date) => products(600, { crawl_date })),
  });
  const folder = join(await temporaryFolder(), "copy");
  const own = join(folder, ".catalog");
  const [lines, pages] = [join(own, `${name}.json`), join(own, `${name}.pages`)];
  const written = (calls: SystemCall[], path: string) =>
    calls.filter((call) => call.kind === "write" && call.path === path && call.end !== Number.POSITIVE_INFINITY).length;
  answerOnly(2);
  const { code, calls } = await recordCalls([...args, folder], {
    cwd: dirname(folder),
    env,
    meanwhile: async (soFar) => {
      while (!isStalled() || written(await soFar(), lines) < 1 + 2) {
        await delay(20);
      }
      const { pid } = JSON.parse(await readFile(join(own, "lock"), "utf8")) as { pid: number };
      process.kill(pid, "SIGINT");
    },
  });
  const last = calls.slice(calls.findIndex(({ kind }) => kind === "signal"));
  const told = story(
    last.filter(({ path }) => [lines, pages, join(own, "lock"), "SIGINT"].includes(path)),
    own,
  );
  expect({ code, written: written(calls, pages), told }).toEqual({
    code: 130,
    written: 2,
    told: ["SIGINT", `sync ${name}.pages`, `sync ${name}.json`, "remove lock"],
  });
  expect(losses(calls, dirname(folder), isPassing)).toEqual([]);
});

describe("a folder that cannot be synced is an error that names it, and the next run mends what it left", () => {
  test.each([
    ["its own folder, before a day is placed", ".catalog", 0],
    ["the folder of a day that was placed", "crawl_date=2026-01-02", 3],
    ["the folder of the days, before anything is read", "", 0],
  ])("%s", async (_, name, days) => {
    const { folder, env, days: placed } = await servedFolder(ROWS);
    await mkdir(folder);
    const path = join(folder, name);
    const inject = "fsync:error=EIO";
    const { code, stderr } = await recordCalls(["sync", folder], { cwd: folder, env, paths: [path], inject });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining("the device failed to read or write"),
    });
    expect(stderr.replaceAll(/\s+/g, "")).toContain(path);
    expect((await placed()).length).toBe(days);
    expect(await runCatalog(["sync", folder], { env })).toMatchObject({ code: 0 });
    expect((await placed()).length).toBe(3);
  });

  test("the folder of a partition", async () => {
    const { folder, env } = await servedFolder(ROWS);
    const path = join(folder, "retailer=bolt");
    const args = ["export", "--partition-by", "retailer", "-f", "csv", "-o", folder];
    const failed = await recordCalls(args, { cwd: dirname(folder), env, paths: [path], inject: "fsync:error=EIO" });
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("the device failed to read or write") });
    expect(await runCatalog([...args, "--resume"], { env })).toMatchObject({ code: 0 });
  });
});
