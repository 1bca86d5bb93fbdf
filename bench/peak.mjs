// Loaded into a measured process by --import: leaves its peak resident memory, in bytes, where PEAK_FILE says.
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const STATUS = "/proc/self/status";

process.on("exit", () => writeFileSync(process.env.PEAK_FILE, String(peak())));

function peak() {
  // Elsewhere than on Linux; and there it would count what the parent had at the time of the fork.
  return existsSync(STATUS)
    ? Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(STATUS, "utf8"))?.[1]) * 1024
    : process.resourceUsage().maxRSS * 1024;
}
