import { readFile } from "node:fs/promises";
import { hostname } from "node:os";

/** The process that writes an output, told apart from a later one with the same number. */
export interface Owner {
  host: string;
  pid: number;
  /** Start of the process in clock ticks since boot and the boot's id; null where the system does not tell. */
  started: string | null;
}

/** The owner that the process `pid` of this machine is. */
export async function ownerOf(pid: number): Promise<Owner> {
  return { host: hostname(), pid, started: await startOf(pid) };
}

/** Whether the owner is still running; one on another machine is taken to be. */
export async function isRunning(owner: Owner): Promise<boolean> {
  if (owner.host !== hostname()) {
    return true;
  }
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: it runs, as somebody else.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return owner.started === (await startOf(owner.pid));
}

/** Linux: fields 3, 20 and 22 of /proc/PID/stat (proc(5)); the second field may hold spaces and parentheses. */
async function startOf(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie has ended, and only its parent has not asked yet, once no thread of it is left in a system call.
    const hasEnded = fields[0] === "Z" && Number(fields[17]) <= 1;
    return hasEnded ? null : `${await bootId()}/${fields[19]}`;
  } catch {
    return null;
  }
}

async function bootId(): Promise<string> {
  return (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
}
