import { Readable } from "node:stream";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Plan } from "../../src/pull/plan.ts";
import { pull } from "../../src/pull/pull.ts";
import type { PullOptions } from "../../src/pull/pull-options.ts";
import { temporaryStore } from "../../src/pull/store/open-store.ts";
import type { PageStore } from "../../src/pull/store/page-store.ts";
import type { RowBatch } from "../../src/rows/batch.ts";
import { loadRows } from "../../src/service/load/load-rows.ts";
import { product } from "../helpers/products.ts";
import { startTestService, type TestService } from "../helpers/service.ts";
import { testClient } from "../helpers/test-client.ts";

/** As many rows of each combination and day for any title. */
function rowsOf(title: string) {
  const categories = ["boots", "coats", "hats"];
  return Array.from({ length: 60 }, (_, index) =>
    product({ sku: `sku-${index + 10}`, category: categories[index % 3] ?? "", title }),
  );
}

async function replaceAll(service: TestService, title: string) {
  const lines = rowsOf(title).map((row) => Buffer.from(`${JSON.stringify(row)}\n`));
  const source = { name: "rows.ndjson", stream: Readable.from(lines) };
  return await loadRows(service.store, source, { replacement: "same-ids" });
}

interface Reading {
  kind?: "file" | "stream";
  store?: PageStore;
  onPage?: () => Promise<void>;
}

/** Pulls everything, and returns the titles of its rows. */
async function titles(service: TestService, options: Partial<PullOptions> = {}, reading: Reading = {}) {
  const { kind = "stream", onPage = async () => {} } = reading;
  const { client: plain } = testClient(new URL(service.url), { apiKey: service.key });
  const client: typeof plain = {
    ...plain,
    catalog: async (...request) => {
      const page = await plain.catalog(...request);
      await onPage();
      return page;
    },
  };
  await using own = temporaryStore();
  const signal = new AbortController().signal;
  const found = new Set<string>();
  const write = async (rows: RowBatch) => {
    for (const text of rows.texts()) {
      found.add(JSON.parse(text).title);
    }
  };
  try {
    await pull(client, reading.store ?? own.pages, {
      ...{ filters: {}, pageSize: 10, concurrency: 1, isStreamed: kind === "stream", write, signal },
      ...options,
    });
  } finally {
    await client.close();
  }
  return [...found];
}

test("all slices are of the version of the coverage, also if each row is replaced by another one meanwhile", async () => {
  const service = await startTestService({ rows: rowsOf("first") });
  let replaced = 0;
  const replace = async () => {
    replaced += (await replaceAll(service, "second")).added;
  };
  expect(await titles(service, { observer: { onCoverage: replace } })).toEqual(["first"]);
  expect(replaced).toBe(60);
  expect(await titles(service)).toEqual(["second"]);
});

test("without the rows of that version, and for a version that never was, the newest one is read", async () => {
  const service = await startTestService({ rows: rowsOf("first") });
  const removed = async () => {
    await service.replaceRows(rowsOf("second"));
  };
  expect(await titles(service, { observer: { onCoverage: removed } })).toEqual(["second"]);

  const newest = (await service.get("/v1/coverage")).headers.get("data-version");
  for (const asked of ["1", "999999999999999", "-1", "1e3", "x".repeat(500)]) {
    const { status, headers } = await service.get("/v1/catalog", { headers: { "data-version": asked } });
    expect({ status, dataVersion: headers.get("data-version") }).toEqual({ status: 200, dataVersion: newest });
  }
});

describe("if the service loses the version when rows are out, although no count has changed,", () => {
  /** A service that loses its rows after some pages. */
  async function losing(after: number) {
    const service = await startTestService({ rows: rowsOf("first") });
    let pages = 0;
    const onPage = async () => {
      pages += 1;
      await (pages === after ? service.replaceRows(rowsOf("second")) : undefined);
    };
    return { service, onPage };
  }

  test.each([1, 2, 3, 4, 5])("a file gets the newest one (after page %i)", async (after) => {
    const { service, onPage } = await losing(after);
    expect(await titles(service, {}, { onPage, kind: "file" })).toEqual(["second"]);
  });

  test.each([3, 4, 5])("a stream that has rows is given up (after page %i)", async (after) => {
    const { service, onPage } = await losing(after);
    await expect(titles(service, {}, { onPage })).rejects.toThrow("the set changed while it was read");
  });
});

describe("a pull that goes on with the pages of an earlier one", () => {
  /** A store with some of the pages of a pull that failed. */
  async function begun(service: TestService): Promise<PageStore> {
    const { pages: store, ...opened } = temporaryStore();
    onTestFinished(() => opened[Symbol.asyncDispose]());
    const fail = () => {
      throw new Error("the disk is full");
    };
    const observer = { onRows: (rows: number) => rows > 0 && fail() };
    await expect(titles(service, { observer }, { store, kind: "file" })).rejects.toThrow("disk");
    expect({ keepsPages: store.size() > 0, lacksPages: store.size() < 6 }).toEqual({
      keepsPages: true,
      lacksPages: true,
    });
    return store;
  }

  test("is of their version, also if each row is replaced by another one meanwhile", async () => {
    const service = await startTestService({ rows: rowsOf("first") });
    const store = await begun(service);
    expect((await replaceAll(service, "second")).added).toBe(60);
    const told = vi.fn();
    expect(await titles(service, { observer: { onRestart: told } }, { store, kind: "file" })).toEqual(["first"]);
    expect(told).not.toHaveBeenCalled();
  });

  test("reads them again if the service no longer has their version, although no count has changed", async () => {
    const service = await startTestService({ rows: rowsOf("first") });
    const store = await begun(service);
    expect(store.size()).toBe(1);
    await service.replaceRows(rowsOf("second"));
    const told = vi.fn();
    expect(await titles(service, { observer: { onRestart: told } }, { store, kind: "file" })).toEqual(["second"]);
    expect(told.mock.calls).toEqual([
      ["the service no longer has the version of the data of 1 page of an earlier run"],
    ]);
  });
});

test("no page is requested again, because each names the version of the coverage", async () => {
  const rows = Array.from({ length: 600 }, (_, index) => {
    return product({ sku: `sku-${index + 100}`, category: `category-${index % 30}` });
  });
  const service = await startTestService({ rows });
  const { client } = testClient(new URL(service.url), { apiKey: service.key });
  const asked: string[] = [];
  const counting: typeof client = {
    ...client,
    catalog: async (filters, page, signal) => {
      asked.push(JSON.stringify([filters, page]));
      return await client.catalog(filters, page, signal);
    },
  };
  const options = { filters: {}, pageSize: 10, concurrency: 4, signal: new AbortController().signal };
  let expected = 0;
  const onPlan = ({ pages }: Plan) => {
    expected = pages;
  };
  await using store = temporaryStore();
  let read = 0;
  const write = async ({ length }: RowBatch) => {
    read += length;
  };
  await pull(counting, store.pages, { ...options, write, observer: { onPlan } });
  await client.close();
  expect({ read, askedCount: asked.length, distinct: new Set(asked).size }).toEqual({
    read: 600,
    askedCount: expected,
    distinct: expected,
  });
});
