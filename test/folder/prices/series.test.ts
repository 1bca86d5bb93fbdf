import { expect, test } from "vitest";
import { collectSeries } from "../../../src/folder/prices/series.ts";
import { priceDays } from "../../helpers/price-days.ts";

test("many products have the series that each of them has alone", async () => {
  const skus = Array.from({ length: 120 }, (_, index) => `sku-${index}`);
  const prices = priceDays(
    ["2026-01-01", "2026-01-02"].flatMap((day) =>
      skus.map((sku, index) => ({
        ...{ day, sku, retailer: index % 2 === 0 ? "acme" : "bolt" },
        ...{ selling_price: index, discount_pct: 0, currency: "EUR" },
      })),
    ),
  );
  const wanted = skus.slice(0, 110).map((sku) => ({ retailer: "acme", sku }));
  const alone = await Promise.all(wanted.map((one) => collectSeries(prices, [one])));
  expect(await collectSeries(prices, wanted)).toEqual(alone.flat());
  expect(alone.flat()).toHaveLength(55);
});
