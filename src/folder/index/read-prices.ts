import { FileError, InputError } from "../../contract/errors.ts";
import type { Rcd } from "../../contract/filters.ts";
import { closest } from "../../contract/values/closest.ts";
import { completeIndex, type IndexRequest, indexPathOf } from "./build-index.ts";
import { bytesOfRows, columnsIn, copyRow, type DayPrices, type Prices } from "./day-prices.ts";
import type { PriceIndex } from "./index-file.ts";
import { brandIn, type Listings } from "./listings.ts";

interface PricesRequest extends IndexRequest {
  /** What messages call the folder. */
  name: string;
  /** Whether the rows of a combination are read. */
  isWanted: (combination: Rcd) => boolean;
  /** The brands whose rows are read, in any letter case; undefined for all. */
  brands?: readonly string[] | undefined;
  /** Whether the rows of a retailer on a day are read; undefined if all days are those of every retailer. */
  isOfDay?: ((retailer: string, day: string) => boolean) | undefined;
}

/**
 * Reads prices of days of a synced folder; a day that the folder does not have is skipped.
 *
 * A day is read from its Parquet file once and kept in the folder's `.catalog/prices.index`, which may be removed at any
 * time. The index names the SHA-256 of the file, so that a day is read again after a sync has changed it. Memory: one day
 * and the listings.
 *
 * @throws FileError if a day's file is missing or was altered
 * @throws InputError if the folder has no product of a brand
 */
export async function withPrices<T>(request: PricesRequest, use: (prices: Prices) => Promise<T>): Promise<T> {
  const index = await completeIndex(request);
  try {
    return await use(pricesOf(index, request));
  } finally {
    await index.close();
  }
}

function pricesOf(index: PriceIndex, { folder, name, days, isWanted, brands, isOfDay, signal }: PricesRequest): Prices {
  const { listings } = index;
  const wantedDays = [...days].sort().flatMap((day) => index.days.get(day) ?? []);
  const mostRows = wantedDays.reduce((most, { rows }) => Math.max(most, rows), 0);
  const wanted = listings.combinations.map(isWanted);
  const ofBrands = brands === undefined ? undefined : listingsOf(brands, listings, name);
  const isWantedListing = Uint8Array.from(listings.combination, (combination, listing) =>
    wanted[combination] && ofBrands?.[listing] !== 0 ? 1 : 0,
  );
  const wantedOn = (day: string): Uint8Array => {
    if (isOfDay === undefined) {
      return isWantedListing;
    }
    const onDay = listings.combinations.map(({ retailer }) => isOfDay(retailer, day));
    return isWantedListing.map((isOne, listing) => (isOne && onDay[listings.combination[listing] ?? 0] ? 1 : 0));
  };
  const dayNames = ["", ...wantedDays.map(({ day }) => day)];
  return {
    listings,
    dayNames,
    days: async function* (first = "") {
      const bytes = new Uint8Array(bytesOfRows(mostRows));
      const place = new Uint32Array(mostRows);
      const dayNumber = new Uint32Array(mostRows);
      for (const { day, rows, at } of wantedDays.filter(({ day }) => day >= first)) {
        signal.throwIfAborted();
        await index.read(bytes.subarray(0, bytesOfRows(rows)), at);
        for (let row = 0; row < rows; row += 1) {
          place[row] = row;
        }
        dayNumber.fill(dayNames.indexOf(day));
        const prices = { day, rows, dayNumber, place, ...columnsIn(bytes, rows) };
        if (prices.listing.some((listing) => listing >= listings.listings)) {
          const path = indexPathOf(folder);
          throw new FileError(`${path} names products that it does not have; remove it, and it is made again`, path);
        }
        const isOne = wantedOn(day);
        yield isOne.includes(0) ? narrowed(prices, isOne) : prices;
      }
    },
  };
}

/** Marks the listings of brands with 1. */
function listingsOf(brands: readonly string[], { listings, modelOf }: Listings, name: string): Uint8Array {
  const brandOf = Array.from({ length: listings }, (_, listing) => brandIn(modelOf(listing)));
  const wanted = new Set(brandsNamed(brands, [...new Set(brandOf)], name));
  return Uint8Array.from(brandOf, (brand) => (wanted.has(brand) ? 1 : 0));
}

/** Moves the rows of wanted listings to the front. */
function narrowed(prices: DayPrices, isWantedListing: Uint8Array): DayPrices {
  let kept = 0;
  for (let row = 0; row < prices.rows; row += 1) {
    if (isWantedListing[prices.listing[row] ?? 0] === 1) {
      copyRow(prices, kept, prices, row);
      kept += 1;
    }
  }
  return { ...prices, rows: kept };
}

/**
 * The brands that are one of the wanted ones, in any letter case.
 *
 * @param known the brands of the folder
 * @param name what messages call the folder
 * @throws InputError with the closest brands if one of them is not known
 */
export function brandsNamed(wanted: readonly string[], known: readonly string[], name: string): string[] {
  const byKey = new Map<string, string[]>();
  for (const brand of known) {
    const key = folded(brand);
    byKey.set(key, [...(byKey.get(key) ?? []), brand]);
  }
  const missing = wanted.find((brand) => !byKey.has(folded(brand)));
  if (missing !== undefined) {
    throw new InputError(`${name} has no product of the brand ${JSON.stringify(missing)}.`, {
      ...{ input: "brand", value: missing },
      suggestions: closest(
        missing,
        [...byKey.values()].map((spellings) => spellings.at(-1) ?? ""),
      ),
    });
  }
  return wanted.flatMap((brand) => byKey.get(folded(brand)) ?? []);
}

function folded(text: string): string {
  return text.trim().normalize("NFKC").toLowerCase();
}
