import type { CatalogClient } from "../../api/client.ts";
import { withFolderPrices } from "../../cli/source/folder-prices.ts";
import { type SyncedFolder, withSyncedFolder } from "../../cli/source/synced-folder.ts";
import type { Context } from "../../context.ts";
import type { Coverage } from "../../contract/coverage.ts";
import { combinationFilter, dayFilter } from "../../contract/filter-match.ts";
import { formatRcd, splitRcd } from "../../contract/filters.ts";
import { assertDaysInPlace } from "../../mirror/folder/day-files.ts";
import type { SyncState } from "../../mirror/folder/folder-state.ts";
import { rowFilter } from "../../mirror/folder/synced-day.ts";
import { brandIn, type Listings } from "../../mirror/prices/listings.ts";
import { summaryOf, withSets } from "../../pull/set-client.ts";
import type { SetFilters } from "../../pull/set-filters.ts";
import type { CoverageSource } from "./coverage-source.ts";
import type { DayCounts } from "./day-counts.ts";
import type { CoverageOptions } from "./options.ts";

/** Opens a folder of `catalog sync` as a source of counts. */
export async function withFolderSource(
  options: CoverageOptions,
  context: Context,
  use: (source: CoverageSource) => Promise<void>,
): Promise<void> {
  await withSyncedFolder(options, context, async (synced) => {
    const { folder, state, filters, brands, days, reporter, signal } = synced;
    await assertDaysInPlace(folder, state, days);
    const ofBrands =
      brands !== undefined || options.groupBy === "brand"
        ? await countBrands({ ...synced, days: Object.keys(state.days), isWanted: () => true }, context)
        : [];
    const all = brands === undefined ? countsOf(state) : sumOf(ofBrands);
    const isWanted = rowFilter(filters);
    await use({
      client: withSets(countingClient(all)),
      filters,
      service: folder,
      reporter,
      signal,
      days: async () => daysWith(all, isWanted),
      brands: () => brandCoverage(ofBrands, filters),
    });
  });
}

/** The rows that a test accepts, on the days that have such rows. */
function daysWith(all: DayCounts, isMatching: (rcd: string, day: string) => boolean): DayCounts {
  const found = [...all].map(([day, rows]) => {
    return [day, new Map([...rows].filter(([rcd]) => isMatching(rcd, day)))] as const;
  });
  return new Map(found.filter(([, rows]) => rows.size > 0));
}

/** The rows that the state of a folder counts. */
function countsOf(state: SyncState): DayCounts {
  return new Map(Object.entries(state.days).map(([day, { counts }]) => [day, new Map(Object.entries(counts))]));
}

/**
 * A client whose coverage (contract section 4.4) comes from counted days.
 *
 * @param days all days; the corpus rows of a combination are its rows on them
 */
export function countingClient(days: DayCounts): Pick<CatalogClient, "coverage"> {
  const corpus = new Map<string, number>();
  for (const counts of days.values()) {
    for (const [rcd, rows] of counts) {
      corpus.set(rcd, (corpus.get(rcd) ?? 0) + rows);
    }
  }
  // Each is split once: a large folder has the same 400 on each of 400 days.
  const combinations = [...corpus].map(([rcd, corpus_rows]) => ({ rcd, corpus_rows, ...splitRcd(rcd) }));
  return {
    coverage: async (filters) => {
      const isInDates = dayFilter(filters);
      const entries = new Map(combinations.filter(combinationFilter(filters)).map((one) => [one.rcd, entryOf(one)]));
      for (const [day, counts] of [...days].filter(([name]) => isInDates(name))) {
        for (const [rcd, rows] of counts) {
          const entry = entries.get(rcd);
          if (entry !== undefined) {
            entry.matching_rows += rows;
            entry.earliest_date = day < entry.earliest_date ? day : entry.earliest_date;
            entry.latest_date = day > entry.latest_date ? day : entry.latest_date;
          }
        }
      }
      const data = [...entries.values()].filter(({ matching_rows }) => matching_rows > 0);
      const none = { retailer: null, category: null, department: null, rcd: null, start_date: null, end_date: null };
      return { data, meta: { request_id: "", resolved: { ...none, ...filters }, coverage: summaryOf(data) } };
    },
  };
}

/** The coverage of a combination before any day is counted. */
function entryOf({ retailer, department, category, rcd, corpus_rows }: Omit<Coverage, keyof typeof NO_DAY>): Coverage {
  return { retailer, department, category, rcd, corpus_rows, ...NO_DAY };
}

const NO_DAY = { matching_rows: 0, earliest_date: "9999-12-31", latest_date: "" };

/** The rows of each brand by day and combination. */
type BrandCounts = readonly (readonly [brand: string, days: DayCounts])[];

/** Counts the rows of brands by the prices of a folder: its state does not know them. */
async function countBrands(synced: SyncedFolder, context: Context): Promise<BrandCounts> {
  const { own_days: _, ...filters } = synced.filters;
  return await withFolderPrices({ ...synced, filters }, context, async ({ listings, days }) => {
    const { pairs, pairOf } = brandPairs(listings);
    const brands = new Map<string, Map<string, Map<string, number>>>();
    for await (const { day, rows, listing } of days()) {
      const counts = new Uint32Array(pairs.length);
      for (let row = 0; row < rows; row += 1) {
        const pair = pairOf[listing[row] ?? 0] ?? 0;
        counts[pair] = (counts[pair] ?? 0) + 1;
      }
      for (const [number, { brand, rcd }] of pairs.entries()) {
        const count = counts[number] ?? 0;
        if (count > 0) {
          const ofBrand = brands.get(brand) ?? new Map<string, Map<string, number>>();
          const ofDay = ofBrand.get(day) ?? new Map<string, number>();
          brands.set(brand, ofBrand.set(day, ofDay.set(rcd, count)));
        }
      }
    }
    return [...brands];
  });
}

/** The pairs of a brand and a combination, and that of each listing: there are far fewer pairs than listings. */
function brandPairs({ listings, combinations, combination, modelOf }: Listings) {
  const rcds = combinations.map(formatRcd);
  const pairs: { brand: string; rcd: string }[] = [];
  const numbers = rcds.map(() => new Map<string, number>());
  const pairOf = new Uint32Array(listings).map((_, listing) => {
    const at = combination[listing] ?? 0;
    const brand = brandIn(modelOf(listing));
    const known = numbers[at]?.get(brand) ?? pairs.push({ brand, rcd: rcds[at] ?? "" }) - 1;
    numbers[at]?.set(brand, known);
    return known;
  });
  return { pairs, pairOf };
}

async function brandCoverage(counts: BrandCounts, filters: SetFilters): ReturnType<CoverageSource["brands"]> {
  const found = await Promise.all(
    counts.map(async ([brand, days]) => {
      const { data } = await withSets(countingClient(days)).coverage(filters);
      return data.map((entry) => ({ ...entry, brand }));
    }),
  );
  return found.flat();
}

/** The rows of all brands together. */
function sumOf(counts: BrandCounts): DayCounts {
  const sum = new Map<string, Map<string, number>>();
  for (const [day, rows] of counts.flatMap(([, days]) => [...days])) {
    const ofDay = sum.get(day) ?? new Map<string, number>();
    for (const [rcd, count] of rows) {
      ofDay.set(rcd, (ofDay.get(rcd) ?? 0) + count);
    }
    sum.set(day, ofDay);
  }
  return sum;
}
