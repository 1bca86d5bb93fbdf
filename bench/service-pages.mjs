// Time of one page of 500 rows at several depths of a walk, for each kind of filter, and of a coverage without filters.
// Pages for each second of the service's processor time, compared with SQLite alone.
import { readFileSync } from "node:fs";
import Database from "libsql";
import { startService } from "./catalog.mjs";
import { FILTERS } from "./rows.mjs";
import { median, printTable, ratio } from "./table.mjs";

const ROWS = Number(process.env.ROWS ?? 1_000_000);
const PAGE = 500;
const SAMPLES = 41;
const WALKED_PAGES = 400;
/** Pages for each second of processor time. */
const TARGET = 400;
/** Clock ticks a second in /proc, see sysconf(3). */
const TICKS = 100;

export async function run({ folder, datasets }) {
  const { database } = await datasets.database(ROWS);
  const service = await startService(folder, database);
  try {
    await printWalks(service, database);
    const cursors = await cursorsByOffset(service);
    const table = [];
    let base;
    for (const filters of FILTERS) {
      const { pagination } = await get(service, "catalog", { ...filters, limit: PAGE });
      for (const offset of offsetsIn(pagination.total_matching)) {
        const cursor = cursors.get(offset);
        const query = { ...filters, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
        const time = await medianTime(service, "catalog", query);
        base ??= time;
        table.push([nameOf(filters), offset, `${time.toFixed(1)} ms`, ratio(time, base)]);
      }
    }
    const coverage = await medianTime(service, "coverage", {});
    table.push(["coverage, no filter", "", `${coverage.toFixed(1)} ms`, ratio(coverage, base)]);
    printTable(`service-pages: median of ${SAMPLES}, ${ROWS} rows`, ["filter", "offset", "time", "ratio"], table);
  } finally {
    await service.close();
  }
}

/** The first walk reads each row for the first time; the second one finds them in the memory of SQLite and the system. */
async function printWalks(service, database) {
  const table = [];
  for (const name of ["first walk", "second walk"]) {
    const before = processorTime(service.pid);
    const started = performance.now();
    await walk(service);
    table.push([`service, ${name}`, ...rates(performance.now() - started, processorTime(service.pid) - before)]);
  }
  const before = process.cpuUsage();
  const started = performance.now();
  readAll(database);
  const { user, system } = process.cpuUsage(before);
  table.push(["SQLite alone", ...rates(performance.now() - started, (user + system) / 1000)]);
  printTable(
    `service-pages: ${WALKED_PAGES} pages of ${PAGE} rows through one connection, target ${TARGET} pages a CPU second`,
    ["reader", "pages/s", "pages a CPU second"],
    table,
  );
}

function rates(milliseconds, processorMilliseconds) {
  return [milliseconds, processorMilliseconds].map((time) => Math.round((WALKED_PAGES * 1000) / time));
}

/** Milliseconds of processor time of all threads (proc(5), fields 14 and 15 of stat). */
function processorTime(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS;
}

async function walk(service) {
  let cursor;
  for (let page = 0; page < WALKED_PAGES; page += 1) {
    const body = await text(service, "catalog", { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    cursor = /"next_cursor":"([^"]+)"/.exec(body)?.[1];
  }
}

function readAll(path) {
  const database = new Database(path, { readonly: true });
  const rows = database.prepare(
    "SELECT CAST(group_concat(body, char(10)) AS BLOB) FROM product WHERE id > ? AND id <= ?",
  );
  const [first] = database.prepare("SELECT min(id) FROM product").raw().get();
  for (let page = 0; page < WALKED_PAGES; page += 1) {
    const from = first - 1 + page * PAGE;
    rows.raw().get([from, from + PAGE]);
  }
  database.close();
}

/** A cursor holds only an offset (contract section 4.3 rule 3), so one walk gives the cursors for all filters. */
async function cursorsByOffset(service) {
  const cursors = new Map();
  let offset = 0;
  let next;
  do {
    const { pagination } = await get(service, "catalog", {
      limit: PAGE,
      ...(next === undefined ? {} : { cursor: next }),
    });
    next = pagination.next_cursor;
    offset += PAGE;
    cursors.set(offset, next);
  } while (next !== null);
  return cursors;
}

/** The first page, the one at 100,000, and the last whole one. */
function offsetsIn(total) {
  const last = Math.floor(total / PAGE) * PAGE - PAGE;
  return [...new Set([0, Math.min(100_000, last), last])];
}

async function medianTime(service, operation, query) {
  const times = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const started = performance.now();
    await text(service, operation, query);
    times.push(performance.now() - started);
  }
  return median(times);
}

async function text({ url, headers }, operation, query) {
  const response = await fetch(`${url}/v1/${operation}?${new URLSearchParams(query)}`, { headers });
  const body = await response.text();
  if (response.status !== 200) {
    throw new Error(`${response.status}: ${body}`);
  }
  return body;
}

async function get(service, operation, query) {
  return JSON.parse(await text(service, operation, query));
}

function nameOf(filters) {
  return Object.keys(filters).join(" ") || "none";
}
