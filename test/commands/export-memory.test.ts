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

/** About 9 MB are needed at any number of rows. What is left would not have room for 40 bytes of each row. */
const HEAP_MEGABYTES = 12;

test("the heap that an export needs does not grow with the number of its rows", async () => {
  const server = spawn(process.execPath, [PAGE_SERVER, String(ROWS), "0"], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void server.kill());
  const [address] = (await once(server.stdout, "data")) as [Buffer];
  const file = join(await temporaryFolder(), "rows.ndjson");
  const limits = [`--max-old-space-size=${HEAP_MEGABYTES}`, "--max-semi-space-size=1"];
  const env = { ...bareEnvironment(), CATALOG_BASE_URL: address.toString().trim(), CATALOG_API_KEY: "k" };
  // Node.js ends with an error if the heap is full.
  await promisify(execFile)(process.execPath, [...limits, CATALOG, "export", "-o", file], { env });
  expect((await readFile(file)).filter((byte) => byte === LINE_FEED)).toHaveLength(ROWS);
}, 60_000);
