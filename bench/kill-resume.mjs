// Stops exports and syncs at random instants, goes on until each is done, and compares what they wrote with that of an
// undisturbed run. A proxy counts how often each page is asked for. After a build:
// `node bench/kill-resume.mjs [KILLS] [OUTPUT...]`; it prints a line for each output and concurrency.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as zlib from "node:zlib";
import { CATALOG, startService } from "./catalog.mjs";
import { createDatasets } from "./datasets.mjs";
import { startCountingProxy, storedPages } from "./page-counter.mjs";

const ROWS = 40_000;
const CONCURRENCIES = [1, 4, 16];
const SIGNALS = ["SIGKILL", "SIGKILL", "SIGTERM", "SIGINT"];
const FORMATS = ["ndjson", "csv", "tsv", "json", "ndjson.gz", "ndjson.zst", "parquet", "xlsx"];

/** What is stopped, by its name: the command, where its store lies, and what it may leave beside its files. */
const OUTPUTS = {
  ...Object.fromEntries(FORMATS.map((format) => [format, fileOutput(`rows.${format}`)])),
  partitions: {
    args: (folder) => [...exportTo(folder), "-f", "csv", "--partition-by", "retailer,crawl_date"],
    store: (folder) => join(folder, ".catalog/export"),
    own: [],
  },
  sync: {
    // The newest days are read again by each run, see --lookback; that would count as repeated.
    args: (folder) => ["sync", folder, "--lookback", "0"],
    store: (folder) => join(folder, ".catalog/sync"),
    own: [".catalog/log.ndjson", ".catalog/state.json"],
  },
};

function fileOutput(name) {
  return {
    args: (folder) => [...exportTo(join(folder, name)), "--manifest"],
    store: (folder) => join(folder, `${name}.partial`),
    own: [`${name}.manifest.json`],
  };
}

function exportTo(path) {
  return ["export", "--page-size", "200", "--resume", "-o", path];
}

const [kills = "200", ...names] = process.argv.slice(2);
const isKnown = (name) => !name.endsWith(".zst") || zlib.createZstdCompress !== undefined;
const wanted = (names.length === 0 ? Object.keys(OUTPUTS) : names).filter(isKnown);
const home = await mkdtemp(join(tmpdir(), "catalog-kills-"));
let service;
let proxy;
try {
  const { database } = await createDatasets(home).database(ROWS);
  service = await startService(home, database);
  proxy = await startCountingProxy(service.url);
  const series = wanted.flatMap((name) => CONCURRENCIES.map((concurrency) => ({ name, concurrency })));
  for (const [index, one] of series.entries()) {
    await prove(one, Math.ceil((Number(kills) - index) / series.length));
  }
} finally {
  proxy?.close();
  await service?.close();
  await rm(home, { recursive: true, force: true });
}

async function prove({ name, concurrency }, wantedKills) {
  const { args, store, own } = OUTPUTS[name];
  const folderOf = async (purpose) => await mkdtemp(join(home, `${purpose}-`));
  const runIn = (folder) => run([...args(folder), "--concurrency", String(concurrency)]);
  const expected = await folderOf("undisturbed");
  const started = Date.now();
  await runIn(expected).ended;
  const longest = Date.now() - started;
  const undisturbed = await proxy.take();
  const found = { kills: 0, resumes: 0, outputs: 0, requests: 0, lost: 0, wrong: [] };
  for (let folder = await folderOf("killed"); folder !== undefined; ) {
    const before = await storedPages(store(folder));
    found.resumes += before.size > 0 ? 1 : 0;
    const isLast = found.kills >= wantedKills;
    const signal = isLast ? undefined : SIGNALS[found.kills % SIGNALS.length];
    const isKilled = await stopped(runIn(folder), signal, Math.random() * longest);
    found.kills += isKilled ? 1 : 0;
    const asked = await proxy.take();
    found.requests += asked.length;
    found.wrong.push(...repeated(asked, before));
    const after = await storedPages(store(folder));
    const lost = new Set(asked.filter((page) => !after.has(page))).size;
    if (after.size > 0 || (isKilled && before.size === 0 && lost <= concurrency)) {
      found.lost = Math.max(found.lost, lost);
      continue;
    }
    // Pages are removed when the output is in its place, even if the process was killed right after that.
    found.wrong.push(...(await difference(folder, expected, isKilled ? isBeside : (place) => own.includes(place))));
    found.outputs += 1;
    await rm(folder, { recursive: true });
    folder = isLast ? undefined : await folderOf("killed");
  }
  // A page that is asked for or being written, for each walk.
  if (found.lost > concurrency) {
    found.wrong.push(`${found.lost} pages lost by one kill`);
  }
  console.log(
    `${name}, ${concurrency} at once: ${found.kills} kills, ${found.resumes} resumes, ${found.outputs} outputs, ` +
      `${undisturbed.length} page requests an output, with kills ${Math.round(found.requests / found.outputs)}, ` +
      `at most ${found.lost} pages lost by a kill; ${found.wrong.join(", ") || "equal"}`,
  );
  process.exitCode = found.wrong.length > 0 ? 1 : process.exitCode;
}

/** Sends a signal to a run if it lasts that long. Resolves to whether it ended by a signal. */
async function stopped({ child, ended }, signal, milliseconds) {
  const timer = signal && setTimeout(() => child.kill(signal), milliseconds);
  const { code, killed } = await ended;
  clearTimeout(timer);
  if (code !== 0 && code !== 130 && code !== 143 && !killed) {
    throw new Error(`exit code ${code}`);
  }
  return code !== 0;
}

/** Whether a file is not the output itself: it may be missing, differ or be left by a killed process. */
function isBeside(place) {
  return /manifest|\.partial|\.lock$|^\.catalog/.test(place);
}

/** Pages of the store that were asked for again: the service names the version of its data, so none needs to be compared. */
function repeated(asked, stored) {
  return asked.filter((page) => stored.has(page)).map((page) => `page ${page} asked for again`);
}

/** Files that are missing, differ or were left, by their places. What is the run's own may differ. */
async function difference(folder, expected, isOwn) {
  const [found, wanted] = await Promise.all([digestsIn(folder), digestsIn(expected)]);
  const places = new Set([...Object.keys(found), ...Object.keys(wanted)]);
  return [...places].filter((place) => !isOwn(place) && found[place] !== wanted[place]);
}

async function digestsIn(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const digest = async (file) =>
    createHash("sha256")
      .update(await readFile(file))
      .digest("hex");
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file.slice(folder.length + 1), await digest(file)])),
  );
}

function run(args) {
  const env = { PATH: process.env.PATH, HOME: home, ...service.env, CATALOG_BASE_URL: proxy.url };
  const child = spawn(process.execPath, [CATALOG, ...args, "-q"], { env, stdio: ["ignore", "ignore", "ignore"] });
  return { child, ended: once(child, "close").then(([code, signal]) => ({ code, killed: signal !== null })) };
}
