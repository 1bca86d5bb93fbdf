import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { bareEnvironment, CATALOG } from "../helpers/cli.ts";
import { startTestService } from "../helpers/service.ts";
import { startProxy } from "../helpers/tunnel.ts";

/** Runs `catalog coverage` in a shell that sets a limit of the system before. */
async function coverageUnder(limit: string, args: readonly string[] = [], more: Record<string, string> = {}) {
  const { url, key } = await startTestService();
  const command = `${limit}; exec "$0" "$@"`;
  const env = { ...bareEnvironment(), CATALOG_BASE_URL: url, CATALOG_API_KEY: key, ...more };
  const words = [process.execPath, CATALOG, "coverage", "--retries", "0", ...args];
  return promisify(execFile)("/bin/sh", ["-c", command, ...words], { env }).then(
    () => ({ code: 0, stderr: "" }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
  );
}

const TOO_MANY = "too many files are open for this process; allow more with `ulimit -n 256`";

/** Node.js 22 and newer load one file after the other, and need fewer descriptors than these. */
const LOADS_AT_ONCE = Number(process.versions.node.split(".")[0]) < 22;

test("too few file descriptors to load the tool itself are reported", async () => {
  const expected = LOADS_AT_ONCE ? { code: 1, stderr: `error: ${TOO_MANY}\n` } : { code: 0, stderr: "" };
  expect(await coverageUnder("ulimit -n 36")).toEqual(expected);
});

test("too few file descriptors are reported as JSON with --error-format json", async () => {
  const { code, stderr } = await coverageUnder("ulimit -n 36", ["--error-format", "json"]);
  const problem = stderr === "" ? {} : JSON.parse(stderr);
  const expected = LOADS_AT_ONCE ? { code: "file", detail: TOO_MANY, exit_code: 1 } : {};
  expect([code, problem]).toEqual([LOADS_AT_ONCE ? 1 : 0, expect.objectContaining(expected)]);
});

/** Node.js 24 and newer reserve less address space than these. */
const RESERVES_MUCH = Number(process.versions.node.split(".")[0]) < 24;

test("too little address space for the client that a proxy needs is reported", async () => {
  const proxy = await startProxy();
  const env = { HTTP_PROXY: `http://localhost:${proxy.port}` };
  const { code, stderr } = await coverageUnder("ulimit -v 6000000", [], env);
  const reason = RESERVES_MUCH ? "there is too little address space (`ulimit -v`) or memory" : "";
  expect([code, stderr]).toEqual([RESERVES_MUCH ? 5 : 0, expect.stringContaining(reason)]);
});

test("without a proxy, 6 GB of address space are enough", async () => {
  expect(await coverageUnder("ulimit -v 6000000")).toEqual({ code: 0, stderr: "" });
});
