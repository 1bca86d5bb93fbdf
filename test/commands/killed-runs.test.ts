import { once } from "node:events";
import { mkdir, readdir, readFile, readlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { ownerOf } from "../../src/files/process-owner.ts";
import { readSyncedFolder } from "../../src/folder/folder-state.ts";
import { openPriceIndex } from "../../src/folder/index/update-index.ts";
import { runCatalog, startCatalog, temporaryFolder } from "../helpers/cli.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { servedFolder, sixteenDays, syncedFolder } from "../helpers/synced-folder.ts";

/** Runs until it is killed. */
const LONG_QUERY = "select count(*) from range(1000000000000) numbers(n) where n % 7 = random()";

test("what a killed run left among the temporary files goes with the next one, and what a running one has stays", async () => {
  const [folder, temporary] = [await syncedFolder(sixteenDays()), await temporaryFolder()];
  const env = { TMPDIR: temporary };
  const start = async () => {
    const child = startCatalog(["sql", LONG_QUERY, folder], { env });
    onTestFinished(() => void child.kill("SIGKILL"));
    const closed = once(child, "close");
    const before = new Set(await readdir(temporary));
    const created = await vi.waitUntil(async () => {
      const added = (await readdir(temporary)).find((name) => !before.has(name));
      const owner = added && (await readFile(join(temporary, added, "owner.json"), "utf8").catch(() => ""));
      return owner === "" ? undefined : added;
    }, 20_000);
    return { child, closed, created };
  };
  const killed = await start();
  killed.child.kill("SIGKILL");
  await killed.closed;
  const running = await start();
  expect(await runCatalog(["sql", "select 1 as one", folder], { env })).toMatchObject({
    code: 0,
    stdout: '{"one":1}\n',
  });
  const names = await readdir(temporary);
  expect(names).toContain(running.created);
  expect(names).not.toContain(killed.created);
  running.child.kill("SIGTERM");
  await running.closed;
  expect(await readdir(temporary)).toEqual([]);
}, 60_000);

test("an index that was being built when its process was killed is removed with the next one", async () => {
  const folder = await syncedFolder(sixteenDays(), onTestFinished, false);
  const left = join(folder, ".catalog", "catalog-scratch-killed");
  await mkdir(left);
  await writeFile(join(left, "owner.json"), JSON.stringify(await deadProcess()));
  await writeFile(join(left, "prices.duckdb"), "half");
  expect(await runInProcess(["latest", folder])).toMatchObject({ code: 0 });
  expect((await readdir(join(folder, ".catalog"))).sort()).toEqual(["prices.duckdb", "state.json"]);
});

test("a command that runs out of time says so, and nothing of the network", async () => {
  const folder = await syncedFolder(sixteenDays(), onTestFinished, false);
  expect(await runInProcess(["latest", folder, "--max-time", "1ms"])).toEqual({
    ...{ code: EXIT.unavailable, stdout: "" },
    stderr: "error: not done within the --max-time of 1 ms\n",
  });
});

test("an index that is given up leaves no day file open, and nothing in the folder", async () => {
  const folder = await syncedFolder(sixteenDays(), onTestFinished, false);
  const ended = new AbortController();
  const onBuild = () => ended.abort(new Error("enough"));
  const index = openPriceIndex({ folder, state: await readSyncedFolder(folder), signal: ended.signal, onBuild });
  await expect(index).rejects.toThrow("enough");
  const links = await Promise.all(
    (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")),
  );
  expect(links.filter((path) => path.startsWith(folder))).toEqual([]);
  expect(await readdir(join(folder, ".catalog"))).toEqual(["state.json"]);
});

test("an empty lock, whose process was killed as it made it, blocks for two seconds only", async () => {
  const { folder, sync } = await servedFolder(sixteenDays());
  await sync();
  const path = join(folder, ".catalog", "lock");
  await writeFile(path, "");
  await expect(sync()).rejects.toThrow("if that process has ended, its lock no longer counts after 2 s");
  const threeSecondsAgo = new Date(Date.now() - 3_000);
  await utimes(path, threeSecondsAgo, threeSecondsAgo);
  await sync();
  expect((await readdir(join(folder, ".catalog"))).sort()).toEqual(["state.json"]);
});

/** The description of a process of this machine that has ended. */
async function deadProcess() {
  return { ...(await ownerOf(process.pid)), started: "1" };
}
