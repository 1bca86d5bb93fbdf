// Requests that an export needs beside the fewest that are possible: of a service that names no version of its data, in few
// and in many combinations, and after a kill and --resume; and what --dry-run expects.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import { CATALOG, catalog } from "./catalog.mjs";
import { dayOf } from "./rows.mjs";
import { printTable } from "./table.mjs";

const SIZES = [20_000, 30_000, 50_000, 100_000, 300_000, 1_000_000];
const COMBINATIONS = [3, 2_500];
const PAGE = 500;
const DAYS = 30;
const FILTER_NAMES = ["retailer", "category", "department", "rcd", "start_date", "end_date"];

export async function run({ folder }) {
  const table = [];
  for (const rows of SIZES) {
    for (const count of COMBINATIONS) {
      const fewest = Math.ceil(rows / PAGE) + 1;
      const service = await startService(rows, count);
      const env = { CATALOG_BASE_URL: service.url, CATALOG_API_KEY: "k" };
      const file = `${folder}/rows.ndjson`;
      const { stdout } = await catalog(folder, ["export", "--dry-run", "-f", "json"], { env });
      const expected = JSON.parse(stdout).requests;
      const sent = await service.requestsOf(() => catalog(folder, ["export", "-q", "-o", file], { env }));
      const resumed = await service.requestsOf(() => killAndResume(folder, file, env, service, fewest / 2));
      await rm(file);
      await service.close();
      table.push([rows, count, fewest, sent, (sent / fewest).toFixed(3), expected, resumed]);
    }
  }
  const headings = ["rows", "combinations", "fewest", "sent", "ratio", "--dry-run says", "after a kill and --resume"];
  printTable("requests: 500 rows a page, 8 at once", headings, table);
}

/** Kills an export after some requests, and goes on with it. */
async function killAndResume(folder, file, env, service, requests) {
  const args = [CATALOG, "export", "-q", "-o", file];
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    stdio: "ignore",
  });
  const closed = once(child, "close");
  await service.reached(requests);
  child.kill("SIGKILL");
  await closed;
  await catalog(folder, ["export", "-q", "-o", file, "--resume"], { env });
}

/** A service with `count` combinations of very different sizes; each has its rows on 30 days. */
async function startService(rows, count) {
  const combinations = combinationsOf(rows, count);
  let requests = 0;
  let onRequest = () => {};
  const server = createServer((request, response) => {
    requests += 1;
    onRequest();
    const url = new URL(request.url, "http://localhost");
    response.setHeader("content-type", "application/json");
    response.end(answer(url, combinations));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requestsOf: async (work) => {
      const before = requests;
      await work();
      return requests - before;
    },
    /** Resolves after this number of further requests. */
    reached: (more) => {
      const until = requests + more;
      return new Promise((resolve) => {
        onRequest = () => requests >= until && resolve();
      });
    },
    close: () => once(server.close(), "close"),
  };
}

function combinationsOf(rows, count) {
  const weights = Array.from({ length: count }, (_, index) => 1 / (index + 1) ** 0.8);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const names = Array.from({ length: count }, (_, index) => ({
    retailer: `shop-${String(index % 25).padStart(2, "0")}`,
    department: "home",
    category: `category-${String(index).padStart(4, "0")}`,
  }));
  let left = rows;
  const combinations = names.map((name, index) => {
    const size = index === count - 1 ? left : Math.max(1, Math.round((weights[index] / sum) * (rows - count)));
    left -= size;
    return { ...name, rcd: `${name.retailer}:${name.category}:${name.department}`, size };
  });
  return combinations.sort((a, b) => (`${a.retailer} ${a.category}` < `${b.retailer} ${b.category}` ? -1 : 1));
}

function answer({ pathname, searchParams }, combinations) {
  const rcds = searchParams.get("rcd")?.split(",");
  const wanted = rcds === undefined ? undefined : new Set(rcds);
  const [first, last] = [searchParams.get("start_date") ?? dayOf(0), searchParams.get("end_date") ?? dayOf(DAYS - 1)];
  const parts = combinations
    .filter(({ rcd }) => wanted?.has(rcd) ?? true)
    .map((combination) => ({ combination, ...rowsBetween(combination, first, last) }))
    .filter(({ from, to }) => from < to);
  const total = parts.reduce((sum, { from, to }) => sum + to - from, 0);
  const daysOf = ({ size }, from, to) => ({ earliest_date: dayOfRow(from, size), latest_date: dayOfRow(to - 1, size) });
  const spans = parts.map(({ combination, from, to }) => daysOf(combination, from, to));
  const days = {
    earliest_date: spans.map(({ earliest_date }) => earliest_date).sort()[0] ?? null,
    latest_date:
      spans
        .map(({ latest_date }) => latest_date)
        .sort()
        .at(-1) ?? null,
  };
  const resolved = Object.fromEntries(FILTER_NAMES.map((name) => [name, searchParams.get(name)]));
  const coverage = { combinations: parts.length, matching_rows: total, corpus_rows: total, ...days };
  const meta = { request_id: "req_bench", resolved, coverage };
  if (pathname.endsWith("/coverage")) {
    const data = parts.map(({ combination: { size, ...name }, from, to }, index) => {
      return { ...name, corpus_rows: size, matching_rows: to - from, ...spans[index] };
    });
    return JSON.stringify({ data, pagination: { next_cursor: null, has_more: false }, meta });
  }
  const limit = Number(searchParams.get("limit") ?? 100);
  const start = Number(searchParams.get("cursor") ?? 0);
  const end = Math.min(total, start + limit);
  const has_more = end < total;
  const pagination = { limit, total_matching: total, next_cursor: has_more ? String(end) : null, has_more };
  return JSON.stringify({ data: rowsOf(parts, start, end), pagination, meta });
}

function rowsBetween({ size }, first, last) {
  const numberOf = (day) => Math.round((Date.parse(day) - Date.parse(dayOf(0))) / 86_400_000);
  const before = (day) => Math.min(size, Math.max(0, Math.ceil((day * size) / DAYS)));
  return { from: before(numberOf(first)), to: before(numberOf(last) + 1) };
}

function rowsOf(parts, start, end) {
  const rows = [];
  let passed = 0;
  for (const { combination, from, to } of parts) {
    for (let at = from + Math.max(0, start - passed); at < to && passed + at - from < end; at += 1) {
      rows.push(rowOf(combination, at));
    }
    passed += to - from;
    if (passed >= end) {
      break;
    }
  }
  return rows;
}

function rowOf({ retailer, department, category, size }, at) {
  return {
    product_id: `${retailer}-${category}-${at}`,
    sku: `s${at}`,
    url: `https://${retailer}.example/${at}`,
    domain: `${retailer}.example`,
    retailer,
    department,
    category,
    brand: "b",
    model_number: "m",
    title: "t",
    mrp: 10,
    selling_price: 9,
    discount_pct: 10,
    currency: "EUR",
    color: null,
    image_url: "https://images.example/i.jpg",
    crawl_date: dayOfRow(at, size),
  };
}

function dayOfRow(at, size) {
  return dayOf(Math.floor((at * DAYS) / size));
}
