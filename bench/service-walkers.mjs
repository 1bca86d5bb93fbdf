// Many walks at once, with different filters. Each response is compared with the rows that were loaded.
import { setTimeout as delay } from "node:timers/promises";
import { startService } from "./catalog.mjs";
import { FILTERS, matches, rowOf } from "./rows.mjs";
import { median, printTable } from "./table.mjs";

const ROWS = 1_000_000;
const WALKERS = 50;
const SECONDS = 30;
const PAGE = 500;

export async function run({ folder, datasets }) {
  const { database } = await datasets.database(ROWS);
  const expected = expectedRows();
  const service = await startService(folder, database);
  const state = { pages: 0, rows: 0, failed: 0, wrong: 0, complete: 0, times: [], ended: false };
  try {
    const walkers = Array.from({ length: WALKERS }, (_, number) =>
      walk(service, FILTERS[number % FILTERS.length], expected, state),
    );
    await delay(SECONDS * 1000);
    state.ended = true;
    await Promise.all(walkers);
  } finally {
    await service.close();
  }
  const { pages, rows, failed, wrong, complete, times } = state;
  printTable(
    `service-walkers: ${WALKERS} walkers for ${SECONDS} s, ${ROWS} rows`,
    ["pages", "pages/s", "median page", "rows checked", "walks to the end", "failed responses", "wrong responses"],
    [[pages, Math.round(pages / SECONDS), `${Math.round(median(times))} ms`, rows, complete, failed, wrong]],
  );
  if (failed + wrong > 0) {
    process.exitCode = 1;
  }
}

/** Number of each row by its product_id, and rows of each filter set. */
function expectedRows() {
  const numbers = new Map();
  const totals = new Map(FILTERS.map((filters) => [filters, 0]));
  for (let number = 0; number < ROWS; number += 1) {
    const row = rowOf(number, ROWS);
    numbers.set(row.product_id, number);
    for (const filters of FILTERS) {
      totals.set(filters, totals.get(filters) + (matches(row, filters) ? 1 : 0));
    }
  }
  return { numbers, totals };
}

/** Walks again and again, from the first page to the last, until the time is over. */
async function walk(service, filters, { numbers, totals }, state) {
  let walked = 0;
  let cursor;
  let last = "";
  while (!state.ended) {
    const answer = await page(service, { ...filters, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) }, state);
    if (answer === undefined) {
      return;
    }
    const { data, pagination } = answer;
    walked += data.length;
    const rest = totals.get(filters) - walked;
    const fits = pagination.total_matching === totals.get(filters) && pagination.has_more === rest > 0;
    const ascends = data.every((row) => {
      const place = `${row.sku} ${row.retailer} ${row.crawl_date} ${row.product_id}`;
      const isLater = place > last;
      last = place;
      return isLater;
    });
    const isTrue = data.every((row) => isRow(row, filters, numbers));
    state.wrong += fits && ascends && isTrue && rest >= 0 ? 0 : 1;
    state.rows += data.length;
    cursor = pagination.next_cursor ?? undefined;
    if (cursor === undefined) {
      state.complete += 1;
      walked = 0;
      last = "";
    }
  }
}

async function page({ url, headers }, query, state) {
  const started = performance.now();
  const answer = await fetch(`${url}/v1/catalog?${new URLSearchParams(query)}`, { headers })
    .then((response) => (response.status === 200 ? response.json() : undefined))
    .catch(() => undefined);
  state.times.push(performance.now() - started);
  state.pages += 1;
  state.failed += answer === undefined ? 1 : 0;
  return answer;
}

function isRow(row, filters, numbers) {
  const number = numbers.get(row.product_id);
  return number !== undefined && matches(row, filters) && JSON.stringify(row) === JSON.stringify(rowOf(number, ROWS));
}
