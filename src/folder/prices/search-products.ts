import { closest } from "../../contract/values/closest.ts";
import { copyRow, filledRows, newColumns, type Prices } from "../index/day-prices.ts";
import type { Listings } from "../index/listings.ts";

export interface FoundProduct {
  retailer: string;
  sku: string;
  title: string;
}

/**
 * Products that match each of the words, in any order and any letter case (`wordTest`). Those that were seen last come
 * first. The newest row of a product counts. Memory: 36 bytes a product.
 */
export async function searchProducts({ listings, days }: Prices, words: readonly string[]): Promise<FoundProduct[]> {
  const newest = newColumns(listings.products);
  for await (const day of days()) {
    // Backwards, so that the first of several rows of a product on one day counts.
    for (let row = day.rows - 1; row >= 0; row -= 1) {
      copyRow(newest, listings.product[day.listing[row] ?? 0] ?? 0, day, row);
    }
  }
  const tests = words.map((word) => wordTest(fold(word), words.length === 1));
  const at = (column: Uint32Array, product: number) => column[product] ?? 0;
  return filledRows(newest)
    .filter((product) => {
      const listing = at(newest.listing, product);
      // A word contains no line break, so it cannot be found across two texts.
      const text = fold(`${listings.titleOf(listing)}\n${listings.modelOf(listing)}`);
      const sku = fold(listings.skuOf(listing));
      return tests.every((isMatch) => isMatch(text, sku));
    })
    .sort((a, b) => at(newest.dayNumber, b) - at(newest.dayNumber, a) || at(newest.place, a) - at(newest.place, b))
    .map((product) => {
      const listing = at(newest.listing, product);
      const { retailer } = listings.rcdOf(listing);
      return { retailer, sku: listings.skuOf(listing), title: listings.titleOf(listing) };
    });
}

type WordTest = (text: string, sku: string) => boolean;

/** Units that shops write without a space after a number. Not letters that also name a variant: `16e`, `13c`, `5g`. */
const UNITS = "(?:[kmgt]b|[km]?wh?|m?ah|[mck]?m|[mc]?l|k?g(?<!\\b\\dg)|mg|[mgk]?hz|v|inch(?:es)?|in|oz|lbs?|ft|pcs?)";

/**
 * Whether a word is in a text, which holds title, brand and model number, or is a sku or the beginning of one.
 *
 * - A number matches a whole word, with or without a unit: `256` is in `256 GB` and `256gb`, not in `1256` or `B256`. Among
 *   other words it is not the beginning of a sku: `nike 97` does not mean all skus of a shop that begin with 97.
 * - A word with a digit, such as a model number, matches from the beginning of a word, and not in the middle of a number:
 *   `ps5` is not in `caps5` or `ps50`.
 * - A word of letters matches anywhere, because many languages join words.
 *
 * All are folded.
 */
function wordTest(word: string, isAlone: boolean): WordTest {
  const isNumber = /^\p{Nd}+(?:[.,]\p{Nd}+)*$/u.test(word);
  const isOfSku = (sku: string) => sku === word || (sku.startsWith(word) && (isAlone || !isNumber));
  if (!/\p{Nd}/u.test(word)) {
    return (text, sku) => text.includes(word) || isOfSku(sku);
  }
  const literal = word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const begin = /^[\p{L}\p{N}]/u.test(word) ? "(?<![\\p{L}\\p{N}])(?<!\\p{Nd}[.,])" : "";
  const end = isNumber ? `${UNITS}?(?![\\p{L}\\p{N}])(?![.,]\\p{Nd})` : /\p{Nd}$/u.test(word) ? "(?!\\p{Nd})" : "";
  const pattern = new RegExp(`${begin}${literal}${end}`, "u");
  // The plain search is faster, and few texts pass it.
  return (text, sku) => (text.includes(word) && pattern.test(text)) || isOfSku(sku);
}

/** The skus that differ from `sku` in letter case only. */
export function sameSkus(listings: Listings, sku: string): string[] {
  const folded = fold(sku);
  return skusWhere(listings, (other) => other.length === sku.length && fold(other) === folded);
}

/** At most three skus that `sku` may be a slip of or the beginning of, best first. */
export function similarSkus(listings: Listings, sku: string): string[] {
  const folded = fold(sku);
  const third = Math.ceil(folded.length / 3);
  // Of three parts of a text, two slips leave one as it is.
  const parts = [folded.slice(0, third), folded.slice(third, 2 * third), folded.slice(2 * third)];
  const isNear = (other: string) => {
    const text = fold(other);
    return Math.abs(text.length - folded.length) <= 2
      ? parts.some((part) => part !== "" && text.includes(part))
      : text.startsWith(folded);
  };
  return closest(sku, skusWhere(listings, isNear));
}

function skusWhere({ listings, skuOf }: Listings, isWanted: (sku: string) => boolean): string[] {
  const found = new Set<string>();
  for (let listing = 0; listing < listings; listing += 1) {
    const sku = skuOf(listing);
    if (isWanted(sku)) {
      found.add(sku);
    }
  }
  return [...found];
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}
