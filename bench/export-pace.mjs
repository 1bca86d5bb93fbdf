// The time that an export takes beyond the windows of the rate limit: in simulated time, and with the real service.

import { readFile, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { catalog, startService } from "./catalog.mjs";
import { printTable, seconds } from "./table.mjs";

const SIMULATED = { pages: 600, concurrency: 8, limit: 120, windowSeconds: 60 };
const LATENCIES = [5, 300];
const REAL = { rows: 20_000, limit: 30, windowSeconds: 60 };

export async function run({ folder, datasets }) {
  await simulate(folder);
  await measure(folder, datasets);
}

async function simulate(folder) {
  const simulatePull = await loadSimulation(folder);
  const table = [];
  for (const latency of LATENCIES) {
    const { milliseconds, requests, refused, rows } = await simulatePull({ ...SIMULATED, latency });
    table.push([`${latency} ms`, rows, requests, refused, ...overIdeal(milliseconds, requests, SIMULATED)]);
  }
  const { pages, limit, windowSeconds } = SIMULATED;
  printTable(
    `export-pace: ${pages} pages in simulated time, ${limit} requests in ${windowSeconds} s`,
    ["latency", "rows", "requests", "429s", "time", "ideal", "over the ideal"],
    table,
  );
}

/** Bundles the sources of the simulation, because the built tool does not export what it measures. */
async function loadSimulation(folder) {
  const outfile = `${folder}/pace-simulation.mjs`;
  const entry = fileURLToPath(new URL("pace-simulation.ts", import.meta.url));
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.18",
    logLevel: "warning",
  });
  return (await import(outfile)).simulatePull;
}

async function measure(folder, datasets) {
  const { rows, limit, windowSeconds } = REAL;
  const flags = ["--rate-limit", String(limit), "--window", String(windowSeconds)];
  const service = await startService(folder, (await datasets.database(rows)).database, flags);
  const file = `${folder}/rows.ndjson`;
  const manifest = `${file}.manifest.json`;
  try {
    const args = ["export", "-q", "--manifest", "--output", file];
    const { milliseconds } = await catalog(folder, args, service);
    const { requests } = JSON.parse(await readFile(manifest, "utf8"));
    printTable(
      `export-pace: ${rows} rows of the real service, ${limit} requests in ${windowSeconds} s`,
      ["requests", "sent again", "time", "ideal", "over the ideal"],
      [[requests.sent, requests.retries, ...overIdeal(milliseconds, requests.sent, REAL)]],
    );
  } finally {
    await rm(file, { force: true });
    await service.close();
  }
}

function overIdeal(milliseconds, requests, { limit, windowSeconds }) {
  const ideal = (Math.ceil(requests / limit) - 1) * windowSeconds * 1000;
  return [seconds(milliseconds), seconds(ideal), `${((milliseconds / ideal - 1) * 100).toFixed(1)} %`];
}
