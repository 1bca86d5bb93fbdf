import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { addDays } from "../../src/contract/values/day-arithmetic.ts";
import { bareEnvironment, CATALOG } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { product } from "../helpers/products.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import { syncedFolder } from "../helpers/synced-folder.ts";
import { startProxy } from "../helpers/tunnel.ts";

const onEnd = afterAllTests();
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ onEnd });
});

/** Runs `catalog coverage` in a shell that sets a limit of the system before. */
async function coverageUnder(limit: string, args: readonly string[] = [], more: Record<string, string> = {}) {
  const { url, key } = service;
  const env = { CATALOG_BASE_URL: url, CATALOG_API_KEY: key, ...more };
  return await runUnder(limit, ["coverage", "--retries", "0", ...args], env);
}

async function runUnder(limit: string, args: readonly string[], more: Record<string, string> = {}) {
  const command = `${limit}; exec "$0" "$@"`;
  const env = { ...bareEnvironment(), ...more };
  const words = [process.execPath, CATALOG, ...args];
  return promisify(execFile)("/bin/sh", ["-c", command, ...words], { env }).then(
    () => ({ code: 0, stderr: "" }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
  );
}

/** The largest limit of open files that is too small. Below it Node.js itself cannot start, and its versions differ. */
async function tooFewFiles() {
  let [tooFew, enough] = [8, 32];
  let result = await coverageUnder(`ulimit -n ${tooFew}`);
  while (enough - tooFew > 1) {
    const limit = (tooFew + enough) >> 1;
    const run = await coverageUnder(`ulimit -n ${limit}`);
    [tooFew, enough, result] = run.code === 0 ? [tooFew, limit, result] : [limit, enough, run];
  }
  return { limit: `ulimit -n ${tooFew}`, result };
}

test("too few file descriptors are reported, as text or as JSON", async () => {
  const { limit, result } = await tooFewFiles();
  const detail = "this process has too many open files; allow more with `ulimit -n 4096`";
  expect(result).toEqual({ code: 1, stderr: `error: ${detail}\n` });
  const { code, stderr } = await coverageUnder(limit, ["--error-format", "json"]);
  expect({ code, stderr: JSON.parse(stderr) }).toEqual({
    code: 1,
    stderr: expect.objectContaining({ detail, code: "file", exit_code: 1 }),
  });
});

test("a folder may have more days than files may be open", async () => {
  const days = Array.from({ length: 70 }, (_, day) => product({ crawl_date: addDays("2026-01-01", day) }));
  const folder = await syncedFolder(days, onTestFinished, false);
  for (const args of [["latest"], ["sql", "from latest"]]) {
    expect(await runUnder("ulimit -n 64", [...args, folder])).toEqual({ code: 0, stderr: "" });
  }
});

/** Node.js 24 and newer reserve less address space than these. */
const RESERVES_MUCH = Number(process.versions.node.split(".")[0]) < 24;

test("too little address space for the client that a proxy needs is reported", async () => {
  const proxy = await startProxy();
  const env = { HTTP_PROXY: `http://localhost:${proxy.port}` };
  const { code, stderr } = await coverageUnder("ulimit -v 6000000", [], env);
  const reason = RESERVES_MUCH ? "there is too little address space (`ulimit -v`) or memory" : "";
  expect({ code, stderr }).toEqual({ code: RESERVES_MUCH ? 5 : 0, stderr: expect.stringContaining(reason) });
});

test("without a proxy, 6 GB of address space are enough", async () => {
  expect(await coverageUnder("ulimit -v 6000000")).toEqual({ code: 0, stderr: "" });
});
