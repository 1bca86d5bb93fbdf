import { spawn } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";
import { cp, mkdir, readdir, readFile, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { EXIT, InterruptedError } from "../../src/contract/errors.ts";
import type { Product } from "../../src/contract/product.ts";
import { addDays } from "../../src/contract/values/day-arithmetic.ts";
import { ownerOf } from "../../src/files/process-owner.ts";
import { bareEnvironment, CATALOG, startCatalog, temporaryFolder } from "../helpers/cli.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { FIRST_DAY, LAST_DAY, servedFolder, sixteenDays } from "../helpers/synced-folder.ts";

test("a run reports what has changed, on how many days, as text and as JSON", async () => {
  const rows = await servedFolder(sixteenDays());
  const sync = (...flags: string[]) => runInProcess(["sync", rows.folder, ...flags], { env: rows.env });
  expect(await sync("--format", "json")).toEqual({
    code: 0,
    stdout: `${JSON.stringify({
      days_checked: 16,
      days_audited: 0,
      audit_cycle_runs: 2,
      days_pulled: 16,
      days_changed: 16,
      days_removed: 0,
      days_pruned: 0,
      days_outside: 0,
      rows_added: 48,
      rows_replaced: 0,
      rows_removed: 0,
      requests: 4,
    })}\n`,
    stderr: "",
  });
  expect(await rows.copy()).toEqual(rows.expected());
  const [first, , ...others] = rows.all();
  await rows.replace([...others, { ...(first as Product), title: "another" }, product({ crawl_date: "2026-01-20" })]);
  expect((await sync("--audit", "16")).stdout).toMatch(
    /^Up to date: 1 new row, 2 rows replaced, 1 row removed on 2 days \(\d+ requests\)\n$/,
  );
  await writeFile(join(rows.folder, `crawl_date=${FIRST_DAY}`, "part-1.parquet"), "");
  expect(await sync("--lookback", "0")).toMatchObject({
    code: 0,
    stdout: "Up to date: nothing new (13 requests)\n",
    stderr: `warning: ${rows.folder}/crawl_date=${FIRST_DAY}/part-1.parquet: not written by catalog, so it stays. Programs that read the day folders also read it\n`,
  });
  await writeFile(join(rows.folder, `crawl_date=${FIRST_DAY}`, "part-2.parquet"), "");
  expect((await sync("--lookback", "0")).stderr).toContain(
    "part-2.parquet: not written by catalog, so they stay. Programs that read the day folders also read them",
  );
});

test("a first run without rows says so, and where there are some", async () => {
  const rows = await servedFolder(sixteenDays());
  for (const [flags, days] of [
    [["--start-date", "2026-02-01"], "since 2026-02-01"],
    [["--end-date", "2025-02-01"], "up to 2025-02-01"],
    [["--date", "2026-02-01"], "on 2026-02-01"],
    [["--start-date", "2025-02-01", "--end-date", "2025-02-03"], "from 2025-02-01 to 2025-02-03"],
  ] as const) {
    expect(await runInProcess(["sync", `${rows.folder} ${days}`, ...flags], { env: rows.env })).toMatchObject({
      code: 0,
      stdout: `No rows ${days}; the newest day is 2026-01-16\n`,
    });
  }
});

test("the progress shows the number of rows and the part that has arrived", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const rows = await servedFolder(sixteenDays());
  const pages = rows.stalledAt(4);
  const stop = new AbortController();
  const run = runInProcess(["sync", rows.folder, "--progress", "plain"], { env: rows.env, signal: stop.signal });
  await pages;
  await vi.advanceTimersByTimeAsync(10_000);
  stop.abort(new Error("seen enough"));
  expect((await run).stderr).toMatch(/Z 0 of 48 rows · 0 % · /);
});

test("a file or a link to nothing in place of the folder is named, and stays", async () => {
  const [cwd, { env }] = [await temporaryFolder(), await servedFolder([])];
  await writeFile(join(cwd, "file"), "mine");
  await symlink("nowhere", join(cwd, "link"));
  for (const [folder, found] of [
    ["file", "file is a file"],
    ["file/rows", "file is a file"],
    ["link", "link is a symbolic link"],
  ]) {
    expect(await runInProcess(["sync", `./${folder}`], { cwd, env })).toMatchObject({
      code: EXIT.failure,
      stderr: `error: ${found}; a folder is needed\n`,
    });
  }
  expect(await readFile(join(cwd, "file"), "utf8")).toBe("mine");
});

test("day files that sync may not have written are a usage error that says what to do", async () => {
  const rows = await servedFolder(sixteenDays());
  await mkdir(join(rows.folder, "crawl_date=2019-05-05"), { recursive: true });
  await writeFile(rows.file("2019-05-05"), "a stranger");
  expect(await runInProcess(["sync", rows.folder], { env: rows.env })).toMatchObject({
    code: 2,
    stdout: "",
    stderr: `error: ${rows.folder} has day folders that \`catalog sync\` does not know: crawl_date=2019-05-05/part-0.parquet. Name another folder. If catalog wrote them, take them over with --adopt.\n`,
  });
  expect(await readdir(rows.folder)).toEqual(["crawl_date=2019-05-05"]);
});

test("a folder that a live process writes is refused; one whose writer has died is not", async () => {
  const rows = await servedFolder([product({ crawl_date: FIRST_DAY })]);
  await rows.alreadySynced();
  const other = spawn("sleep", ["60"]);
  onTestFinished(() => void other.kill());
  await once(other, "spawn");
  await writeFile(join(rows.folder, ".catalog/lock"), JSON.stringify(await ownerOf(other.pid ?? 0)));
  const { code, stderr } = await runInProcess(["sync", rows.folder], { env: rows.env });
  expect({ code, stderr }).toEqual({
    code: 5,
    stderr: expect.stringContaining(`is being written by process ${other.pid}`),
  });
  other.kill("SIGKILL");
  await once(other, "close");
  expect((await runInProcess(["sync", rows.folder], { env: rows.env })).code).toBe(0);
});

test("a folder keeps the filters of its first run and refuses others", async () => {
  const rows = await servedFolder(sixteenDays());
  const sync = (...flags: string[]) => runInProcess(["sync", rows.folder, ...flags], { env: rows.env });
  const flags = ["--retailer", "bolt,acme", "--start-date", LAST_DAY];
  expect(await sync(...flags)).toMatchObject({ code: 0, stderr: "" });
  expect(await sync("--lookback", "0")).toMatchObject({ code: 0, stdout: "Up to date: nothing new (2 requests)\n" });
  expect(await sync("-q")).toMatchObject({ code: 0, stdout: "", stderr: "" });
  const { code, stderr } = await sync("--retailer", "bolt,acme");
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining(`--start-date is ${LAST_DAY} there and not set here`),
  });
});

test("a service that lost more than half of the rows is exit code 6, and the message says what to do", async () => {
  const rows = await servedFolder(sixteenDays());
  await rows.alreadySynced();
  await rows.replace(rows.all().slice(0, 3));
  const sync = (...flags: string[]) => runInProcess(["sync", rows.folder, ...flags], { env: rows.env });
  const { code, stderr } = await sync();
  expect({ code, stderr }).toEqual({ code: 6, stderr: expect.stringContaining("45 of the 48 rows") });
  expect(stderr).toContain("--allow-shrink");
  expect(await rows.days()).toHaveLength(16);
  expect((await sync("--allow-shrink")).code).toBe(0);
  expect(await rows.copy()).toEqual(rows.expected());
});

test("a retailer that the service no longer shows is exit code 6, and only the flag that removes it is named", async () => {
  const zeta = product({ retailer: "zeta", crawl_date: FIRST_DAY });
  const rows = await servedFolder([...sixteenDays(), zeta]);
  await rows.alreadySynced();
  await rows.replace(sixteenDays());
  const sync = (...flags: string[]) => runInProcess(["sync", rows.folder, ...flags], { env: rows.env });
  const { code, stderr } = await sync();
  expect({ code, stderr }).toEqual({
    code: 6,
    stderr: expect.stringContaining("nothing was changed. --prune removes them"),
  });
  expect(stderr).not.toContain("--allow-shrink");
  expect((await sync("--prune")).code).toBe(0);
  expect(await rows.copy()).toEqual(rows.expected());
});

test("a folder whose first sync was interrupted says so, and how to go on", async () => {
  const rows = await servedFolder(Array.from({ length: 1_200 }, (_, index) => product({ sku: `S-${index}` })));
  const stalled = rows.stalledAt(4);
  const stop = new AbortController();
  const ended = runInProcess(["sync", rows.folder], { env: rows.env, signal: stop.signal });
  await stalled;
  stop.abort(new InterruptedError("SIGINT"));
  expect((await ended).code).toBe(EXIT.interrupted);
  expect(await runInProcess(["movers", rows.folder])).toMatchObject({
    code: EXIT.failure,
    stdout: "",
    stderr: `error: ${rows.folder} has no days yet: its first sync was interrupted or is still running; \`catalog sync ${rows.folder}\` continues it\n`,
  });
});

describe("after a crash every day is whole, and the next run completes the copy:", () => {
  test.each([4, 8])("a crash while it waits for the response to request %i", async (request) => {
    const rows = await servedFolder(sixteenDays());
    await rows.alreadySynced();
    await rows.replace([...rows.all(), ...oneMoreADay()]);
    const stalled = rows.stalledAt(request);
    const stop = new AbortController();
    const ended = runInProcess(["sync", rows.folder], { env: rows.env, signal: stop.signal });
    await stalled;
    // SIGKILL leaves the files as they are now, and a lock without a process.
    const left = `${rows.folder}-left`;
    await cp(rows.folder, left, { recursive: true });
    await rm(join(left, ".catalog/lock"));
    stop.abort(new InterruptedError("SIGINT"));
    expect((await ended).code).toBe(EXIT.interrupted);
    await rm(rows.folder, { recursive: true });
    await rename(left, rows.folder);
    await expectWholeDays(rows);
    await rows.sync();
    expect(await rows.copy()).toEqual(rows.expected());
  });

  test("killed while it moves days into place", async () => {
    const rows = await servedFolder(sixteenDays());
    await rows.alreadySynced();
    const state = join(rows.folder, ".catalog/state.json");
    let landed = 0;
    for (let attempt = 0; attempt < 10 && landed === 0; attempt += 1) {
      await rows.replace([...rows.all(), ...oneMoreADay(String(attempt))]);
      const child = startCatalog(["sync", rows.folder], { env: rows.env });
      const ended = once(child, "exit");
      const watcher = watch(rows.folder, { recursive: true }, (_, name) => {
        // The first new file of a day: the state names all of them as pending until the last is in place.
        if (name?.endsWith(".parquet")) {
          child.kill("SIGKILL");
        }
      });
      await ended;
      watcher.close();
      landed += JSON.parse(await readFile(state, "utf8")).pending.length > 0 ? 1 : 0;
      await expectWholeDays(rows);
      await rows.sync();
      expect(await rows.copy()).toEqual(rows.expected());
    }
    expect(landed).toBe(1);
  });
});

function oneMoreADay(sku = "more"): Product[] {
  return Array.from({ length: 16 }, (_, day) => product({ crawl_date: addDays(FIRST_DAY, day), sku }));
}

/** Each day has its rows of before the last change or of after it. */
async function expectWholeDays(rows: Awaited<ReturnType<typeof servedFolder>>): Promise<void> {
  const copy = await rows.copy();
  for (const day of await rows.days()) {
    const now = rows.expected().filter(({ crawl_date }) => crawl_date === day);
    const held = copy.filter(({ crawl_date }) => crawl_date === day);
    expect([now.length - 1, now.length]).toContain(held.length);
  }
}

test("a state that cannot be read is an error that says what to do, also for diff", async () => {
  const rows = await servedFolder([product({ crawl_date: FIRST_DAY })]);
  await rows.alreadySynced();
  const state = join(rows.folder, ".catalog/state.json");
  await truncate(state, 100);
  const sync = (...flags: string[]) => runInProcess(["sync", rows.folder, ...flags], { env: rows.env });
  const refusal = {
    code: 6,
    stdout: "",
    stderr: `error: ${state} was altered: its own checksum is wrong; delete it and run \`catalog sync ${rows.folder} --adopt\` with the filters of the folder to start over\n`,
  };
  expect(await sync()).toMatchObject(refusal);
  expect(await runInProcess(["diff", "--against", rows.folder, "--from", FIRST_DAY, "--to", LAST_DAY])).toMatchObject(
    refusal,
  );
  await rm(state);
  expect((await sync("--adopt")).code).toBe(0);
  expect(await rows.copy()).toEqual(rows.expected());
});

test("if nothing can be written, nothing is left behind", async () => {
  const rows = await servedFolder(sixteenDays());
  const limited = spawn(
    "sh",
    ["-c", 'trap "" XFSZ; ulimit -f 0; exec "$@"', "sh", process.execPath, CATALOG, "sync", rows.folder],
    {
      env: { ...bareEnvironment(), ...rows.env },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  expect(await text(limited.stderr)).toBe(
    `error: ${rows.folder}/.catalog/lock: the file grew larger than the system allows\n`,
  );
  expect(await readdir(join(rows.folder, ".catalog"))).toEqual([]);
});

test("a file in the place of the tool's own folder is named", async () => {
  const rows = await servedFolder([product({ crawl_date: FIRST_DAY })]);
  await mkdir(rows.folder);
  await writeFile(join(rows.folder, ".catalog"), "");
  expect(await runInProcess(["sync", rows.folder], { env: rows.env })).toMatchObject({
    code: 1,
    stderr: `error: ${rows.folder}/.catalog is a file, but catalog needs a folder of its own there; remove it or use another name\n`,
  });
});
