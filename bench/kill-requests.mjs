// 24 clients of three instances on one PostgreSQL behind HAProxy (docs/operation.md), while instances restart and are killed,
// rows are replaced, PostgreSQL is read-only for 16 s as in a failover, and restarts. A request may fail only with a problem
// document that says by Retry-After when to repeat it, and each walk has to be of one version. After a build, with HAProxy
// installed: `scripts/with-postgres.sh node bench/kill-requests.mjs`.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { catalog } from "./catalog.mjs";
import { createDatasets } from "./datasets.mjs";
import { createFleet, restartDatabase } from "./fleet.mjs";
import { dayOf } from "./rows.mjs";
import { printTable } from "./table.mjs";

const [INSTANCES, CLIENTS, ROWS] = [3, 24, 20_000];
const [RESTARTS, KILLS, LOADS] = [18, 9, 20];
const READ_ONLY = 16_000;
/** The rows that each load replaces: those of a retailer on a day. The title of each names the load. */
const SLICE = { retailer: "cedar", day: dayOf(20) };
/** What clients ask for, in turns. Walks are of the slice, and of all rows. */
const SLICE_WALK = { retailer: SLICE.retailer, start_date: SLICE.day, end_date: SLICE.day, limit: 5 };
const CYCLE = [SLICE_WALK, "sample", "coverage", { limit: 500 }, SLICE_WALK, `coverage?retailer=${SLICE.retailer}`];

const database = process.env.CATALOG_TEST_DATABASE;
const home = await mkdtemp(join(tmpdir(), "catalog-fleet-"));
const fleet = createFleet(home, database);
const seen = { answers: {}, failures: [], foreign: [], walks: 0, mixed: [], slowest: 0 };
let isOver = false;
try {
  const file = await createDatasets(home).file(ROWS);
  await catalog(home, ["service", "load", "-q", file, "--database", database]);
  const ofSlice = (await readFile(file, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ retailer, crawl_date }) => retailer === SLICE.retailer && crawl_date === SLICE.day);
  const limits = ["--rate-limit", "1000000000", "--sample-rate-limit", "1000000000"];
  const instances = await fleet.instances(INSTANCES, [...limits, "--trust-proxy", "1", "--drain-delay", "2s"]);
  const url = await fleet.balance(instances);
  const headers = { authorization: `Bearer ${await fleet.key("clients")}` };
  await load(ofSlice, 0);

  const started = performance.now();
  const clients = Array.from({ length: CLIENTS }, (_, number) => client({ url, headers }, number));
  const loads = (async () => {
    for (let number = 1; number <= LOADS; number += 1) {
      await load(ofSlice, number);
      await delay(3_000);
    }
  })();
  for (let number = 0; number < RESTARTS; number += 1) {
    await instances[number % INSTANCES].restart("SIGTERM");
    if (number % 2 === 1) {
      await instances[(number + 2) % INSTANCES].restart("SIGKILL");
    }
  }
  await readOnly("on");
  await delay(READ_ONLY);
  await readOnly("off");
  await delay(5_000);
  await restartDatabase(database);
  await loads;
  await delay(5_000);
  isOver = true;
  await Promise.all(clients);

  const { answers, failures, foreign, walks, mixed, slowest } = seen;
  printTable(
    `kill-requests: ${CLIENTS} clients, ${INSTANCES} instances, ${RESTARTS} restarts, ${KILLS} kills, ${LOADS} loads`,
    [
      "seconds",
      "requests",
      "failed without Retry-After",
      "no problem document",
      "walks",
      "of mixed versions",
      "slowest",
    ],
    [
      [
        Math.round((performance.now() - started) / 1000),
        Object.values(answers).reduce((sum, count) => sum + count, 0),
        failures.length,
        foreign.length,
        walks,
        mixed.length,
        `${Math.round(slowest)} ms`,
      ],
    ],
  );
  console.log(answers);
  const wrong = [...failures, ...foreign, ...mixed];
  console.log(wrong.slice(0, 20).join("\n"));
  process.exitCode = wrong.length > 0 ? 1 : 0;
} finally {
  await fleet.stop();
  await rm(home, { recursive: true, force: true });
}

async function client(service, number) {
  for (let turn = number; !isOver; turn += 1) {
    const wanted = CYCLE[turn % CYCLE.length];
    await (typeof wanted === "string" ? ask(service, wanted) : walk(service, wanted));
  }
}

/** Walks to the end, and holds the walk to one version: all rows once, and the slice of one load. */
async function walk(service, filters) {
  const rows = [];
  let total;
  for (let cursor = {}; cursor !== undefined; ) {
    const answer = await ask(service, `catalog?${new URLSearchParams({ ...filters, ...cursor })}`);
    if (answer === undefined) {
      return;
    }
    rows.push(...answer.data);
    total ??= answer.pagination.total_matching;
    cursor = answer.pagination.has_more ? { cursor: answer.pagination.next_cursor } : undefined;
  }
  const titles = rows
    .filter(({ retailer, crawl_date }) => retailer === SLICE.retailer && crawl_date === SLICE.day)
    .map(({ title }) => title);
  const [ids, versions] = [new Set(rows.map(({ product_id }) => product_id)), new Set(titles)];
  seen.walks += 1;
  if (versions.size !== 1 || ids.size !== total || rows.length !== total) {
    seen.mixed.push(`${rows.length} rows and ${ids.size} ids of ${total}, ${[...versions]}`);
  }
}

/** The body of a response of 200. A failure with Retry-After is repeated after that time. */
async function ask({ url, headers }, path) {
  for (;;) {
    const begun = performance.now();
    const response = await fetch(`${url}/v1/${path}`, { headers }).catch((error) => error);
    const text = await (response.text?.() ?? "");
    seen.slowest = Math.max(seen.slowest, performance.now() - begun);
    const { status = `${response.cause ?? response}` } = response;
    seen.answers[status] = (seen.answers[status] ?? 0) + 1;
    if (status === 200) {
      return JSON.parse(text);
    }
    if (response.headers?.get("content-type") !== "application/problem+json") {
      seen.foreign.push(`${status} ${text.slice(0, 200)}`);
    }
    const wait = Number(response.headers?.get("retry-after") ?? Number.NaN);
    if (Number.isNaN(wait)) {
      seen.failures.push(`${status} ${text.slice(0, 200)}`);
      return undefined;
    }
    await delay(wait * 1_000);
  }
}

/** While the database fails, a load fails and leaves the rows of before, or all: it is repeated. */
async function load(rows, number) {
  const path = join(home, "slice.ndjson");
  const lines = rows.map((row) => JSON.stringify({ ...row, title: `Load ${number}` }));
  await writeFile(path, `${lines.join("\n")}\n`);
  const { retailer, day } = SLICE;
  const args = ["--replace", "--retailer", retailer, "--date", day, path, "--database", database];
  const isDone = await catalog(home, ["service", "load", "-q", ...args]).then(
    () => true,
    () => false,
  );
  if (!isDone) {
    await delay(1_000);
    await load(rows, number);
  }
}

/** A server that became a standby refuses to write. */
async function readOnly(value) {
  const client = new pg.Client({ connectionString: database, options: "-c default_transaction_read_only=off" });
  await client.connect();
  await client.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
  await client.query("SELECT pg_reload_conf()");
  await client.end();
}
