import type { Prices } from "../mirror/prices/day-prices.ts";

export interface FoundProduct {
  retailer: string;
  sku: string;
  title: string;
}

/**
 * Products with each of the words in title, brand, model number or sku, in any order and any case. Those that
 * were seen last come first. The newest row of a product counts. Memory: 12 bytes a product.
 */
export async function searchProducts({ listings, days }: Prices, words: readonly string[]): Promise<FoundProduct[]> {
  /** For each product its newest row: the listing and the number of the day, both from 1 on, and the row in the day. */
  const perProduct = () => new Uint32Array(listings.products);
  const [listingOf, dayOf, rowOf] = [perProduct(), perProduct(), perProduct()];
  let number = 0;
  for await (const { rows, listing: column } of days()) {
    number += 1;
    // Backwards, so that the first of several rows of a product on one day counts.
    for (let row = rows - 1; row >= 0; row -= 1) {
      const listing = column[row] ?? 0;
      const product = listings.product[listing] ?? 0;
      listingOf[product] = listing + 1;
      dayOf[product] = number;
      rowOf[product] = row;
    }
  }
  const folded = words.map(fold);
  const found: number[] = [];
  for (const [product, listing] of listingOf.entries()) {
    if (listing > 0) {
      const texts = [listings.titleOf, listings.modelOf, listings.skuOf].map((textOf) => textOf(listing - 1));
      // A word contains no line break, so it cannot be found across two texts.
      const text = fold(texts.join("\n"));
      if (folded.every((word) => text.includes(word))) {
        found.push(product);
      }
    }
  }
  const at = (column: Uint32Array, product: number) => column[product] ?? 0;
  return found
    .sort((a, b) => at(dayOf, b) - at(dayOf, a) || at(rowOf, a) - at(rowOf, b))
    .map((product) => {
      const listing = at(listingOf, product) - 1;
      const { retailer = "" } = listings.combinations[listings.combination[listing] ?? 0] ?? {};
      return { retailer, sku: listings.skuOf(listing), title: listings.titleOf(listing) };
    });
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}
