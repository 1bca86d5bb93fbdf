import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import fs, { renameSync } from "node:fs";
import { open, readdir, readFile, rename, symlink, utimes, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { hostname } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { FileError, LockedError } from "../../src/contract/errors.ts";
import { lockOutput } from "../../src/files/lock.ts";
import { type Owner, ownerOf } from "../../src/files/process-owner.ts";
import { bareEnvironment, CATALOG, temporaryFolder } from "../helpers/cli.ts";
import { stallBeforeHeaders, startFaultServer } from "../helpers/fault-server.ts";
import { gate } from "../helpers/gate.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { products } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

async function target() {
  const folder = await temporaryFolder();
  const lockPath = join(folder, "rows.csv.partial.lock");
  return {
    folder,
    file: join(folder, "rows.csv"),
    lockPath,
    /** Leaves the lock of another process, whose last heartbeat was so many seconds ago. */
    leaveLock: async (owner: Partial<Owner>, seconds = 0) => {
      const other = join(folder, "other");
      await writeFile(other, JSON.stringify({ ...(await ownerOf(process.pid)), ...owner, token: "another" }));
      await makeOlder(other, seconds);
      await rename(other, lockPath);
    },
  };
}

async function makeOlder(path: string, seconds: number): Promise<void> {
  const time = Date.now() / 1000 - seconds;
  await utimes(path, time, time);
}

/** The owner that a process was which has ended. */
async function deadOwner(): Promise<Owner> {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  await once(child, "spawn");
  const owner = await ownerOf(child.pid ?? 0);
  child.kill("SIGKILL");
  await once(child, "close");
  return owner;
}

test("a released lock leaves nothing behind and can be taken again", async () => {
  const { folder, file } = await target();
  const lock = await lockOutput(file, process.pid);
  await lock.release();
  const again = await lockOutput(file, process.pid);
  await again.release();
  expect(await readdir(folder)).toEqual([]);
});

test("the error for a held lock names its process", async () => {
  const { folder, file } = await target();
  await lockOutput(file, process.pid);
  await expect(lockOutput(file, process.pid)).rejects.toStrictEqual(
    new LockedError(`${file} is being written by process ${process.pid} on ${hostname()}`),
  );
  expect(await readdir(folder)).toEqual(["rows.csv.partial.lock"]);
});

test("locks of other files do not count", async () => {
  const { folder, file } = await target();
  await lockOutput(join(folder, "other.csv"), process.pid);
  const lock = await lockOutput(file, process.pid);
  await lock.release();
  expect(await readdir(folder)).toEqual(["other.csv.partial.lock"]);
});

test("the lock of a process that has ended is stale, and drafts of locks are removed", async () => {
  const { folder, file, leaveLock, lockPath } = await target();
  await leaveLock(await deadOwner());
  await writeFile(`${lockPath}.draft`, "");
  const lock = await lockOutput(file, process.pid);
  expect(await readdir(folder)).toEqual(["rows.csv.partial.lock"]);
  await lock.release();
  expect(await readdir(folder)).toEqual([]);
});

test("a reused process number does not hold the lock", async () => {
  const { file, leaveLock } = await target();
  await leaveLock({ started: "1" });
  await (await lockOutput(file, process.pid)).release();
});

test("a running process holds its lock even without a recent heartbeat", async () => {
  const { file, leaveLock } = await target();
  await leaveLock({}, 3_600);
  await expect(lockOutput(file, process.pid)).rejects.toThrow(LockedError);
});

test.each([
  ["another machine", { host: "elsewhere" }],
  ["another boot or another PID namespace", { namespace: "another" }],
  ["a system that does not tell", { namespace: null, started: null }],
])("a process of %s holds its lock for a minute after its last heartbeat, whatever its number", async (_, owner) => {
  const { file, leaveLock } = await target();
  await leaveLock({ ...(await deadOwner()), ...owner }, 50);
  await expect(lockOutput(file, process.pid)).rejects.toThrow("its lock no longer counts after 60 s");
  await leaveLock({ ...owner }, 70);
  await (await lockOutput(file, process.pid)).release();
});

test.each([
  ["fast", 3_600_000, 0, LockedError],
  ["slow", -3_600_000, 70, undefined],
])("the clock of this machine does not count: an hour too %s", async (_, wrong, seconds, refused) => {
  const { file, leaveLock } = await target();
  await leaveLock({ namespace: "another" }, seconds);
  vi.spyOn(Date, "now").mockReturnValue(Date.now() + wrong);
  onTestFinished(() => void vi.restoreAllMocks());
  const taken = lockOutput(file, process.pid);
  await (refused === undefined ? taken.then(({ release }) => release()) : expect(taken).rejects.toThrow(refused));
});

test("a lock is valid while it is being written", async () => {
  const { file, lockPath } = await target();
  await writeFile(lockPath, "");
  await expect(lockOutput(file, process.pid)).rejects.toThrow("is being written by another process");
  await makeOlder(lockPath, 70);
  await (await lockOutput(file, process.pid)).release();
});

test("exactly one of many processes gets the lock, also if there is an old one", async () => {
  const { file, leaveLock } = await target();
  await leaveLock(await deadOwner());
  const tries = await Promise.allSettled(Array.from({ length: 20 }, () => lockOutput(file, process.pid)));
  expect(tries.filter(({ status }) => status === "fulfilled").length).toBe(1);
});

test("a stale lock that another process replaces during a slow check stays with that process", async () => {
  const { folder, file, leaveLock, lockPath } = await target();
  await leaveLock(await deadOwner());
  const theirs = join(folder, "theirs");
  await writeFile(theirs, JSON.stringify({ ...(await ownerOf(process.pid)), token: "theirs" }));
  const times = [0, 100];
  const clock = vi.spyOn(performance, "now").mockImplementation(() => {
    const time = times.shift();
    if (time === 100) {
      renameSync(theirs, lockPath);
    }
    return time ?? 200;
  });
  onTestFinished(() => clock.mockRestore());
  await expect(lockOutput(file, process.pid)).rejects.toThrow(LockedError);
  expect(JSON.parse(await readFile(lockPath, "utf8"))).toMatchObject({ token: "theirs" });
});

test("a stale lock is not replaced on a file system that answers too slowly, and the error says so", async () => {
  const { folder, file, leaveLock, lockPath } = await target();
  await leaveLock(await deadOwner());
  let time = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => {
    time += 70;
    return time;
  });
  onTestFinished(() => clock.mockRestore());
  await expect(lockOutput(file, process.pid)).rejects.toThrow(
    new LockedError(
      `${file} cannot be locked: the file system answers too slowly to replace the lock of a process that has ended; remove ${lockPath}`,
    ),
  );
  expect(await readdir(folder)).toEqual(["rows.csv.partial.lock"]);
});

test("a lock whose file can no longer be looked at is not held", async () => {
  const { file } = await target();
  const lock = await lockOutput(file, process.pid);
  const stale = vi.spyOn(fs, "fstatSync").mockImplementation(() => {
    throw Object.assign(new Error("stale file handle"), { code: "ESTALE" });
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    stale.mockRestore();
    syncBuiltinESMExports();
  });
  await rename(`${file}.partial.lock`, `${file}.other`);
  await expect(lock.assertLocked()).rejects.toThrow(LockedError);
  await lock.release();
});

test("a lock that cannot be renewed is not said to be that of another process", async () => {
  const { file, lockPath } = await target();
  let slept = 0;
  const lock = await lockOutput(file, process.pid, () => Date.now() + slept);
  await using handle = await open(lockPath);
  const write = vi.spyOn(Object.getPrototypeOf(handle), "write");
  onTestFinished(() => write.mockRestore());
  write.mockRejectedValue(Object.assign(new Error("i/o error"), { code: "EIO" }));
  slept = 40_000;
  await expect(lock.assertLocked()).rejects.toThrow(`${lockPath}: the device failed to read or write`);
  await lock.release();
});

test("a process that was stopped notices that another has its lock, and does not touch it", async () => {
  const { file, leaveLock, lockPath } = await target();
  let slept = 0;
  const lock = await lockOutput(file, process.pid, () => Date.now() + slept);
  await leaveLock({ host: "elsewhere" });
  slept = 40_000;
  await expect(lock.assertLocked()).rejects.toThrow("is being written by process");
  await lock.release();
  expect(JSON.parse(await readFile(lockPath, "utf8"))).toMatchObject({ host: "elsewhere" });
});

test("a link in place of a lock is refused and not followed", async () => {
  const { folder, file, lockPath } = await target();
  await writeFile(join(folder, "victim"), "precious");
  await symlink("victim", lockPath);
  await expect(lockOutput(file, process.pid)).rejects.toThrow(FileError);
  await expect(lockOutput(file, process.pid)).rejects.toThrow("is a symbolic link");
  expect(await readFile(join(folder, "victim"), "utf8")).toBe("precious");
});

/** A service that answers nothing, and a promise of its first request. */
async function stallingServer(): Promise<{ url: string; asked: Promise<void> }> {
  const { passed: asked, open: arrived } = gate();
  const server = await startFaultServer(() => {
    arrived();
    return stallBeforeHeaders;
  });
  return { url: server.url.href, asked };
}

/**
 * The command before a program that gives it a PID namespace of its own; none where the system forbids that.
 *
 * @param proc flags for the /proc of that namespace; without them the program has that of the outer one
 */
async function newNamespace(proc: readonly string[] = ["--mount-proc"]): Promise<string[]> {
  for (const flags of [[], ["--user", "--map-root-user"]]) {
    const command = ["unshare", ...flags, "--pid", "--fork", "--kill-child", ...proc];
    const works = await promisify(execFile)(command[0] ?? "", [...command.slice(1), "true"]).then(
      () => true,
      () => false,
    );
    if (works) {
      return command;
    }
  }
  return [];
}

test("two containers with the same host name never write at the same time, and a minute after a kill the next one can write", async () => {
  const { folder: cwd, lockPath } = await target();
  const stalling = await stallingServer();
  const { url, key } = await startTestService({ rows: products(3) });
  const before = await newNamespace();
  const args = ["export", "-o", "./rows.csv"];
  const [program = "", ...first] = [...before, process.execPath, CATALOG, ...args];
  const env = { CATALOG_API_KEY: key };
  const writer = spawn(program, first, { cwd, env: { ...bareEnvironment(), ...env, CATALOG_BASE_URL: stalling.url } });
  const closed = once(writer, "close");
  onTestFinished(() => void writer.kill("SIGKILL"));
  await stalling.asked;
  if (before.length === 0) {
    // The closest to it: the lock says what that of a process in another namespace would.
    const owner = JSON.parse(await readFile(lockPath, "utf8")) as Owner;
    await writeFile(lockPath, JSON.stringify({ ...owner, namespace: "another" }));
  }
  // This process is in another namespace.
  const run = () => runInProcess([...args, "--error-format", "json"], { cwd, env: { ...env, CATALOG_BASE_URL: url } });
  const refusedWhileItRuns = await run();
  writer.kill("SIGKILL");
  await closed;
  const refusedAfterwards = await run();
  await makeOlder(lockPath, 61);
  const taken = await run();
  expect({
    refusedWhileItRunsCode: refusedWhileItRuns.code,
    refusedAfterwardsCode: refusedAfterwards.code,
    takenCode: taken.code,
  }).toEqual({ refusedWhileItRunsCode: 5, refusedAfterwardsCode: 5, takenCode: 0 });
  expect(JSON.parse(refusedWhileItRuns.stderr)).toMatchObject({ code: "locked", retryable: true, exit_code: 5 });
});

test("a process that sees the /proc of an outer namespace does not say by which number it can be looked up", async () => {
  const { folder: cwd, lockPath } = await target();
  const stalling = await stallingServer();
  const before = await newNamespace([]);
  const [program = "", ...first] = [...before, process.execPath, CATALOG, "export", "-o", "rows.csv"];
  const env = { ...bareEnvironment(), CATALOG_API_KEY: "key", CATALOG_BASE_URL: stalling.url };
  const writer = spawn(program, first, { cwd, env });
  const closed = once(writer, "close");
  await stalling.asked;
  const owner = JSON.parse(await readFile(lockPath, "utf8")) as Owner;
  writer.kill("SIGKILL");
  await closed;
  expect({ wasLocked: before.length > 0, lacksNamespace: owner.namespace === null }).toEqual({
    wasLocked: before.length > 0,
    lacksNamespace: before.length > 0,
  });
});

test("a run on the same machine gets the lock of a killed run at once", async () => {
  const { folder: cwd, leaveLock } = await target();
  await leaveLock(await deadOwner());
  const service = await startTestService({ rows: products(3) });
  const { code, stderr } = await runInProcess(["export", "-o", "./rows.csv"], { cwd, service });
  expect({ code, stderr, files: await readdir(cwd) }).toEqual({ code: 0, stderr: "", files: ["rows.csv"] });
});
