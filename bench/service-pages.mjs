// Pages, coverage, loads, memory and disk of the service with ROWS rows (1,000,000), in a file, and also in PostgreSQL if it
// runs below `scripts/with-postgres.sh`: each kind of filter, at its first page, in the middle and at its end.
import { randomUUID } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import Database from "libsql";
import pg from "pg";
import { catalog, processorTime, startService } from "./catalog.mjs";
import { dayOf, rowOf } from "./rows.mjs";
import { mebibytes, median, printTable, ratio, seconds } from "./table.mjs";

const ROWS = Number(process.env.ROWS ?? 1_000_000);
const MORE_ROWS = 10_000;
const PAGE = 500;
/** A page is read as often as this, but not longer than some seconds. */
const [SAMPLES, LONGEST] = [21, 8_000];
/** V8 compiles the code of a service while it answers its first pages, which then cost up to twice as much as later ones. */
const WARMING_PAGES = 4_000;
/** Pages that the engine alone reads. */
const COMPARED_PAGES = 400;

const DAY = { start_date: dayOf(20), end_date: dayOf(20) };
const FILTERS = {
  none: {},
  "a retailer": { retailer: "cedar" },
  "30 triples": { rcd: triples(30) },
  "a day": DAY,
  "30 days": { start_date: dayOf(10), end_date: dayOf(39) },
  "a retailer, a day": { retailer: "cedar", ...DAY },
};

export async function run({ folder, datasets }) {
  const rows = await datasets.file(ROWS);
  const more = `${folder}/more.ndjson`;
  await writeFile(more, moreRows());
  const engines = [fileEngine(`${folder}/pages.db`)];
  if (process.env.CATALOG_TEST_DATABASE !== undefined) {
    engines.push(await postgresEngine(process.env.CATALOG_TEST_DATABASE));
  }
  for (const engine of engines) {
    await measure(engine, { folder, rows, more });
  }
}

async function measure(engine, { folder, rows, more }) {
  const { name, location } = engine;
  const load = async (file) => await catalog(folder, ["service", "load", "-q", file, "--database", location]);
  const first = await load(rows);
  const disk = await engine.size();
  const service = await startService(folder, location);
  const table = [];
  const costs = [];
  let base;
  let added;
  const firstRequests = [];
  try {
    firstRequests.push(await timeOnce(service, "coverage", {}));
    for (let pages = 0; pages < WARMING_PAGES; ) {
      pages += (await walk(service, {})).pages;
    }
    const unfiltered = new Map();
    for (const [filter, filters] of Object.entries(FILTERS)) {
      const before = {
        time: performance.now(),
        service: processorTime(service.pid),
        engine: await engine.processors(),
      };
      const own = await walk(service, filters, filter === "none" ? unfiltered : undefined);
      costs.push([
        filter,
        own.pages,
        rate(own.pages, performance.now() - before.time),
        rate(own.pages, processorTime(service.pid) - before.service),
        await databaseCost(engine, before.engine, own.pages),
      ]);
      for (const [place, offset] of own.places) {
        const key = await time(service, "catalog", { ...filters, limit: PAGE, ...own.cursors.get(offset) });
        base ??= key.median;
        const foreign = filter === "none" || offset === 0 ? undefined : unfiltered.get(offset);
        const direct = foreign && (await time(service, "catalog", { ...filters, limit: PAGE, ...foreign }));
        table.push([filter, place, offset, ...shown(key, base), ...(direct ? shown(direct, base) : ["", ""])]);
      }
    }
    const unkeyed = await directWithoutFilter(service, unfiltered);
    table.push(
      ...unkeyed.map(([place, offset, found]) => [
        "none, other filters before",
        place,
        offset,
        "",
        "",
        ...shown(found, base),
      ]),
    );
    const coverage = await time(service, "coverage", {});
    table.push(["coverage", "", "", ...shown(coverage, base), "", ""]);
    added = await load(more);
    firstRequests.push(await timeOnce(service, "coverage", {}));
  } finally {
    engine.peak = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, "utf8"))[1]) * 1024;
    await service.close();
  }
  const title = `service-pages: ${ROWS} rows, ${name}`;
  printTable(
    `${title}, median times of a page of ${PAGE} rows`,
    ["filter", "place", "offset", "by its key", "ratio", "asked directly", "ratio"],
    table,
  );
  printTable(
    `${title}, walks of all pages`,
    ["filter", "pages", "pages/s", "pages a CPU second of the service", "CPU ms a page of the database"],
    [...costs, await engine.alone()],
  );
  printTable(
    title,
    [
      "load",
      `load of ${MORE_ROWS} more`,
      "first request",
      "after the second load",
      "peak memory of load",
      "of the service",
      "disk",
      "bytes a row",
    ],
    [
      [
        seconds(first.milliseconds),
        seconds(added.milliseconds),
        ...firstRequests.map((milliseconds) => `${milliseconds.toFixed(0)} ms`),
        mebibytes(first.peak),
        mebibytes(engine.peak),
        mebibytes(disk),
        Math.round(disk / ROWS),
      ],
    ],
  );
}

/** Walks a set. Keeps the cursors of its middle and its end; `all`, if it is given, gets the cursor of every offset. */
async function walk(service, filters, all) {
  let cursor;
  let offset = 0;
  let places;
  const cursors = new Map();
  let pages = 0;
  do {
    const body = await text(service, "catalog", { ...filters, limit: PAGE, ...cursor });
    const total = Number(/"total_matching":(\d+)/.exec(body)[1]);
    places ??= placesIn(total);
    pages += 1;
    offset += PAGE;
    const next = /"next_cursor":"([^"]+)"/.exec(body)?.[1];
    // A copy: a part of a text would keep the whole body in memory, for each page of a walk.
    cursor = next && { cursor: Buffer.from(next).toString() };
    if (places.some(([, wanted]) => wanted === offset)) {
      cursors.set(offset, cursor);
    }
    all?.set(offset, cursor);
  } while (cursor !== undefined);
  return { pages, places, cursors };
}

/** Offsets of the first page, one in the middle and the last whole one. */
function placesIn(total) {
  const pages = Math.floor(total / PAGE);
  return [
    ["first", 0],
    ["middle", Math.floor(pages / 2) * PAGE],
    ["end", (pages - 1) * PAGE],
  ];
}

/** Pages without filter at the offset of a walk with a filter. Only walks of many pages have such cursors. */
async function directWithoutFilter(service, unfiltered) {
  const last = unfiltered.size - 1;
  const found = [];
  for (const [place, page] of [
    ["middle", Math.floor(last / 2)],
    ["end", last - 1],
  ]) {
    // The cursor was issued for this set: a day that all rows have makes it one of another set.
    const query = { start_date: dayOf(0), limit: PAGE, ...unfiltered.get(page * PAGE) };
    found.push([place, page * PAGE, await time(service, "catalog", query)]);
  }
  return found;
}

async function timeOnce(service, operation, query) {
  const begun = performance.now();
  await text(service, operation, query);
  return performance.now() - begun;
}

/** The median time of a response, or its status if it is an error. */
async function time(service, operation, query) {
  const times = [];
  const started = performance.now();
  while (times.length < SAMPLES && (times.length < 3 || performance.now() - started < LONGEST)) {
    const begun = performance.now();
    const response = await ask(service, operation, query);
    const body = await response.text();
    if (response.status !== 200) {
      return { status: `${response.status} ${JSON.parse(body).code}` };
    }
    times.push(performance.now() - begun);
  }
  return { median: median(times) };
}

function shown({ median: found, status }, base) {
  return status === undefined ? [`${found.toFixed(1)} ms`, ratio(found, base)] : [status, ""];
}

async function ask({ url, headers }, operation, query) {
  return await fetch(`${url}/v1/${operation}?${new URLSearchParams(query)}`, { headers });
}

async function text(service, operation, query) {
  const response = await ask(service, operation, query);
  const body = await response.text();
  if (response.status !== 200) {
    throw new Error(`${response.status}: ${body}`);
  }
  return body;
}

function fileEngine(location) {
  return {
    name: "a file",
    location,
    size: async () => statSync(location).size,
    // SQLite runs in the process of the service.
    processors: async () => undefined,
    alone: async () => ["SQLite alone", COMPARED_PAGES, ...readAlone(location), ""],
  };
}

async function postgresEngine(server) {
  const schema = `bench_${randomUUID().replaceAll("-", "")}`;
  const location = new URL(server);
  location.searchParams.set("options", `-c search_path=${schema}`);
  const query = async (sql) => {
    const client = new pg.Client(server);
    await client.connect();
    const { rows } = await client.query(sql).finally(() => client.end());
    return rows;
  };
  await query(`CREATE SCHEMA ${schema}`);
  const total = `SELECT sum(pg_total_relation_size(oid))::float AS size FROM pg_class
    WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'r'`;
  return {
    name: "PostgreSQL",
    location: location.href,
    size: async () => (await query(total))[0].size,
    processors: async () => {
      const own = "SELECT pid FROM pg_stat_activity WHERE application_name = 'catalog'";
      return new Map((await query(own)).map(({ pid }) => [pid, processorTime(pid)]));
    },
    alone: async () => ["PostgreSQL alone", COMPARED_PAGES, ...(await readAloneOf(location.href))],
  };
}

/** Milliseconds of the connections of the service. */
async function databaseCost(engine, before, pages) {
  const after = await engine.processors();
  if (after === undefined) {
    return "";
  }
  const spent = [...after].reduce((sum, [pid, milliseconds]) => sum + milliseconds - (before.get(pid) ?? 0), 0);
  return (spent / pages).toFixed(2);
}

function readAlone(path) {
  const database = new Database(path, { readonly: true });
  const rows = database.prepare(
    "SELECT CAST(group_concat(body, char(10)) AS BLOB) FROM product WHERE id > ? AND id <= ?",
  );
  const [first] = database.prepare("SELECT min(id) FROM product").raw().get();
  const before = process.cpuUsage();
  const started = performance.now();
  for (let page = 0; page < COMPARED_PAGES; page += 1) {
    const from = first - 1 + page * PAGE;
    rows.raw().get([from, from + PAGE]);
  }
  const { user, system } = process.cpuUsage(before);
  const rates = [rate(COMPARED_PAGES, performance.now() - started), rate(COMPARED_PAGES, (user + system) / 1000)];
  database.close();
  return rates;
}

/** Pages a second, pages a CPU second of this process, and CPU milliseconds a page of the server. */
async function readAloneOf(location) {
  const client = new pg.Client(location);
  await client.connect();
  const order = "sku, retailer, day, product_id";
  const statement = {
    name: "page",
    text: `SELECT ${order}, body FROM product WHERE (${order}) > ($1, $2, $3, $4) ORDER BY ${order} LIMIT ${PAGE}`,
    rowMode: "array",
  };
  const [{ pid }] = (await client.query("SELECT pg_backend_pid() AS pid")).rows;
  let place = [Buffer.alloc(0), "", 0, Buffer.alloc(0)];
  const [started, server, before] = [performance.now(), processorTime(pid), process.cpuUsage()];
  for (let page = 0; page < COMPARED_PAGES; page += 1) {
    place = (await client.query({ ...statement, values: place })).rows.at(-1).slice(0, place.length);
  }
  const { user, system } = process.cpuUsage(before);
  const costs = [rate(COMPARED_PAGES, performance.now() - started), rate(COMPARED_PAGES, (user + system) / 1000)];
  const ofServer = ((processorTime(pid) - server) / COMPARED_PAGES).toFixed(2);
  await client.end();
  return [...costs, ofServer];
}

function rate(pages, milliseconds) {
  return Math.round((pages * 1000) / milliseconds);
}

function triples(count) {
  const rows = Array.from({ length: 120 }, (_, number) => rowOf(number, ROWS));
  const all = rows.map(({ retailer, category, department }) => `${retailer}:${category}:${department}`);
  return [...new Set(all)].slice(0, count).join(",");
}

/** Rows of the next day. */
function moreRows() {
  const rows = Array.from({ length: MORE_ROWS }, (_, number) => {
    const row = rowOf(number, ROWS);
    return JSON.stringify({ ...row, product_id: `${row.product_id}-next`, crawl_date: dayOf(50) });
  });
  return `${rows.join("\n")}\n`;
}
