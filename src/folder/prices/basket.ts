import { groupBy } from "../../contract/values/group-by.ts";
import type { Prices } from "../index/day-prices.ts";
import type { Listings } from "../index/listings.ts";

/** So many pieces of one product. */
export interface WantedProduct {
  /** In any letter case. */
  sku: string;
  /** Undefined for every retailer that has the sku. */
  retailer: string | undefined;
  /** A decimal. */
  quantity: string;
}

/** A product of a basket at one retailer. */
export interface BasketItem {
  retailer: string;
  sku: string;
  quantity: string;
  /** The first day on which it has a price, `YYYY-MM-DD`; undefined if it has none. */
  firstDay: string | undefined;
}

/** The lowest price of a product on a day. */
export interface BasketPrice {
  item: BasketItem;
  price: number;
  currency: string;
}

export interface BasketDay {
  /** `YYYY-MM-DD`. */
  day: string;
  /** Those that have rows, also without a product of the basket. */
  retailers: readonly string[];
  /** Those of the products that were crawled. */
  prices: readonly BasketPrice[];
}

/** A basket with its prices. */
export interface Basket {
  /** Those without any price only if the basket names their retailer, and that has rows. */
  items: readonly BasketItem[];
  /** Oldest first. */
  days: readonly BasketDay[];
  /** Skus without any price. */
  missing: readonly string[];
}

/** Collects the prices of a basket. Memory: about 60 bytes a price. */
export async function collectBasket({ listings, days }: Prices, wanted: readonly WantedProduct[]): Promise<Basket> {
  const { product, combination, combinations, currencyOf } = listings;
  const itemOf = itemsByProduct(listings, wanted);
  const found: BasketDay[] = [];
  const seen = new Set<string>();
  for await (const { day, rows, listing, selling_price } of days()) {
    const isCrawled = new Uint8Array(combinations.length);
    /** The cheapest row of each product. */
    const cheapest = new Map<number, number>();
    for (let row = 0; row < rows; row += 1) {
      const one = listing[row] ?? 0;
      const number = product[one] ?? 0;
      isCrawled[combination[one] ?? 0] = 1;
      if (itemOf[number] !== undefined) {
        const best = cheapest.get(number);
        if (best === undefined || (selling_price[row] ?? 0) < (selling_price[best] ?? 0)) {
          cheapest.set(number, row);
        }
      }
    }
    const prices = [...cheapest].flatMap(([number, row]): BasketPrice[] => {
      const item = itemOf[number];
      const currency = currencyOf(listing[row] ?? 0);
      return item === undefined ? [] : [{ item, price: selling_price[row] ?? 0, currency }];
    });
    for (const { item } of prices) {
      item.firstDay ??= day;
    }
    const retailers = [...new Set(combinations.flatMap(({ retailer }, at) => (isCrawled[at] ? retailer : [])))];
    for (const retailer of retailers) {
      seen.add(retailer);
    }
    found.push({ day, retailers, prices });
  }
  const priced = [...new Set(itemOf)].flatMap((item) => (item?.firstDay === undefined ? [] : item));
  const has = groupBy(priced, ({ sku }) => sku.toLowerCase());
  const unpriced = wanted.flatMap(({ sku, retailer = "", quantity }) =>
    seen.has(retailer) && !has.get(sku.toLowerCase())?.some((item) => item.retailer === retailer)
      ? { sku, retailer, quantity, firstDay: undefined }
      : [],
  );
  const missing = new Set(wanted.flatMap(({ sku }) => (has.has(sku.toLowerCase()) ? [] : sku)));
  return { items: [...priced, ...unpriced], days: found, missing: [...missing].sort() };
}

/** The item of each product number that the basket wants, whether it has a price or not. */
function itemsByProduct(listings: Listings, wanted: readonly WantedProduct[]): (BasketItem | undefined)[] {
  const lines = groupBy(wanted, ({ sku }) => sku.toLowerCase());
  const items = new Array<BasketItem | undefined>(listings.products).fill(undefined);
  for (let listing = 0; listing < listings.listings; listing += 1) {
    const sku = listings.skuOf(listing);
    const some = lines.get(sku.toLowerCase());
    if (some !== undefined) {
      const { retailer } = listings.rcdOf(listing);
      const line = some.find((one) => one.retailer === undefined || one.retailer === retailer);
      items[listings.product[listing] ?? 0] ??= line && {
        ...{ retailer, sku, quantity: line.quantity },
        firstDay: undefined,
      };
    }
  }
  return items;
}
