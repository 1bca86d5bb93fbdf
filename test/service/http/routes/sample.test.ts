import { expect, test } from "vitest";
import type { Product } from "../../../../src/contract/product.ts";
import { product, products } from "../../../helpers/products.ts";
import { startTestService } from "../../../helpers/service.ts";

test("the sample of a small set has all its rows, in an envelope without limit and total", async () => {
  const service = await startTestService({ rows: products(2) });

  const { body } = await service.get("/v1/sample");

  expect(body).toEqual({
    data: [product({ sku: "sku-0000" }), product({ sku: "sku-0001" })],
    pagination: { next_cursor: null, has_more: false },
    meta: {
      request_id: expect.stringMatching(/^req_[\w-]{24}$/),
      resolved: { retailer: null, category: null, department: null, rcd: null, start_date: null, end_date: null },
      coverage: {
        combinations: 1,
        matching_rows: 2,
        corpus_rows: 2,
        earliest_date: "2026-01-15",
        latest_date: "2026-01-15",
      },
    },
  });
});

test("the sample of a large set is 100 rows spread evenly over it", async () => {
  const service = await startTestService({ rows: products(1_000) });

  const { body } = await service.get("/v1/sample");

  expect(body.data.map(({ sku }: Product) => sku)).toEqual(
    Array.from({ length: 100 }, (_, index) => `sku-${String(index * 10).padStart(4, "0")}`),
  );
});
