import type { CatalogClient } from "../../api/client.ts";
import { withFolderPrices } from "../../cli/source/folder-prices.ts";
import { type SyncedFolder, withSyncedFolder } from "../../cli/source/synced-folder.ts";
import type { Context } from "../../context.ts";
import type { Coverage } from "../../contract/coverage.ts";
import { combinationFilter, dayFilter } from "../../contract/filter-match.ts";
import { formatRcd, type Rcd, splitRcd } from "../../contract/filters.ts";
import { assertDaysInPlace } from "../../mirror/folder/day-files.ts";
import type { DayState } from "../../mirror/folder/folder-state.ts";
import { combinationsOf } from "../../mirror/folder/synced-day.ts";
import { brandIn } from "../../mirror/prices/listings.ts";
import { summaryOf } from "../../pull/long-lists.ts";
import { ownDayFilter, type SetFilters, withOwnDays } from "../../pull/own-days.ts";
import type { CoverageSource } from "./coverage-source.ts";
import type { DayCounts } from "./day-counts.ts";
import type { BrandCoverage } from "./groups.ts";
import type { CoverageOptions } from "./options.ts";

/** Opens a folder of `catalog sync` as a source of counts. */
export async function withFolderSource<T>(
  options: CoverageOptions,
  context: Context,
  use: (source: CoverageSource) => Promise<T>,
): Promise<T> {
  return await withSyncedFolder({ ...options, folder: options.from }, context, async (synced) => {
    const { folder, state, filters, days, isWanted, reporter, signal } = synced;
    await assertDaysInPlace(folder, state, days);
    const all = new Map(Object.entries(state.days).map(([day, held]) => [day, rowsOf(held)]));
    const hasBrands = synced.brands !== undefined || options.groupBy === "brand";
    const ofBrands = hasBrands
      ? await countBrands({ ...synced, days: [...all.keys()], isWanted: () => true }, context)
      : [];
    if (synced.brands !== undefined) {
      return await use({ ...brandSource(ofBrands, filters), service: folder, reporter, signal });
    }
    const isOwnDay = ownDayFilter(filters);
    const wanted = new Map(
      days.map((day) => [day, rowsOf(state.days[day], (one) => isWanted(one) && isOwnDay(one.retailer, day))]),
    );
    return await use({
      ...{ client: withOwnDays(countingClient(all)), filters, service: folder, reporter, signal, isFolder: true },
      days: async () => wanted,
      brands: async () => brandCoverage(ofBrands, filters),
    });
  });
}

/** The rows of some combinations on a day. */
function rowsOf(day: Pick<DayState, "counts"> = { counts: {} }, isWanted: (combination: Rcd) => boolean = () => true) {
  const wanted = combinationsOf(day).filter(isWanted);
  return new Map(wanted.map((combination) => [formatRcd(combination), combination.rows]));
}

/**
 * A client whose coverage (contract section 4.4) comes from counted days.
 *
 * @param days all days; the corpus rows of a combination are its rows on them
 */
export function countingClient(days: DayCounts): Pick<CatalogClient, "coverage"> {
  const corpus = new Map<string, number>();
  for (const [rcd, rows] of [...days.values()].flatMap((counts) => [...counts])) {
    corpus.set(rcd, (corpus.get(rcd) ?? 0) + rows);
  }
  return {
    coverage: async (filters) => {
      const isInDates = dayFilter(filters);
      const isWanted = combinationFilter(filters);
      const found = new Map<string, Coverage>();
      for (const [day, counts] of [...days].filter(([name]) => isInDates(name))) {
        const wanted = combinationsOf({ counts: Object.fromEntries(counts) }).filter(isWanted);
        for (const { rows, retailer, category, department } of wanted) {
          const rcd = formatRcd({ retailer, category, department });
          const entry = found.get(rcd);
          found.set(rcd, {
            ...{ retailer, department, category, rcd, corpus_rows: corpus.get(rcd) ?? 0 },
            matching_rows: (entry?.matching_rows ?? 0) + rows,
            earliest_date: entry !== undefined && entry.earliest_date < day ? entry.earliest_date : day,
            latest_date: entry !== undefined && entry.latest_date > day ? entry.latest_date : day,
          });
        }
      }
      const data = [...found.values()];
      const none = { retailer: null, category: null, department: null, rcd: null, start_date: null, end_date: null };
      return { data, meta: { request_id: "", resolved: { ...none, ...filters }, coverage: summaryOf(data) } };
    },
  };
}

/** The rows of each brand by day and combination. */
type BrandCounts = readonly (readonly [brand: string, days: DayCounts])[];

/** Counts the rows of brands by the prices of a folder: its state does not know them. */
async function countBrands(synced: SyncedFolder, context: Context): Promise<BrandCounts> {
  const { own_days: _, ...filters } = synced.filters;
  return await withFolderPrices({ ...synced, filters }, context, async ({ listings, days }) => {
    const brands = new Map<string, Map<string, Map<string, number>>>();
    const rcds = listings.combinations.map(formatRcd);
    for await (const { day, rows, listing } of days()) {
      const counts = new Uint32Array(listings.listings);
      for (const one of listing.subarray(0, rows)) {
        counts[one] = (counts[one] ?? 0) + 1;
      }
      for (const [one, count] of counts.entries()) {
        if (count > 0) {
          const brand = brandIn(listings.modelOf(one));
          const ofBrand = brands.get(brand) ?? new Map<string, Map<string, number>>();
          const ofDay = ofBrand.get(day) ?? new Map<string, number>();
          const rcd = rcds[listings.combination[one] ?? 0] ?? "";
          brands.set(brand, ofBrand.set(day, ofDay.set(rcd, (ofDay.get(rcd) ?? 0) + count)));
        }
      }
    }
    return [...brands];
  });
}

async function brandCoverage(counts: BrandCounts, filters: SetFilters): Promise<BrandCoverage[]> {
  const found = await Promise.all(
    counts.map(async ([brand, days]) => {
      const { data } = await withOwnDays(countingClient(days)).coverage(filters);
      return data.map((entry) => ({ ...entry, brand }));
    }),
  );
  return found.flat();
}

/** A source that has the rows of some brands only. */
function brandSource(counts: BrandCounts, filters: SetFilters) {
  const sum = new Map<string, Map<string, number>>();
  for (const [day, rows] of counts.flatMap(([, days]) => [...days])) {
    const ofDay = sum.get(day) ?? new Map<string, number>();
    for (const [rcd, count] of rows) {
      ofDay.set(rcd, (ofDay.get(rcd) ?? 0) + count);
    }
    sum.set(day, ofDay);
  }
  const isWanted = combinationFilter(filters);
  const isInDates = dayFilter(filters);
  const isOwnDay = ownDayFilter(filters);
  const wanted = [...sum].flatMap(([day, rows]) => {
    const own = [...rows].filter(([rcd]) => isWanted(splitRcd(rcd)) && isOwnDay(splitRcd(rcd).retailer, day));
    return isInDates(day) && own.length > 0 ? [[day, new Map(own)] as const] : [];
  });
  return {
    client: withOwnDays(countingClient(sum)),
    filters,
    isFolder: true,
    days: async () => new Map(wanted),
    brands: () => brandCoverage(counts, filters),
  };
}
