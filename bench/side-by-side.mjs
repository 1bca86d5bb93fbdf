// The tool beside what its users would run instead, on the same pages in one run. The service costs next to nothing, so
// that the programs are measured. Figures depend on the machine; the ratios are what counts.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile, rm, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { mebibytes, median, printTable, ratio } from "./table.mjs";

/** A multiple of 5,000. */
const ROWS = Number(process.env.ROWS ?? 200_000);
const PAGES = ROWS / 500;
const RUNS = Number(process.env.RUNS ?? 5);

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const CATALOG = process.env.CATALOG ?? here("../dist/catalog.js");

const WALK = `for page in $(seq 0 ${PAGES - 1}); do
  curl -sS "$0/v1/catalog?limit=500&cursor=$page" | jq -c '.data[]'
done > "$1"`;

/** Each run: what it needs, its command, and its targets as [run to compare with, least ratio of rows per second]. */
const PROGRAMS = [
  { name: "curl, pages as they are", needs: ["curl"], command: ({ config }) => ["curl", "-sS", "-K", config] },
  { name: "curl and jq", needs: ["curl", "jq"], command: ({ url, file }) => ["sh", "-c", WALK, url, file("jq")] },
  ...["ndjson", "csv"].map((format) => ({
    name: `Python requests, ${format}`,
    needs: ["python3 -m requests.help"],
    command: ({ url, file }) => ["python3", here("requests-loop.py"), url, format, file(`python.${format}`)],
  })),
  {
    name: "Node.js fetch, ndjson",
    needs: [],
    command: ({ url, file }) => [process.execPath, here("plain-walk.mjs"), url, file("fetch.ndjson")],
  },
  exportOf("ndjson", [
    ["Python requests, ndjson", 5],
    ["Node.js fetch, ndjson", 3.5],
    ["curl, pages as they are", 0.2],
  ]),
  exportOf("csv", [["Python requests, csv", 2]]),
  exportOf("tsv", []),
  exportOf("json", []),
  exportOf("ndjson.gz", [["catalog export, ndjson", 0.4]]),
  exportOf("parquet", [["catalog export, ndjson", 0.4]]),
];

function exportOf(ending, targets) {
  return {
    name: `catalog export, ${ending}`,
    needs: [],
    targets,
    command: ({ file }) => [process.execPath, CATALOG, "export", "-q", "-o", file(`catalog.${ending}`)],
  };
}

export async function run({ folder }) {
  if (!isThere("python3 --version")) {
    console.log("side-by-side needs python3 to measure with, which is missing here");
    return;
  }
  const server = spawn(process.execPath, [here("page-server.mjs"), String(ROWS)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [url] = await once(createInterface(server.stdout), "line");
  try {
    const results = await measureAll({ url, folder });
    print(results);
  } finally {
    server.kill();
  }
}

/** Rounds of one run of each, so that what else the machine does meets all of them alike. */
async function measureAll({ url, folder }) {
  const config = `${folder}/curl.config`;
  const pages = Array.from({ length: PAGES }, (_, page) => `${url}/v1/catalog?limit=500&cursor=${page}`);
  await writeFile(config, pages.map((page) => `url = "${page}"\noutput = "${folder}/curl.out"\n`).join(""));
  const place = { url, config, file: (name) => `${folder}/side-${name}` };
  const results = PROGRAMS.map((program) => ({
    ...program,
    missing: program.needs.filter((need) => !isThere(need)),
    runs: [],
  }));
  for (let round = 0; round < RUNS; round += 1) {
    for (const { command, missing, runs } of results) {
      if (missing.length === 0) {
        runs.push(await measure(command(place), folder, url));
      }
    }
  }
  return results;
}

function isThere(need) {
  const [command, ...args] = need.split(" ");
  return spawnSync(command, args.length > 0 ? args : ["--version"], { stdio: "ignore" }).status === 0;
}

async function measure(command, folder, url) {
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

function print(results) {
  const of = (name) => results.find((result) => result.name === name);
  const medianOf = ({ runs }, what) => median(runs.map((run) => run[what]));
  const cells = results.map((result) => {
    const { name, missing, targets = [], runs } = result;
    if (runs.length === 0) {
      return [name, `missing: ${missing.join(", ")}`, "", "", "", ""];
    }
    const seconds = medianOf(result, "seconds");
    const compared = targets.map(([other, least]) => compare(seconds, of(other), least));
    const cpu = ((medianOf(result, "cpu") / ROWS) * 1_000_000).toFixed(1);
    const rate = Math.round(ROWS / seconds / 1000) * 1000;
    return [name, seconds.toFixed(2), rate, cpu, mebibytes(medianOf(result, "peak") * 1024), compared.join("; ")];
  });
  printTable(
    `side-by-side: ${ROWS} rows, medians of ${RUNS} runs`,
    ["program", "seconds", "rows/s", "CPU s per million rows", "peak memory", "times as fast as (target)"],
    cells,
  );

  function compare(seconds, other, least) {
    if (other.runs.length === 0) {
      return `${other.name}: not measured (≥ ${least})`;
    }
    const times = ratio(medianOf(other, "seconds"), seconds);
    return `${other.name}: ${times} (≥ ${least}${Number(times) >= least ? "" : ", missed"})`;
  }
}
