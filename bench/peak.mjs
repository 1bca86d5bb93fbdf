// Loaded into a measured process by --import: writes its peak resident memory, in bytes, to the file PEAK_FILE.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const STATUS = "/proc/self/status";

process.on("exit", () => writeFileSync(process.env.PEAK_FILE, String(peak())));

function peak() {
  // On Linux, `maxRSS` would include the memory of the parent at the time of the fork.
  return existsSync(STATUS)
    ? Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(STATUS, "utf8"))?.[1]) * 1024
    : process.resourceUsage().maxRSS * 1024;
}
