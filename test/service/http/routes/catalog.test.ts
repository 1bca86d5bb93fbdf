import { expect, test } from "vitest";
import type { Product } from "../../../../src/contract/product.ts";
import { product, products } from "../../../helpers/products.ts";
import { sharedService, startTestService } from "../../../helpers/service.ts";

/** Three rows, for requests that change nothing. */
const shared = sharedService({ rows: products(3) });

test("the envelope has exactly the members of the contract", async () => {
  const { body } = await (await shared()).get("/v1/catalog?limit=2");

  expect(body).toEqual({
    data: [product({ sku: "sku-0000" }), product({ sku: "sku-0001" })],
    pagination: { limit: 2, total_matching: 3, next_cursor: expect.stringMatching(/^[\w-]+$/), has_more: true },
    meta: {
      request_id: expect.stringMatching(/^req_[\w-]{24}$/),
      resolved: { retailer: null, category: null, department: null, rcd: null, start_date: null, end_date: null },
      coverage: {
        combinations: 1,
        matching_rows: 3,
        corpus_rows: 3,
        earliest_date: "2026-01-15",
        latest_date: "2026-01-15",
      },
    },
  });
});

test("a page has 100 rows by default", async () => {
  const service = await startTestService({ rows: products(101) });

  const { body } = await service.get("/v1/catalog");

  expect({ dataCount: body.data.length, limit: body.pagination.limit }).toEqual({ dataCount: 100, limit: 100 });
});

test("a cursor of another service is refused", async () => {
  const [one, other] = [await startTestService({ rows: products(3) }), await startTestService({ rows: products(3) })];
  const { body } = await one.get("/v1/catalog?limit=1");

  const response = await other.get(`/v1/catalog?cursor=${body.pagination.next_cursor}`);

  expect(response.body.code).toBe("invalid_cursor");
});

test("by default, a cursor expires after an hour", async () => {
  let now = Date.parse("2026-01-01T00:00:00Z");
  const service = await startTestService({ rows: products(3), now: () => now });
  const { body } = await service.get("/v1/catalog?limit=1");
  const next = `/v1/catalog?limit=1&cursor=${body.pagination.next_cursor}`;

  now += 3_600_000;
  const inTime = await service.get(next);
  now += 1;
  const late = await service.get(next);

  expect({ inTimeStatus: inTime.status, lateStatus: late.status, code: late.body.code }).toEqual({
    inTimeStatus: 200,
    lateStatus: 400,
    code: "invalid_cursor",
  });
});

test("the lifetime of a cursor can be set", async () => {
  let now = Date.parse("2026-01-01T00:00:00Z");
  const service = await startTestService({ rows: products(3), cursorTtl: 5_000, now: () => now });
  const { body } = await service.get("/v1/catalog?limit=1");
  now += 5_001;

  expect((await service.get(`/v1/catalog?cursor=${body.pagination.next_cursor}`)).body.code).toBe("invalid_cursor");
});

test("a cursor is only a position: with other filters, it walks the other set without an error", async () => {
  const service = await startTestService({
    rows: [...products(5, { retailer: "acme" }), ...products(5, { retailer: "bolt" })],
  });
  const { body: first } = await service.get("/v1/catalog?limit=2&retailer=acme");

  const { status, body } = await service.get(
    `/v1/catalog?limit=2&retailer=bolt&cursor=${first.pagination.next_cursor}`,
  );

  expect(status).toBe(200);
  expect(body.data.map(({ retailer, sku }: Product) => [retailer, sku])).toEqual([
    ["bolt", "sku-0002"],
    ["bolt", "sku-0003"],
  ]);

  const back = await service.get(`/v1/catalog?limit=1&retailer=acme&cursor=${body.pagination.next_cursor}`);
  expect(back.body.data.map(({ retailer, sku }: Product) => [retailer, sku])).toEqual([["acme", "sku-0004"]]);
});

test("a filter changed in mid-walk may be one that the data got after the walk began", async () => {
  const service = await startTestService({ rows: products(5, { retailer: "acme" }) });
  const { body: first } = await service.get("/v1/catalog?limit=2&retailer=acme");
  const change = (filter: string) => service.get(`/v1/catalog?${filter}&cursor=${first.pagination.next_cursor}`);

  await service.addRows(products(5, { retailer: "bolt" }));
  const [known, unknown] = [await change("retailer=bolt"), await change("retailer=nobody")];

  expect({ status: known.status, data: known.body.data, has_more: known.body.pagination.has_more }).toEqual({
    status: 200,
    data: [],
    has_more: false,
  });
  expect({ code: unknown.body.code, valid_options: unknown.body.valid_options }).toEqual({
    code: "unknown_retailer",
    valid_options: ["acme", "bolt"],
  });
});

test("a position beyond the end of the other set is an empty last page", async () => {
  const service = await startTestService({
    rows: [...products(5, { retailer: "acme" }), ...products(1, { retailer: "bolt" })],
  });
  const { body: first } = await service.get("/v1/catalog?limit=3&retailer=acme");

  const { body } = await service.get(`/v1/catalog?retailer=bolt&cursor=${first.pagination.next_cursor}`);

  expect({ data: body.data, pagination: body.pagination }).toEqual({
    data: [],
    pagination: { limit: 100, total_matching: 1, next_cursor: null, has_more: false },
  });
});

test("a walk that began before a load continues without the new rows, and a new walk has them", async () => {
  const service = await startTestService({ rows: products(4) });
  const { body: first } = await service.get("/v1/catalog?limit=2");

  await service.addRows([product({ sku: "sku-0000-b" }), product({ sku: "sku-0009", category: "chairs" })]);
  const { body: second } = await service.get(`/v1/catalog?limit=2&cursor=${first.pagination.next_cursor}`);
  const { body: again } = await service.get("/v1/catalog");

  expect([...first.data, ...second.data]).toEqual(products(4));
  expect(second.pagination).toEqual({ limit: 2, total_matching: 4, next_cursor: null, has_more: false });
  expect(second.meta.coverage).toEqual(first.meta.coverage);
  expect(again.data).toHaveLength(6);
});

test("a cursor to rows that are no longer stored is refused", async () => {
  const service = await startTestService({ rows: products(4) });
  const { body: first } = await service.get("/v1/catalog?limit=2");

  await service.replaceRows(products(5));

  const { body } = await service.get(`/v1/catalog?cursor=${first.pagination.next_cursor}`);
  expect(body).toMatchObject({
    code: "invalid_cursor",
    detail: "The data was replaced after the cursor was issued.",
  });
});

test("a selection without rows is an empty page with an empty summary", async () => {
  const service = await startTestService({ rows: products(4) });

  const { status, body } = await service.get("/v1/catalog?start_date=2030-01-01");

  expect({ status, data: body.data, pagination: body.pagination, coverage: body.meta.coverage }).toEqual({
    status: 200,
    data: [],
    pagination: { limit: 100, total_matching: 0, next_cursor: null, has_more: false },
    coverage: { combinations: 0, matching_rows: 0, corpus_rows: 0, earliest_date: null, latest_date: null },
  });
});

test("rows are sent as they were stored, digit for digit", async () => {
  const row = product({ title: 'a "b", <c>\u2028\ud83d\ude00\\ \u0007', color: null });
  const stored = JSON.stringify(row).replace('"mrp":20', '"mrp":19.90').replace('"a ', '"\\u0061 ');
  const service = await startTestService({ rows: [stored] });

  const { text } = await service.get("/v1/catalog");

  expect(text.startsWith(`{"data":[${stored}],"pagination":`)).toBe(true);
});

test("each response names the version of its data, and a first page may ask for an earlier one", async () => {
  const service = await startTestService({ rows: products(3) });
  const before = await service.get("/v1/catalog?limit=2");
  const version = before.headers.get("data-version") ?? "";
  await service.addRows(products(2, { retailer: "bolt" }));

  const [now, earlier] = [
    await service.get("/v1/coverage"),
    await service.get("/v1/coverage", { headers: { "data-version": version } }),
  ];

  expect(version).toMatch(/^\d+$/);
  expect(Number(now.headers.get("data-version"))).toBeGreaterThan(Number(version));
  expect([now, earlier].map(({ body }) => body.meta.coverage.matching_rows)).toEqual([5, 3]);
  expect(earlier.headers.get("data-version")).toBe(version);
});
