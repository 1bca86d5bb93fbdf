import { cp, mkdir, mkdtemp, open, readdir, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";
import { servedFolder } from "../helpers/synced-folder.ts";

const DAYS = ["2026-01-01", "2026-01-02"];
const ROWS = DAYS.map((crawl_date) => product({ crawl_date }));

interface Run {
  args: string[];
  env: Record<string, string>;
  /** Name of the lock. */
  lock: string;
  /** Makes the output folder as it is before the run. */
  prepare?: (out: string) => Promise<void>;
  /** Registers what is called when the service returns a page. */
  onPage?: (called: () => Promise<void>) => void;
}

/**
 * Names, identities, sizes and times of the files of a folder, without those that only one run uses, and without the log, to which
 * every run adds its outcome, also one without the lock.
 */
async function filesOf(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder, { recursive: true })).filter(
    (name) => !/\.partial$|staging-|log\.ndjson$/.test(name),
  );
  const entries = names.sort().map(async (name) => {
    const entry = await stat(join(folder, name));
    return [name, entry.isFile() ? [entry.ino, entry.size, entry.mtimeMs].join() : "folder"] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Calls `called` whenever this process has synced a file or folder, until the test ends or this is called again. */
async function onSync(called: () => Promise<void>): Promise<void> {
  vi.restoreAllMocks();
  const handle = await open(import.meta.filename);
  const prototype = Object.getPrototypeOf(handle) as { sync(): Promise<void> };
  await handle.close();
  const { sync } = prototype;
  vi.spyOn(prototype, "sync").mockImplementation(async function (this: object) {
    await sync.call(this);
    await called();
  });
  onTestFinished(() => void vi.restoreAllMocks());
}

/**
 * Repeats a run. Each time another process takes its lock, one page or one sync later than before. Nothing may change after
 * that. Returns the exit codes.
 */
async function codesOfRobbed({ args, env, lock, prepare, onPage }: Run): Promise<number[]> {
  let onEvent = async (): Promise<void> => undefined;
  onPage?.(() => onEvent());
  await onSync(() => onEvent());
  const home = await temporaryFolder();
  const codes: number[] = [];
  for (;;) {
    const cwd = await mkdtemp(join(home, "run-"));
    const [out, theirs] = [join(cwd, "out"), join(cwd, "theirs")];
    await mkdir(out);
    await prepare?.(out);
    await writeFile(theirs, JSON.stringify({ host: "elsewhere", pid: 7, token: "theirs" }));
    let events = 0;
    let before: Record<string, string> | undefined;
    onEvent = async () => {
      events += 1;
      if (events === codes.length + 1) {
        await rename(theirs, join(out, lock));
        before = await filesOf(out);
      }
    };
    const { code, stderr } = await runInProcess(args, { cwd, env });
    if (before === undefined) {
      expect(code).toBe(EXIT.ok);
      return codes;
    }
    expect({ codeCount: codes.length, files: await filesOf(out) }).toEqual({ codeCount: codes.length, files: before });
    expect(code === EXIT.ok || stderr.includes("elsewhere")).toBe(true);
    codes.push(code);
  }
}

/** `unavailable` as long as something has to be placed. What is placed is complete: only the removal of the pages may be left to the other process. */
const REFUSED_UNTIL_COMPLETE = new RegExp(`^(${EXIT.unavailable},){6,}(${EXIT.ok},?){1,4}$`);

test.each([
  ["an export", ["export", "-o", "./out/rows.csv", "--manifest"], "rows.csv.partial.lock"],
  ["a partitioned export", ["export", "--partition-by", "crawl_date", "-f", "csv", "-o", "./out"], ".catalog/lock"],
])("%s places, journals and removes nothing once another process has its lock", async (_, args, lock) => {
  let onEvent = async (): Promise<void> => undefined;
  const { url, key } = await startTestService({
    rows: ROWS,
    rateLimit: 1_000_000,
    faults: (store) => ({
      page: async (...given) => {
        await onEvent();
        return store.page(...given);
      },
    }),
  });
  const run = { args: [...args, "--page-size", "1", "--concurrency", "1"], lock };
  const env = { CATALOG_BASE_URL: url, CATALOG_API_KEY: key };
  const onPage = (called: () => Promise<void>) => {
    onEvent = called;
  };
  expect((await codesOfRobbed({ ...run, env, onPage })).join()).toMatch(REFUSED_UNTIL_COMPLETE);
});

test("a sync places and removes no day, and writes no state, once another process has its lock", async () => {
  const { folder, env, replace, sync } = await servedFolder(ROWS);
  const run = { args: ["sync", "./out", "--concurrency", "1"], env, lock: ".catalog/lock" };
  expect((await codesOfRobbed(run)).join()).toMatch(REFUSED_UNTIL_COMPLETE);
  await sync();
  await replace(ROWS.slice(1, 2).map((row) => ({ ...row, title: "New" })));
  const second = await codesOfRobbed({
    ...run,
    args: [...run.args, "--allow-shrink"],
    prepare: (out) => cp(folder, out, { recursive: true }),
  });
  expect(second.join()).toMatch(REFUSED_UNTIL_COMPLETE);
});

test("a bookmark is not moved once another process has its lock", async () => {
  const { folder, sync } = await servedFolder(ROWS);
  await sync();
  // The index of the folder is made now.
  await runInProcess(["movers", folder, "--since", DAYS[0] ?? ""]);
  const codes = await codesOfRobbed({
    ...{ args: ["movers", "./out", "--since", "last", "-n", "1", "--only", "drop"], env: {} },
    lock: ".catalog/looks/movers-last.json.lock",
    prepare: (out) => cp(folder, out, { recursive: true }),
  });
  expect(codes).toEqual([EXIT.unavailable, EXIT.ok]);
});
