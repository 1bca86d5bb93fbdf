// Runs the built tool as its users do, in a separate process.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The built tool. The variable CATALOG names another build, to compare two. */
export const CATALOG = process.env.CATALOG ?? fileURLToPath(new URL("../dist/catalog.js", import.meta.url));
/** Clock ticks a second in /proc, see sysconf(3). */
const TICKS = 100;
const PEAK = pathToFileURL(fileURLToPath(new URL("peak.mjs", import.meta.url))).href;

/**
 * Runs one command to its end.
 *
 * @returns its stdout unless it goes to `stdoutFile`, milliseconds and peak resident bytes
 */
export async function catalog(folder, args, { env = {}, stdoutFile } = {}) {
  const peakFile = `${folder}/peak-${process.hrtime.bigint()}`;
  const target = stdoutFile === undefined ? "pipe" : openSync(stdoutFile, "w");
  const started = performance.now();
  const child = spawn(process.execPath, ["--import", PEAK, CATALOG, ...args], {
    env: { PATH: process.env.PATH, HOME: folder, PEAK_FILE: peakFile, ...env },
    stdio: ["ignore", target, "inherit"],
  });
  const output = child.stdout === null ? "" : text(child.stdout);
  const [code] = await once(child, "close");
  const milliseconds = performance.now() - started;
  if (typeof target === "number") {
    closeSync(target);
  }
  if (code !== 0) {
    throw new Error(`catalog ${args.join(" ")} ended with ${code}`);
  }
  const peak = Number(readFileSync(peakFile, "utf8"));
  rmSync(peakFile);
  return { stdout: await output, milliseconds, peak };
}

/** Starts `catalog service start` with a new key; `close` stops it and waits for its end. */
export async function startService(folder, database, flags = ["--rate-limit", "1000000000"]) {
  const { stdout } = await catalog(folder, [
    ...["service", "keys", "create", `bench-${process.hrtime.bigint()}`, "--database", database],
  ]);
  const args = ["service", "start", "--port", "0", "--database", database, ...flags];
  const child = spawn(process.execPath, [CATALOG, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface(child.stdout), "line");
  const env = { CATALOG_BASE_URL: line.replace("listening on ", ""), CATALOG_API_KEY: stdout.trim() };
  return {
    env,
    pid: child.pid,
    url: env.CATALOG_BASE_URL,
    headers: { authorization: `Bearer ${env.CATALOG_API_KEY}` },
    close: async () => {
      child.kill("SIGTERM");
      await once(child, "close");
    },
  };
}

/** Milliseconds of processor time of all threads (proc(5), fields 14 and 15 of stat). */
export function processorTime(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
}
