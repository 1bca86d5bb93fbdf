import { link, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { FileError } from "../errors.ts";
import { isRunning, type Owner, ownerOf } from "./lock-owner.ts";
import { errorCode, fileError } from "./system-error.ts";

export interface Lock {
  release(): Promise<void>;
}

/** Makes the output `target` this process's own, see `lock`; its locks lie beside it. */
export function lockOutput(target: string, pid: number): Promise<Lock> {
  return lock(target, `${target}.partial.lock`, pid);
}

/**
 * Makes `subject` this process's own until `release`. The lock of a process that has ended, however it did, does not
 * count.
 *
 * Locks are numbered, and one is never taken over but followed by the next: a link is made for one process only, and
 * whoever made one gives way where it then sees another that is held. So two may both give way, never both go on. The
 * lock of a running process is removed by that process alone, which might otherwise remove another's that has got its
 * number.
 *
 * @param path of the locks, in a folder that exists; a dot and the number follow it
 * @throws FileError where another process holds it
 */
export async function lock(subject: string, path: string, pid: number): Promise<Lock> {
  const locks = locksOf(subject, path, await ownerOf(pid));
  for (;;) {
    const others = await locks.list();
    await locks.assertFree(others);
    const mine = await locks.create(Math.max(0, ...others) + 1);
    if (mine === undefined) {
      continue;
    }
    try {
      await locks.assertFree((await locks.list()).filter((number) => number !== mine));
    } catch (error) {
      await locks.remove(String(mine));
      throw error;
    }
    await locks.clear();
    return { release: () => locks.remove(String(mine)) };
  }
}

function locksOf(subject: string, base: string, owner: Owner) {
  const folder = dirname(base);
  const prefix = `${basename(base)}.`;
  const pathOf = (suffix: string) => join(folder, `${prefix}${suffix}`);
  const suffixes = async () =>
    (await reporting(folder, () => readdir(folder)))
      .filter((name) => name.startsWith(prefix))
      .map((name) => name.slice(prefix.length));
  const remove = (suffix: string) => rm(pathOf(suffix), { force: true });

  return {
    remove,
    list: async () => (await suffixes()).filter(isNumber).map(Number),
    /** Removes drafts, which are made anew where they are missed, and the locks of those that have ended. */
    clear: async () => {
      for (const suffix of await suffixes()) {
        if (!isNumber(suffix) || (await isDead(pathOf(suffix)))) {
          await remove(suffix);
        }
      }
    },
    assertFree: async (numbers: readonly number[]) => {
      for (const number of numbers) {
        const path = pathOf(String(number));
        const holder = await ownerAt(path);
        if (holder !== undefined && (await isRunning(holder))) {
          const { pid, host } = holder;
          const hint = host === owner.host ? "" : `; where that one has ended, delete ${path}`;
          throw new FileError(`${subject} is being written by process ${pid} on ${host}${hint}`, subject);
        }
      }
    },
    /** Undefined where another was faster. */
    create: async (number: number): Promise<number | undefined> => {
      // Machines that share the folder may have processes of the same number.
      const draft = `${owner.host}.${owner.pid}.new`;
      try {
        await writeFile(pathOf(draft), JSON.stringify(owner));
        // A link appears with its whole content or not at all.
        await link(pathOf(draft), pathOf(String(number)));
        return number;
      } catch (error) {
        // ENOENT: whoever holds the lock by now has cleared the draft away.
        if (["EEXIST", "ENOENT"].includes(errorCode(error) ?? "")) {
          return undefined;
        }
        throw fileError(subject, error);
      } finally {
        await remove(draft);
      }
    },
  };
}

function isNumber(suffix: string): boolean {
  return /^\d+$/.test(suffix);
}

/** False where the lock was released meanwhile: there may be another by now. */
async function isDead(path: string): Promise<boolean> {
  const holder = await ownerAt(path);
  return holder !== undefined && !(await isRunning(holder));
}

/** Undefined where the lock was released meanwhile. */
async function ownerAt(path: string): Promise<Owner | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Owner;
  } catch (error) {
    if (errorCode(error) === "ENOENT") {
      return undefined;
    }
    throw new FileError(`${path} is not a lock of catalog; delete it`, path, error);
  }
}

async function reporting<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw fileError(path, error);
  }
}
