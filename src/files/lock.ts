import { randomUUID } from "node:crypto";
import { fstatSync } from "node:fs";
import { type FileHandle, readdir, readFile, readlink, rename, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { LockedError } from "../contract/errors.ts";
import { parseJsonObject } from "../contract/values/json-object.ts";
import { fsyncContent } from "./fsync.ts";
import { createOwnFile, openOwnFile } from "./own-file.ts";
import { errorCode, fileError, ifPresent } from "./system-error.ts";

/** Milliseconds without a heartbeat after which a lock is stale, if its process cannot be looked up. */
const STALE_AFTER = 60_000;
const HEARTBEAT = 10_000;

/** Milliseconds after which a process that replaced a stale lock checks that no other process replaced it too. */
const SETTLE = 250;

/** The process that holds a lock. */
export interface Owner {
  host: string;
  pid: number;
  /** Start of the process in clock ticks since boot; null if the system does not report it. */
  started: string | null;
  /** The boot and the PID namespace in which `pid` means this process; null if the system does not report it. */
  namespace: string | null;
}

export type Lock = ReturnType<typeof held>;

/** Locks the output `target`, see `lock`; the lock file lies beside it. */
export function lockOutput(target: string, pid: number, wallClock?: () => number): Promise<Lock> {
  return lock(target, `${target}.partial.lock`, pid, wallClock);
}

/**
 * Locks `subject` for this process until `release`.
 *
 * The lock is the file at `path`, which only one process can create. Its holder rewrites it every ten seconds. The lock of
 * a process that has ended is stale. On the same machine, in the same PID namespace, this is known at once; elsewhere
 * after a minute without a heartbeat. Times come from the file system, so the clocks of two machines may differ. A stale
 * lock is replaced by `rename`. If several processes do this at once, the last one has the lock, and the others notice it
 * after a quarter of a second.
 *
 * @param path of the lock, in a folder that exists
 * @param wallClock milliseconds since the epoch, to notice that the machine slept
 * @throws LockedError if another process holds it
 */
export async function lock(subject: string, path: string, pid: number, wallClock = Date.now): Promise<Lock> {
  const content = JSON.stringify({ ...(await ownerOf(pid)), token: randomUUID() });
  for (;;) {
    const handle = (await create(path, content)) ?? (await replaceStale(subject, path, content));
    if (handle !== undefined) {
      return held(subject, path, content, handle, wallClock);
    }
  }
}

/** Undefined if there is a lock already. */
async function create(path: string, content: string): Promise<FileHandle | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await createOwnFile(path);
    await beat(handle, content);
    return handle;
  } catch (error) {
    if (handle !== undefined) {
      await handle.close();
      await rm(path, { force: true });
    } else if (errorCode(error) === "EEXIST") {
      return undefined;
    }
    throw fileError(path, error);
  }
}

/** Undefined if the lock was released meanwhile, or if the check took too long and must be repeated. */
async function replaceStale(subject: string, path: string, content: string): Promise<FileHandle | undefined> {
  const draft = `${path}.${randomUUID()}`;
  const handle = await create(draft, content);
  let isMine = false;
  try {
    const before = performance.now();
    const found = await readLock(path);
    if (found === undefined || handle === undefined) {
      return undefined;
    }
    const { mtimeMs } = await handle.stat();
    const runs = found.owner === undefined ? undefined : await isRunning(found.owner);
    if (runs ?? mtimeMs - found.mtimeMs < STALE_AFTER) {
      throw lockedError(subject, found.owner, runs !== undefined);
    }
    if (performance.now() - before > SETTLE / 4) {
      return undefined;
    }
    await rename(draft, path);
    await delay(SETTLE);
    const now = await readLock(path);
    isMine = now?.content === content;
    if (!isMine) {
      throw lockedError(subject, now?.owner, true);
    }
    await removeDrafts(path);
    return handle;
  } finally {
    if (!isMine) {
      await handle?.close();
      await rm(draft, { force: true });
    }
  }
}

/** Removes drafts of killed processes. A running process whose draft is removed has lost the race for the lock anyway. */
async function removeDrafts(path: string): Promise<void> {
  const drafts = (await readdir(dirname(path))).filter((name) => name.startsWith(`${basename(path)}.`));
  await Promise.all(drafts.map((name) => rm(join(dirname(path), name), { force: true })));
}

function held(subject: string, path: string, content: string, handle: FileHandle, wallClock: () => number) {
  // The first clock stops while the machine sleeps, the second can be set.
  const now = (): readonly [monotonic: number, wall: number] => [performance.now(), wallClock()];
  let confirmed = now();
  let working: Promise<unknown> = Promise.resolve();
  /** Whether the last confirmation is recent and the file was not replaced since: a replaced file has no name. */
  const isUnchanged = () =>
    now().every((time, clock) => Math.abs(time - (confirmed[clock] ?? 0)) < STALE_AFTER / 2) &&
    // Twice for each page of a pull. It takes microseconds; a call in another thread costs ten times as much.
    fstatSync(handle.fd).nlink > 0;
  /** Whether the lock is still this process's own. */
  const confirm = async (): Promise<boolean> => {
    const at = now();
    await beat(handle, content);
    const isMine = (await readLock(path))?.content === content;
    confirmed = isMine ? at : confirmed;
    return isMine;
  };
  const timer = setInterval(() => {
    // `assertHeld` tries again and reports the error.
    working = confirm().catch(() => undefined);
  }, HEARTBEAT);
  timer.unref();
  return {
    /**
     * Call it right before each change that another process could see: a process that was stopped for a minute may have
     * lost its lock.
     *
     * @throws LockedError if another process has it
     */
    assertHeld: async (): Promise<void> => {
      if (!isUnchanged() && !(await confirm().catch(() => false))) {
        throw lockedError(subject, (await readLock(path))?.owner, true);
      }
    },
    release: async (): Promise<void> => {
      clearInterval(timer);
      await working;
      const isMine = isUnchanged() || (await readLock(path).catch(() => undefined))?.content === content;
      await handle.close();
      if (isMine) {
        await rm(path, { force: true });
      }
    },
  };
}

/** Gives the lock a new time of change. */
async function beat(handle: FileHandle, content: string): Promise<void> {
  await handle.write(content, 0);
  await fsyncContent(handle);
}

/** Undefined if there is none; its owner is undefined if it is only being written. */
async function readLock(path: string) {
  const handle = await ifPresent(path, () => openOwnFile(path));
  if (handle === undefined) {
    return undefined;
  }
  try {
    const content = await handle.readFile("utf8");
    const owner = parseJsonObject(content) as Owner | undefined;
    return { content, mtimeMs: (await handle.stat()).mtimeMs, owner };
  } finally {
    await handle.close();
  }
}

function lockedError(subject: string, owner: Owner | undefined, isKnown: boolean): LockedError {
  const holder = owner === undefined ? "another process" : `process ${owner.pid} on ${owner.host}`;
  const hint = isKnown ? "" : `; if that process has ended, its lock no longer counts after ${STALE_AFTER / 1000} s`;
  return new LockedError(`${subject} is being written by ${holder}${hint}`);
}

/** The owner that the process `pid` of this PID namespace is. */
export async function ownerOf(pid: number): Promise<Owner> {
  return { host: hostname(), pid, started: await startOf(pid), namespace: await namespaceOfThisProcess() };
}

/**
 * Whether the owner still runs, or undefined if that cannot be known: a process number identifies a process only on the
 * same machine, since the same boot and in the same PID namespace. Containers often share a host name, and their process
 * numbers all begin with 1.
 */
async function isRunning(owner: Owner): Promise<boolean | undefined> {
  const here = await namespaceOfThisProcess();
  if (here === null || owner.namespace !== here || owner.host !== hostname() || owner.started === null) {
    return undefined;
  }
  return owner.started === (await startOf(owner.pid));
}

/** Linux: fields 3, 20 and 22 of /proc/PID/stat (proc(5)); the second field may hold spaces and parentheses. */
async function startOf(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie without other threads has ended, even if its parent has not read its exit code yet.
    const hasEnded = fields[0] === "Z" && Number(fields[17]) <= 1;
    return hasEnded ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

/** Linux: the boot's id and the inode of the PID namespace. */
async function namespaceOfThisProcess(): Promise<string | null> {
  try {
    // A /proc mounted in an outer PID namespace has other process numbers: a process then has one for each namespace.
    if (!/^NSpid:\t\d+$/m.test(await readFile("/proc/self/status", "utf8"))) {
      return null;
    }
    const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
    return `${boot} ${await readlink("/proc/self/ns/pid")}`;
  } catch {
    return null;
  }
}
