import { formatRcd, splitRcd } from "../../contract/filters.ts";
import type { Listings, PackedListings, TextColumn } from "./listings.ts";

/** The texts that all rows of one listing share. */
export interface ListingTexts {
  /** `retailer:category:department` */
  rcd: string;
  sku: string;
  currency: string;
  title: string;
  /** What `modelText` makes of the brand and the model number. */
  model: string;
}

/** Listings that grow while rows are read. The number of a listing never changes. */
export interface GrowingListings {
  /** The number of the listing of a row. */
  add(row: ListingTexts): number;
  pack(): PackedListings;
}

/** Most characters of all listings; no string can hold many more. */
const MOST_CHARACTERS = 256 * 1024 ** 2;

/**
 * Memory: about 250 bytes a listing.
 *
 * @throws Error, from `add`, if the texts are too long together
 */
export function growListings(known?: Listings): GrowingListings {
  const combinations = numbering();
  const currencies = numbering();
  const product: number[] = [];
  const combination: number[] = [];
  const currency: number[] = [];
  const skus: string[] = [];
  const titles: string[] = [];
  const models: string[] = [];
  /** The listing before it of the same product; -1 for the first. */
  const earlier: number[] = [];
  /** The newest listing of each product, by retailer and sku. */
  const newest = new Map<string, number>();
  const retailers: string[] = [];
  let products = 0;
  let characters = 0;

  const add = ({ rcd, sku, title, model, ...row }: ListingTexts): number => {
    const ofRow = combinations.numberOf(rcd);
    const itsCurrency = currencies.numberOf(row.currency);
    retailers[ofRow] ??= splitRcd(rcd).retailer;
    const key = `${retailers[ofRow]} ${sku}`;
    const last = newest.get(key) ?? -1;
    for (let listing = last; listing >= 0; listing = earlier[listing] ?? -1) {
      const isSame = combination[listing] === ofRow && currency[listing] === itsCurrency;
      if (isSame && titles[listing] === title && models[listing] === model) {
        return listing;
      }
    }
    characters += sku.length + title.length + model.length;
    if (characters > MOST_CHARACTERS) {
      throw new Error(`its products have more than ${MOST_CHARACTERS} characters of text`);
    }
    const listing = product.push(last < 0 ? products++ : (product[last] ?? 0)) - 1;
    combination.push(ofRow);
    currency.push(itsCurrency);
    skus.push(sku);
    titles.push(title);
    models.push(model);
    earlier.push(last);
    newest.set(key, listing);
    return listing;
  };
  if (known !== undefined) {
    for (let listing = 0; listing < known.listings; listing += 1) {
      const [sku, title, model] = [known.skuOf(listing), known.titleOf(listing), known.modelOf(listing)];
      add({ rcd: formatRcd(known.rcdOf(listing)), sku, currency: known.currencyOf(listing), title, model });
    }
  }
  return {
    add,
    pack: () => ({
      combinations: combinations.names().map(splitRcd),
      currencies: currencies.names(),
      product: Uint32Array.from(product),
      combination: Uint32Array.from(combination),
      currency: Uint32Array.from(currency),
      skus: textColumn(skus),
      titles: textColumn(titles),
      models: textColumn(models),
    }),
  };
}

/** Numbers each name once, from 0 in the order of its first use. */
function numbering() {
  const numbers = new Map<string, number>();
  return {
    numberOf: (name: string): number => {
      const known = numbers.get(name) ?? numbers.size;
      numbers.set(name, known);
      return known;
    },
    names: () => [...numbers.keys()],
  };
}

function textColumn(texts: readonly string[]): TextColumn {
  let end = 0;
  const ends = Uint32Array.from(texts, (text) => {
    end += Buffer.byteLength(text);
    return end;
  });
  return { bytes: Buffer.from(texts.join("")), ends };
}
