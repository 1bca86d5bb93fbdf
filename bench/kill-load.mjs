// Kills `service load` at random instants, serves the database that is left, and loads the same file again. After a kill
// there are the rows of before or all rows, each once; after the next load all, in the order of an undisturbed one. Rows
// are loaded into an empty database and beside other rows in turn. After a build:
// `node bench/kill-load.mjs [KILLS] [FILE.ndjson]`; without FILE, rows are generated.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CATALOG, catalog, startService } from "./catalog.mjs";
import { createDatasets } from "./datasets.mjs";

const ROWS = 20_000;
const SIGNALS = ["SIGKILL", "SIGKILL", "SIGTERM", "SIGINT"];

const [kills = "100", given] = process.argv.slice(2);
const home = await mkdtemp(join(tmpdir(), "catalog-kill-loads-"));
try {
  const file = given ?? (await createDatasets(home).file(ROWS));
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  const [earlier, added] = [join(home, "earlier.ndjson"), join(home, "added.ndjson")];
  const half = Math.floor(lines.length / 2);
  await writeFile(earlier, `${lines.slice(0, half).join("\n")}\n`);
  await writeFile(added, `${lines.slice(half).join("\n")}\n`);
  const base = join(home, "base.db");
  await catalog(home, ["service", "load", "-q", earlier, "--database", base]);
  for (const [index, from] of [undefined, base].entries()) {
    await prove(from, added, Math.ceil((Number(kills) - index) / 2));
  }
} finally {
  await rm(home, { recursive: true, force: true });
}

/** @param from the database before each load; undefined if there is none */
async function prove(from, file, wantedKills) {
  const databaseIn = async (purpose) => {
    const database = join(await mkdtemp(join(home, `${purpose}-`)), "rows.db");
    await (from && copyFile(from, database));
    return database;
  };
  const expected = await databaseIn("undisturbed");
  const before = await served(expected);
  const started = Date.now();
  await load(file, expected).ended;
  const longest = Date.now() - started;
  const after = await served(expected);
  const found = { kills: 0, complete: 0, loads: 0, wrong: [] };
  while (found.kills < wantedKills) {
    const database = await databaseIn("killed");
    const signal = SIGNALS[found.kills % SIGNALS.length];
    const { child, ended } = load(file, database);
    const timer = setTimeout(() => child.kill(signal), Math.random() * longest);
    const { code, killed } = await ended;
    clearTimeout(timer);
    const isKilled = killed || code === 130 || code === 143;
    if (!isKilled && code !== 0) {
      found.wrong.push(`exit code ${code}`);
    }
    found.kills += isKilled ? 1 : 0;
    const left = await served(database);
    found.complete += isKilled && left === after ? 1 : 0;
    if (left !== after && (!isKilled || left !== before)) {
      found.wrong.push(`${left} after ${signal}, not ${before} or ${after}`);
    }
    const again = await load(file, database).ended;
    const end = await served(database);
    if (again.code !== 0 || end !== after) {
      found.wrong.push(`${end} after the next load, which ended with ${again.code}, not ${after}`);
    }
    found.loads += 1;
    await rm(join(database, ".."), { recursive: true });
  }
  console.log(
    `${from === undefined ? "an empty database" : "beside other rows"}: ${found.kills} kills, ${found.complete} of them when ` +
      `the rows were in, ${found.loads} loads that were made good; ${found.wrong.join(", ") || `equal, ${after}`}`,
  );
  process.exitCode = found.wrong.length > 0 ? 1 : process.exitCode;
}

/** The number of rows that a service of this database has, and a digest of them in its order. */
async function served(database) {
  const service = await startService(home, database);
  try {
    const digest = createHash("sha256");
    let rows = 0;
    let cursor;
    do {
      const query = new URLSearchParams({ limit: 500, ...(cursor && { cursor }) });
      const response = await fetch(`${service.url}/v1/catalog?${query}`, { headers: service.headers });
      const { data, pagination } = await response.json();
      digest.update(JSON.stringify(data));
      rows += data.length;
      cursor = pagination.next_cursor;
    } while (cursor);
    return `${rows} rows ${digest.digest("hex").slice(0, 12)}`;
  } finally {
    await service.close();
  }
}

function load(file, database) {
  const args = [CATALOG, "service", "load", "-q", file, "--database", database];
  const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH, HOME: home }, stdio: "ignore" });
  return { child, ended: once(child, "close").then(([code, signal]) => ({ code, killed: signal !== null })) };
}
