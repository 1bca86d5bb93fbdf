import { Readable } from "node:stream";
import { expect, test } from "vitest";
import type { Plan } from "../../src/pull/plan.ts";
import { type PullOptions, pull } from "../../src/pull/pull.ts";
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

/** Pulls everything, with one page a slice. */
async function titles(service: TestService, options: Partial<PullOptions> = {}) {
  const { client } = testClient(new URL(service.url), { apiKey: service.key });
  const found = new Set<string>();
  const sink = {
    write: async (rows: { texts(): string[] }) => {
      for (const text of rows.texts()) {
        found.add(JSON.parse(text).title);
      }
    },
    restart: async () => false,
  };
  const signal = new AbortController().signal;
  const { slices } = await pull(client, sink, { filters: {}, pageSize: 10, concurrency: 1, signal, ...options });
  await client.close();
  expect(slices.length).toBeGreaterThan(2);
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
    expect([status, headers.get("data-version")]).toEqual([200, newest]);
  }
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
  const sink = { write: async () => undefined, restart: async () => false };
  const options = { filters: {}, pageSize: 10, concurrency: 4, signal: new AbortController().signal };
  let expected = 0;
  const onPlan = ({ requests }: Plan) => {
    expected = requests;
  };
  const { slices } = await pull(counting, sink, { ...options, observer: { onPlan } });
  await client.close();
  // Each slice has several pages.
  expect([slices.length, asked.length, new Set(asked).size, expected]).toEqual([30, 60, 60, 60]);
});
