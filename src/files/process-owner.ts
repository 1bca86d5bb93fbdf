import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";

/** The process that locks something, or that made a folder. */
export interface Owner {
  host: string;
  pid: number;
  /** Start of the process in clock ticks since boot; null if the system does not report it. */
  started: string | null;
  /** The boot and the PID namespace in which `pid` means this process; null if the system does not report it. */
  namespace: string | null;
}

/** Describes a process of this PID namespace as an owner. */
export async function ownerOf(pid: number): Promise<Owner> {
  return { host: hostname(), pid, started: await startOf(pid), namespace: await namespaceOfThisProcess() };
}

/** This process as an owner. Its `pid` is 0 if the system has no /proc. */
export async function thisProcess(): Promise<Owner> {
  return await ownerOf(Number(await readlink("/proc/self").catch(() => 0)));
}

/**
 * Whether the owner still runs, or undefined if that cannot be known: a process number identifies a process only on the
 * same machine, since the same boot and in the same PID namespace. Containers often share a host name, and their process
 * numbers all begin with 1.
 */
export async function isRunning(owner: Owner): Promise<boolean | undefined> {
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
    // Several numbers after `NSpid`: this /proc is of an outer namespace, and its numbers are not ours.
    if (!/^NSpid:\t\d+$/m.test(await readFile("/proc/self/status", "utf8"))) {
      return null;
    }
    const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
    return `${boot} ${await readlink("/proc/self/ns/pid")}`;
  } catch {
    return null;
  }
}
