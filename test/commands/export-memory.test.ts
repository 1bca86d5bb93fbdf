import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { bareEnvironment, CATALOG, temporaryFolder } from "../helpers/cli.ts";

const PAGE_SERVER = fileURLToPath(new URL("../../bench/page-server.mjs", import.meta.url));
const ROWS = 100_000;
const LINE_FEED = 10;

/** About 9 MB are needed at any number of rows. What is left would not have room for 20 bytes of each row. */
const HEAP_MEGABYTES = 11;

test("the heap that an export needs does not grow with the number of its rows", async () => {
  // Node.js ends with an error if the heap is full.
  const file = await exportTo("rows.ndjson", [`--max-old-space-size=${HEAP_MEGABYTES}`, "--max-semi-space-size=1"]);
  expect((await readFile(file.path)).filter((byte) => byte === LINE_FEED)).toHaveLength(ROWS);
}, 60_000);

test("V8's young generation, which would grow to 32 MB in a long export, stays small", async () => {
  const print = `data:text/javascript,${encodeURIComponent(PRINT_YOUNG_BYTES)}`;
  const { stderr } = await exportTo("rows.csv", ["--import", print]);
  // It doubles, so it may be twice as large as wanted before it is stopped.
  expect(Number(stderr)).toBeLessThanOrEqual(8 * 1024 ** 2);
}, 60_000);

const PRINT_YOUNG_BYTES = `
  import { getHeapSpaceStatistics } from "node:v8";
  const young = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
  process.on("exit", () => console.error(young().space_size));`;

/** Exports all rows in a process of its own, to which these flags of Node.js are given. */
async function exportTo(name: string, flags: readonly string[]): Promise<{ path: string; stderr: string }> {
  const server = spawn(process.execPath, [PAGE_SERVER, String(ROWS), "0"], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void server.kill());
  const [address] = (await once(server.stdout, "data")) as [Buffer];
  const path = join(await temporaryFolder(), name);
  const env = { ...bareEnvironment(), CATALOG_BASE_URL: address.toString().trim(), CATALOG_API_KEY: "k" };
  const { stderr } = await promisify(execFile)(process.execPath, [...flags, CATALOG, "export", "-o", path], { env });
  return { path, stderr };
}
