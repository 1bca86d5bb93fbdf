import { expect, test } from "vitest";
import { SetChangedError } from "../../../src/contract/errors.ts";
import { type CompareOptions, type DiffSummary, diffDays } from "../../../src/folder/diff/compare.ts";
import type { Difference } from "../../../src/folder/diff/join.ts";
import { type FakeRow, fakeService } from "../../helpers/fake-client.ts";

const FROM = "2026-01-01";
const TO = "2026-01-02";

interface Listed extends FakeRow {
  title: string;
  mrp: number;
  selling_price: number;
  discount_pct: number;
  currency: string;
}

function listed(sku: string, crawl_date: string, selling_price: number, category = "shoes"): Listed {
  return {
    retailer: "acme",
    department: "fashion",
    category,
    crawl_date,
    sku,
    product_id: `${category}/${sku}/${crawl_date}/${selling_price}`,
    title: sku,
    mrp: 9,
    selling_price,
    discount_pct: 0,
    currency: "EUR",
  };
}

async function diff(
  service: ReturnType<typeof fakeService>,
  given: Partial<CompareOptions> = {},
): Promise<DiffSummary["products"] & { differences: unknown[] }> {
  const differences: Difference[] = [];
  const signal = new AbortController().signal;
  const options = { from: FROM, to: TO, filters: {}, pageSize: 2, concurrency: 2, signal, ...given };
  const { products } = await diffDays(service.client, options, async (batch) => {
    differences.push(...batch);
  });
  return {
    ...products,
    differences: differences.map(({ change, sku, from, to }) => [change, sku, from?.selling_price, to?.selling_price]),
  };
}

test("a product in two categories at one price is one product", async () => {
  const service = fakeService([listed("a", FROM, 1), listed("a", TO, 2), listed("a", TO, 2, "boots")]);
  expect(await diff(service)).toEqual({
    changed: 1,
    appeared: 0,
    vanished: 0,
    unchanged: 0,
    differences: [["changed", "a", "1", "2"]],
  });
});

test("if a product has several prices, equal ones are no difference and the others are paired, cheapest first", async () => {
  const service = fakeService([
    listed("a", FROM, 1),
    listed("a", FROM, 5, "boots"),
    listed("a", FROM, 3, "hats"),
    listed("a", TO, 10),
    listed("a", TO, 5, "socks"),
    listed("a", TO, 2, "boots"),
    listed("a", TO, 11, "hats"),
  ]);
  expect(await diff(service)).toMatchObject({
    changed: 1,
    differences: [
      ["changed", "a", "1", "2"],
      ["changed", "a", "3", "10"],
      ["changed", "a", undefined, "11"],
    ],
  });
});

test.each([{}, { rcd: "zeta:shoes:fashion,acme:shoes:fashion,acme:boots:fashion" }])(
  "retailers too large to be read together are compared one after another: %j",
  async (filters) => {
    const of = (retailer: string, row: Listed) => ({ ...row, retailer, product_id: `${retailer}/${row.product_id}` });
    const both = (retailer: string) => [of(retailer, listed("a", FROM, 1)), of(retailer, listed("a", TO, 2))];
    const service = fakeService([...both("zeta"), ...both("acme"), listed("b", TO, 3, "boots")]);
    expect(await diff(service, { filters, rowsAtOnce: 4 })).toEqual({
      changed: 2,
      appeared: 1,
      vanished: 0,
      unchanged: 0,
      differences: [
        ["changed", "a", "1", "2"],
        ["appeared", "b", undefined, "3"],
        ["changed", "a", "1", "2"],
      ],
    });
    expect(service.requests.filter((request) => request === "coverage")).toHaveLength(6);
  },
);

test("differences are in the order of skus, independent of the order of the categories", async () => {
  const service = fakeService([listed("b", TO, 1, "boots"), listed("c", TO, 1, "hats"), listed("a", TO, 1, "shoes")]);
  expect((await diff(service)).differences).toEqual([
    ["appeared", "a", undefined, "1"],
    ["appeared", "b", undefined, "1"],
    ["appeared", "c", undefined, "1"],
  ]);
});

test.each([{ mrp: 8 }, { selling_price: 8 }, { discount_pct: 8 }, { currency: "USD" }])(
  "a changed %j is a changed price",
  async (given) => {
    const service = fakeService([listed("a", FROM, 1), { ...listed("a", TO, 1), ...given }]);
    expect(await diff(service)).toMatchObject({ changed: 1, unchanged: 0 });
  },
);

test("rows added while a day is read are included or cause an error", async () => {
  const service = fakeService([listed("a", FROM, 1), listed("a", TO, 1), listed("b", TO, 1)]);
  let requests = 0;
  service.before = () => {
    requests += 1;
    if (requests === 4) {
      service.rows = [...service.rows, listed("c", TO, 1)];
    }
  };
  await expect(diff(service)).rejects.toThrow(SetChangedError);
});

test("a day that changes and changes back is compared correctly", async () => {
  const rows = Array.from({ length: 5 }, (_, index) => [
    listed(`p${index}`, FROM, 1),
    listed(`p${index}`, TO, 2),
  ]).flat();
  const service = fakeService(rows);
  let walks = 0;
  service.before = (request) => {
    walks += request.startsWith("catalog") ? 1 : 0;
    service.rows = walks === 2 ? rows.slice(2) : rows;
  };
  expect(await diff(service)).toMatchObject({ changed: 5, appeared: 0, vanished: 0, unchanged: 0 });
});
