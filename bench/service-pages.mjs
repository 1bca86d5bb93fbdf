// Time of one page of 500 rows at any depth of a walk, for each kind of filter, and of a coverage without filters.
import { startService } from "./catalog.mjs";
import { FILTERS } from "./rows.mjs";
import { median, printTable, ratio } from "./table.mjs";

const ROWS = 1_000_000;
const PAGE = 500;
const SAMPLES = 41;

export async function run({ folder, datasets }) {
  const service = await startService(folder, (await datasets.database(ROWS)).database);
  try {
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

/** A cursor tells an offset and nothing else (contract section 4.3 rule 3), so that one walk gives those of all sets. */
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
