// A service that takes almost no processor time: its pages of 500 rows are ready before the first request. It knows the
// parameters `rcd`, `cursor` and `limit=500`, and accepts every key. `node page-server.mjs ROWS LATENCY_MS...` prints one
// address for each latency.
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { rowOf } from "./rows.mjs";

const [ROWS, ...LATENCIES] = process.argv.slice(2).map(Number);
const PAGE = 500;
const BASE_ROWS = Math.min(ROWS, 200_000);
/** Pages of a combination of retailer, category and department. */
const PAGES_OF_COMBINATION = 10;
const DAY = "2026-01-01";
const PLACE = '"retailer":"shop-';

const BASE_BLOCKS = BASE_ROWS / PAGE;

const blocks = Array.from({ length: BASE_BLOCKS }, (_, number) => blockOf(number));
const combinations = Array.from({ length: ROWS / PAGE / PAGES_OF_COMBINATION }, (_, number) => ({
  number,
  rcd: [retailerOf(number), categoryOf(number), "home"].join(":"),
}));
const byRcd = new Map(combinations.map((combination) => [combination.rcd, combination]));

function retailerOf(combination) {
  const repetition = Math.floor((combination * PAGES_OF_COMBINATION) / BASE_BLOCKS);
  return `shop-${String(repetition).padStart(3, "0")}`;
}

function categoryOf(combination) {
  return `category-${combination % (BASE_BLOCKS / PAGES_OF_COMBINATION)}`;
}

function blockOf(number) {
  const rows = Array.from({ length: PAGE }, (_, at) => ({
    ...rowOf(number * PAGE + at, BASE_ROWS),
    retailer: "shop-000",
    department: "home",
    category: categoryOf(Math.floor(number / PAGES_OF_COMBINATION)),
    crawl_date: DAY,
  }));
  const bytes = Buffer.from(rows.map((row) => JSON.stringify(row)).join(","));
  const places = [];
  for (let at = bytes.indexOf(PLACE); at !== -1; at = bytes.indexOf(PLACE, at + 1)) {
    places.push(at + PLACE.length);
  }
  return { bytes, places };
}

/** Sets larger than the pages in memory repeat them, each time with another retailer. */
function pageOf(combination, page) {
  const { bytes, places } = blocks[(combination.number * PAGES_OF_COMBINATION + page) % blocks.length];
  const retailer = retailerOf(combination.number).slice(-3);
  if (retailer === "000") {
    return bytes;
  }
  const copy = Buffer.from(bytes);
  for (const place of places) {
    copy.latin1Write(retailer, place);
  }
  return copy;
}

const servers = LATENCIES.map((latency) => createServer((request, response) => answer(request, response, latency)));
await Promise.all(servers.map((server) => new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))));
console.log(servers.map((server) => `http://127.0.0.1:${server.address().port}`).join(" "));

async function answer(request, response, latency) {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  const rcd = searchParams.get("rcd");
  const chosen = rcd === null ? combinations : rcd.split(",").map((name) => byRcd.get(name));
  const pages = chosen.length * PAGES_OF_COMBINATION;
  const meta = metaOf(searchParams, chosen.length);
  response.setHeader("content-type", "application/json");
  if (latency > 0) {
    await wait(latency);
  }
  if (pathname.endsWith("/coverage")) {
    const data = chosen.map(({ rcd: name }) => entryOf(name));
    response.end(JSON.stringify({ data, pagination: { next_cursor: null, has_more: false }, meta }));
    return;
  }
  const page = Number(searchParams.get("cursor") ?? 0);
  const has_more = page + 1 < pages;
  const next_cursor = has_more ? String(page + 1) : null;
  const pagination = { limit: PAGE, total_matching: pages * PAGE, next_cursor, has_more };
  const block = pageOf(chosen[Math.floor(page / PAGES_OF_COMBINATION)], page % PAGES_OF_COMBINATION);
  const tail = `],"pagination":${JSON.stringify(pagination)},"meta":${JSON.stringify(meta)}}`;
  response.setHeader("content-length", 9 + block.length + Buffer.byteLength(tail));
  response.write('{"data":[');
  response.write(block);
  response.end(tail);
}

function metaOf(searchParams, count) {
  const names = ["retailer", "category", "department", "rcd", "start_date", "end_date"];
  const rows = count * PAGES_OF_COMBINATION * PAGE;
  return {
    request_id: "req_bench",
    resolved: Object.fromEntries(names.map((name) => [name, searchParams.get(name)])),
    coverage: {
      combinations: count,
      matching_rows: rows,
      corpus_rows: rows,
      earliest_date: DAY,
      latest_date: DAY,
    },
  };
}

function entryOf(rcd) {
  const [retailer, category, department] = rcd.split(":");
  const rows = PAGES_OF_COMBINATION * PAGE;
  const dates = { earliest_date: DAY, latest_date: DAY };
  return { retailer, department, category, rcd, corpus_rows: rows, matching_rows: rows, ...dates };
}
