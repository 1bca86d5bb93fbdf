// Compares the tool with what its users would run instead, on the same pages in one run. The service takes almost no
// processor time, so that the programs are measured. Figures depend on the machine; only the ratios matter.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { CATALOG } from "./catalog.mjs";
import { mebibytes, median, printTable, ratio } from "./table.mjs";

/** Multiples of 5,000. */
const ROWS = Number(process.env.ROWS ?? 200_000);
const SLOW_ROWS = 300_000;
const PAGE = 500;
/** Pages of the sequential walk at the long latency, because all pages would take minutes. */
const WALKED_PAGES = 100;
const RUNS = Number(process.env.RUNS ?? 3);
const LATENCIES = [5, 300];

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const catalog = (...args) => [process.execPath, CATALOG, ...args];

/**
 * Programs that read a whole set: what each needs, its command, and its targets as [program to compare with, least ratio
 * of rows a second].
 */
const PROGRAMS = [
  {
    name: "curl, pages as they are",
    needs: ["curl"],
    command: ({ config }) => ["curl", "-sS", "-o", "/dev/null", "-K", config],
  },
  {
    name: "curl and jq, ndjson",
    needs: ["curl", "jq"],
    command: ({ config, file }) => ["sh", "-c", `curl -sS -K "$0" | jq -c '.data[]' > "$1"`, config, file("jq")],
  },
  ...["ndjson", "csv"].flatMap((format) => [
    {
      name: `Python requests, ${format}`,
      needs: ["python3 -m requests.help"],
      command: ({ url, file }) => ["python3", here("requests-loop.py"), url, format, file(`python.${format}`)],
    },
    {
      name: `Node.js fetch, ${format}`,
      command: ({ url, file }) => [process.execPath, here("plain-walk.mjs"), url, file(`fetch.${format}`)],
    },
  ]),
  exportOf("ndjson", [
    ["Python requests, ndjson", 5],
    ["Node.js fetch, ndjson", 3.5],
    ["curl, pages as they are", 0.2],
  ]),
  exportOf("csv", [
    ["Python requests, csv", 2],
    ["Node.js fetch, csv", 2],
  ]),
  exportOf("tsv"),
  exportOf("json"),
  exportOf("ndjson.gz", [["catalog export, ndjson", 0.4]]),
  exportOf("parquet", [["catalog export, ndjson", 0.4]]),
  {
    name: "catalog sync, first run",
    targets: [["catalog export, ndjson", 0.35]],
    command: ({ file }) => catalog("sync", "-q", file("mirror")),
  },
];

function exportOf(ending, targets) {
  return {
    name: `catalog export, ${ending}`,
    targets,
    command: ({ file }) => catalog("export", "-q", "-o", file(`catalog.${ending}`)),
  };
}

export async function run({ folder }) {
  if (!isThere("python3 --version")) {
    console.log("side-by-side needs python3 to measure with, which is missing here");
    return;
  }
  const server = await serveReadyPages(ROWS, [0]);
  const [url] = server.urls;
  try {
    const config = `${folder}/curl.config`;
    const pages = Array.from({ length: ROWS / PAGE }, (_, page) => `${url}/v1/catalog?limit=${PAGE}&cursor=${page}`);
    await writeFile(config, pages.map((page) => `url = "${page}"\n`).join(""));
    const place = { url, config, folder, file: (name) => `${folder}/side-${name}` };
    printPrograms(await measureAll(PROGRAMS, RUNS, place));
  } finally {
    server.close();
  }
  await measureLatencies(folder);
}

export async function serveReadyPages(rows, latencies) {
  const child = spawn(process.execPath, [here("page-server.mjs"), String(rows), ...latencies.map(String)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(createInterface(child.stdout), "line");
  return { urls: line.split(" "), close: () => child.kill() };
}

/** Runs each command once a round, so that other work of the machine affects all of them alike. */
async function measureAll(commands, rounds, place) {
  const results = commands.map((program) => ({
    ...program,
    missing: (program.needs ?? []).filter((need) => !isThere(need)),
    runs: [],
  }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { command, missing, runs } of results) {
      if (missing.length === 0) {
        await rm(place.file("mirror"), { recursive: true, force: true });
        runs.push(await measure(command(place), place));
      }
    }
  }
  return results;
}

function isThere(need) {
  const [command, ...args] = need.split(" ");
  return spawnSync(command, args.length > 0 ? args : ["--version"], { stdio: "ignore" }).status === 0;
}

/** Runs a command to its end with few variables: seconds, processor seconds and peak KiB. */
export async function measure(command, { folder, url }) {
  const result = `${folder}/measured.json`;
  const env = { PATH: process.env.PATH, HOME: folder, CATALOG_BASE_URL: url, CATALOG_API_KEY: "k".repeat(43) };
  const child = spawn("python3", [here("measured.py"), result, ...command], {
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(child, "close");
  if (code !== 0) {
    throw new Error(`${command.slice(0, 3).join(" ")} failed`);
  }
  const measured = JSON.parse(await readFile(result, "utf8"));
  await rm(result);
  return measured;
}

const medianOf = ({ runs }, what) => median(runs.map((run) => run[what]));

function printPrograms(results) {
  const cells = results.map((result) => {
    const { name, missing, targets = [], runs } = result;
    if (runs.length === 0) {
      return [name, `missing: ${missing.join(", ")}`, "", "", "", ""];
    }
    const time = medianOf(result, "seconds");
    const compared = targets.map(([other, least]) => compare(time, find(results, other), least));
    const cpu = ((medianOf(result, "cpu") / ROWS) * 1_000_000).toFixed(1);
    const rate = Math.round(ROWS / time / 1000) * 1000;
    return [name, time.toFixed(2), rate, cpu, mebibytes(medianOf(result, "peak") * 1024), compared.join("; ")];
  });
  printTable(
    `side-by-side: ${ROWS} rows, medians of ${RUNS} runs`,
    ["program", "seconds", "rows/s", "CPU s per million rows", "peak memory", "times as fast as (target)"],
    cells,
  );
}

const find = (results, wanted) => results.find(({ name }) => name === wanted);

function compare(time, other, least) {
  if (other.runs.length === 0) {
    return `${other.name}: not measured (≥ ${least})`;
  }
  const times = ratio(medianOf(other, "seconds"), time);
  return `${other.name}: ${times} (≥ ${least}${Number(times) >= least ? "" : ", missed"})`;
}

/** Measures what several slices at once gain if each request takes long. */
async function measureLatencies(folder) {
  const server = await serveReadyPages(SLOW_ROWS, LATENCIES);
  const cells = [];
  try {
    for (const [index, url] of server.urls.entries()) {
      const latency = LATENCIES[index];
      const place = { folder, url };
      const file = `${folder}/slow.ndjson`;
      const pages = SLOW_ROWS / PAGE;
      const walked = latency > 100 ? WALKED_PAGES : pages;
      const walk = await measure([process.execPath, here("plain-walk.mjs"), url, file, String(walked)], place);
      const pull = await measure(catalog("export", "-q", "--concurrency", "16", "-o", file), place);
      const times = ratio(walk.seconds / walked, pull.seconds / pages);
      const target = latency > 100 ? ` (≥ 10${Number(times) >= 10 ? "" : ", missed"})` : "";
      cells.push([`${latency} ms`, `${walked} in ${walk.seconds.toFixed(1)} s`]);
      cells.at(-1).push(`${pages} in ${pull.seconds.toFixed(1)} s`, `${times}${target}`);
    }
  } finally {
    server.close();
  }
  printTable(
    "side-by-side: latency of each request, one run each",
    [
      "latency",
      "pages, Node.js fetch one after another",
      "pages, catalog export --concurrency 16",
      "times the pages/s",
    ],
    cells,
  );
}
