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

/** The largest limit of open files that is too small. Below it Node.js itself cannot start, and its versions differ. */
async function coverageWithTooFewFiles(args: readonly string[] = []) {
  for (let limit = 32; limit > 8; limit -= 1) {
    const result = await coverageUnder(`ulimit -n ${limit}`, args);
    if (result.code !== 0) {
      return result;
    }
  }
  throw new Error("8 open files are enough");
}

const TOO_MANY = "too many files are open for this process; allow more with `ulimit -n 256`";

test("too few file descriptors are reported", async () => {
  expect(await coverageWithTooFewFiles()).toEqual({ code: 1, stderr: `error: ${TOO_MANY}\n` });
});

test("too few file descriptors are reported as JSON with --error-format json", async () => {
  const { code, stderr } = await coverageWithTooFewFiles(["--error-format", "json"]);
  const problem = { code: "file", detail: TOO_MANY, exit_code: 1 };
  expect([code, JSON.parse(stderr)]).toEqual([1, expect.objectContaining(problem)]);
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
