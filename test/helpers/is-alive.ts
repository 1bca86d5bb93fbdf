import { readFileSync } from "node:fs";

/** Whether a process runs. A process that has ended, but whose parent has not collected it, does not run. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
