import { randomUUID } from "node:crypto";
import { fstatSync } from "node:fs";
import { type FileHandle, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { LockedError } from "../contract/errors.ts";
import { parseJsonObject } from "../contract/values/json-object.ts";
import { fsyncContent } from "./fsync.ts";
import { createOwnFile, openOwnFile } from "./own-file.ts";
import { isRunning, type Owner, ownerOf } from "./process-owner.ts";
import { errorCode, fileError, ifPresent } from "./system-error.ts";

/** Milliseconds without a heartbeat after which a lock is stale, if its process cannot be looked up. */
const STALE_AFTER = 60_000;
const HEARTBEAT = 10_000;

/** Like `STALE_AFTER`, for a lock that names no process: whoever created it was killed or stopped while writing it. */
const NAMELESS_STALE_AFTER = 2_000;

/** Milliseconds after which a process that replaced a stale lock checks that no other process replaced it too. */
const SETTLE = 250;

/** How often a process tries to lock: a file system may answer too slowly to replace a stale lock safely. */
const ATTEMPTS = 20;

export type Lock = ReturnType<typeof acquired>;

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
 * @throws LockedError if another process holds it, or if the file system is too slow to replace a stale one
 */
export async function lock(subject: string, path: string, pid: number, wallClock = Date.now): Promise<Lock> {
  const content = JSON.stringify({ ...(await ownerOf(pid)), token: randomUUID() });
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const handle = (await create(path, content)) ?? (await replaceStale(subject, path, content));
    if (handle !== undefined) {
      return acquired(subject, path, content, handle, wallClock);
    }
  }
  throw new LockedError(
    `${subject} cannot be locked: the file system answers too slowly to replace the lock of a process that has ended; remove ${path}`,
  );
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

/** Undefined: try again, because the lock was released meanwhile or the check took too long. */
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
    const staleAfter = found.owner === undefined ? NAMELESS_STALE_AFTER : STALE_AFTER;
    if (runs ?? mtimeMs - found.mtimeMs < staleAfter) {
      throw lockedError(subject, found.owner, runs === undefined ? staleAfter : undefined);
    }
    if (performance.now() - before > SETTLE / 4) {
      return undefined;
    }
    await rename(draft, path);
    await delay(SETTLE);
    const now = await readLock(path);
    isMine = now?.content === content;
    if (!isMine) {
      throw lockedError(subject, now?.owner);
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

function acquired(subject: string, path: string, content: string, handle: FileHandle, wallClock: () => number) {
  // The first clock stops while the machine sleeps, the second can be set.
  const now = (): readonly [monotonic: number, wall: number] => [performance.now(), wallClock()];
  let renewed = now();
  let working: Promise<unknown> = Promise.resolve();
  /** Whether the last renewal is recent and the file was not replaced since: a replaced file has no name. */
  const isUnchanged = () =>
    now().every((time, clock) => Math.abs(time - (renewed[clock] ?? 0)) < STALE_AFTER / 2) && hasName(handle);
  /** Renews the lock. @returns whether it is still this process's own */
  const renew = async (): Promise<boolean> => {
    const at = now();
    await beat(handle, content);
    const isMine = (await readLock(path))?.content === content;
    renewed = isMine ? at : renewed;
    return isMine;
  };
  const timer = setInterval(() => {
    // `assertLocked` tries again and reports the error.
    working = renew().catch(() => undefined);
  }, HEARTBEAT);
  timer.unref();
  return {
    /**
     * Call it right before each change that another process could see: a process that was stopped for a minute may have
     * lost its lock.
     *
     * @throws LockedError if another process has it, or FileError if its file cannot be written
     */
    assertLocked: async (): Promise<void> => {
      const renewal = isUnchanged() || (await renew().catch((error: unknown) => error));
      if (renewal !== true) {
        const found = await readLock(path);
        throw found?.content === content ? fileError(path, renewal) : lockedError(subject, found?.owner);
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

/** Whether a file still has a name. On a network drive, a file that another machine has replaced cannot be looked at. */
function hasName(handle: FileHandle): boolean {
  try {
    // Synchronous, because a pull asks twice for each page: this takes microseconds, in another thread ten times as long.
    return fstatSync(handle.fd).nlink > 0;
  } catch {
    return false;
  }
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

/** @param staleAfter milliseconds after which the lock no longer counts, if it is not known whether its process runs */
function lockedError(subject: string, owner: Owner | undefined, staleAfter?: number): LockedError {
  const holder = owner === undefined ? "another process" : `process ${owner.pid} on ${owner.host}`;
  const hint =
    staleAfter === undefined
      ? ""
      : `; if that process has ended, its lock no longer counts after ${staleAfter / 1000} s`;
  return new LockedError(`${subject} is being written by ${holder}${hint}`);
}
