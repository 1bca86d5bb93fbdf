import { expect, test } from "vitest";
import { type PullOptions, pull, type RowSink } from "../../src/pull/pull.ts";
import { temporaryStore, waitingPages } from "../../src/pull/store/page-store.ts";
import { type FakeRow, fakeRows, fakeService, problemError, texts } from "../helpers/fake-client.ts";

const DEFAULTS: PullOptions = { filters: {}, pageSize: 10, concurrency: 4, signal: new AbortController().signal };

const ROWS = [...fakeRows(40, "acme", "boots"), ...fakeRows(40, "acme", "coats"), ...fakeRows(40, "bolt", "hats")];

/** A sink, and the rows that it got. */
function memorySink(parts: Partial<RowSink> = {}) {
  const rows: string[] = [];
  const sink: RowSink = {
    write: async (batch) => void rows.push(...batch.texts()),
    restart: async () => {
      rows.length = 0;
      return true;
    },
    ...parts,
  };
  return { sink, rows };
}

test("a pull without an observer reads everything, also if its cursor is refused and the set changes", async () => {
  const service = fakeService(ROWS);
  let pages = 0;
  service.before = (request) => {
    pages += request === "coverage" ? 0 : 1;
    if (pages === 3 && request !== "coverage") {
      throw problemError("invalid_cursor");
    }
    if (pages === 6 && service.rows.length === 120) {
      service.rows.push({ ...(ROWS[0] as FakeRow), product_id: "added" });
    }
  };
  const { sink, rows } = memorySink();
  const result = await pull(service.client, sink, { ...DEFAULTS, concurrency: 1 });
  expect([result.rows, rows.sort()]).toEqual([121, texts(service.rows).sort()]);
});

test("a store of waiting pages has none when they were passed on", async () => {
  const store = waitingPages();
  const { sink, rows } = memorySink();
  await pull(fakeService(ROWS).client, sink, { ...DEFAULTS, store });
  const left = store.size();
  await store.close();
  expect([rows.sort(), left]).toEqual([texts(ROWS).sort(), 0]);
});

test("a sink learns which days were written, if the set is cut by days", async () => {
  const days: string[] = [];
  const { sink, rows } = memorySink({
    daysWritten: async (day) => {
      expect([...rows].sort()).toEqual(texts(ROWS.filter(({ crawl_date }) => crawl_date < day)).sort());
      days.push(day);
    },
  });
  await pull(fakeService(ROWS).client, sink, { ...DEFAULTS, byDays: true, pageSize: 20, concurrency: 2 });
  expect(days).toEqual(["03", "04", "06", "07", "09", "10"].map((day) => `2026-01-${day}`));
});

test("pages of a service that does not report total_matching are read again from the store", async () => {
  const service = fakeService(ROWS);
  const { catalog } = service.client;
  const asked: number[] = [];
  service.client.catalog = async (...args) => {
    asked.push(args.length);
    const page = await catalog(...args);
    return { ...page, pagination: { ...page.pagination, total_matching: null } };
  };
  const store = temporaryStore();
  await pull(service.client, memorySink().sink, { ...DEFAULTS, store });
  asked.length = 0;
  const restarts: string[] = [];
  const { sink, rows } = memorySink();
  const observer = { onRestart: (reason: string) => void restarts.push(reason) };
  await pull(service.client, sink, { ...DEFAULTS, store, observer });
  await store.close();
  expect([rows.sort(), asked, restarts]).toEqual([texts(ROWS).sort(), [], []]);
});
