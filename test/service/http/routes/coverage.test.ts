import { expect, test } from "vitest";
import { product, products } from "../../../helpers/products.ts";
import { startTestService } from "../../../helpers/service.ts";

test("a combination shows all its rows and those inside the dates", async () => {
  const rows = ["2026-01-01", "2026-01-05", "2026-01-09"].map((crawl_date) => product({ crawl_date, sku: crawl_date }));
  const service = await startTestService({ rows });

  const { body } = await service.get("/v1/coverage?start_date=2026-01-02&end_date=2026-01-31");

  expect(body).toEqual({
    data: [
      {
        retailer: "acme",
        department: "home",
        category: "lamps",
        rcd: "acme:lamps:home",
        corpus_rows: 3,
        matching_rows: 2,
        earliest_date: "2026-01-05",
        latest_date: "2026-01-09",
      },
    ],
    pagination: { next_cursor: null, has_more: false },
    meta: {
      request_id: expect.stringMatching(/^req_[\w-]{24}$/),
      resolved: {
        retailer: null,
        category: null,
        department: null,
        rcd: null,
        start_date: "2026-01-02",
        end_date: "2026-01-31",
      },
      coverage: {
        combinations: 1,
        matching_rows: 2,
        corpus_rows: 3,
        earliest_date: "2026-01-05",
        latest_date: "2026-01-09",
      },
    },
  });
});

test("the rcd of an entry, unchanged, is the filter of its rows on every operation", async () => {
  const service = await startTestService({
    rows: [...products(3, { category: "lamps" }), ...products(2, { category: "chairs" })],
  });
  const { body } = await service.get("/v1/coverage?category=chairs");
  const { rcd } = body.data[0];

  for (const operation of ["sample", "catalog", "coverage"]) {
    const { body: filtered } = await service.get(`/v1/${operation}?rcd=${rcd}`);
    expect(filtered.meta.coverage.matching_rows).toBe(2);
    expect(filtered.meta.resolved.rcd).toBe(rcd);
  }
});
