import type { Context } from "../../cli/context.ts";
import { withFolderPrices } from "../../cli/source/folder-prices.ts";
import { type SyncedFolder, withSyncedFolder } from "../../cli/source/synced-folder.ts";
import type { CatalogClient } from "../../client/client.ts";
import type { Coverage } from "../../contract/coverage.ts";
import { combinationFilter, dayFilter } from "../../contract/filter-match.ts";
import { formatRcd, splitRcd } from "../../contract/filters.ts";
import { groupBy } from "../../contract/values/group-by.ts";
import { assertDaysInPlace } from "../../folder/day-files.ts";
import type { SyncState } from "../../folder/folder-state.ts";
import { brandIn, type Listings } from "../../folder/index/listings.ts";
import { rowFilter } from "../../folder/synced-day.ts";
import { splitLongFilters, summaryOf } from "../../pull/set-client.ts";
import type { SetFilters } from "../../pull/set-filters.ts";
import type { CoverageSource } from "./coverage-source.ts";
import type { DayCounts } from "./day-counts.ts";
import type { CoverageOptions } from "./options.ts";

/** The rows of a combination on a day, or of one brand of it. */
interface Count {
  day: string;
  rcd: string;
  brand?: string;
  rows: number;
}

/** Opens a folder of `catalog sync` as a source of counts. */
export async function withFolderSource(
  options: CoverageOptions,
  context: Context,
  use: (source: CoverageSource) => Promise<void>,
): Promise<void> {
  await withSyncedFolder(options, context, async (synced) => {
    const { folder, state, filters, brands, days, reporter, signal } = synced;
    await assertDaysInPlace(folder, state, days);
    const counts =
      brands !== undefined || options.groupBy === "brand"
        ? await countBrands({ ...synced, days: Object.keys(state.days), isWanted: () => true }, context)
        : countsOf(state);
    const isWanted = rowFilter(filters);
    const client = splitLongFilters(countingClient(counts));
    await use({
      client,
      coverage: () => client.coverage(filters),
      filters,
      service: folder,
      reporter,
      signal,
      days: async () => daysOf(counts.filter(({ rcd, day }) => isWanted(rcd, day))),
      brands: () => brandCoverage(counts, filters),
    });
  });
}

/** The rows that the state of a folder counts. */
function countsOf({ days }: SyncState): Count[] {
  return Object.entries(days).flatMap(([day, { counts }]) =>
    Object.entries(counts).map(([rcd, rows]) => ({ day, rcd, rows })),
  );
}

function daysOf(counts: readonly Count[]): DayCounts {
  const days = new Map<string, Map<string, number>>();
  for (const { day, rcd, rows } of counts) {
    const ofDay = days.get(day) ?? new Map<string, number>();
    days.set(day, ofDay.set(rcd, (ofDay.get(rcd) ?? 0) + rows));
  }
  return days;
}

/**
 * A client whose coverage (contract section 4.4) comes from counts.
 *
 * @param counts of all days; the corpus rows of a combination are its rows on them
 */
function countingClient(counts: readonly Count[]): Pick<CatalogClient, "coverage"> {
  const corpus = new Map<string, number>();
  for (const { rcd, rows } of counts) {
    corpus.set(rcd, (corpus.get(rcd) ?? 0) + rows);
  }
  // Each is split once: a large folder has the same 400 on each of 400 days.
  const combinations = [...corpus].map(([rcd, corpus_rows]) => ({ rcd, corpus_rows, ...splitRcd(rcd) }));
  return {
    coverage: async (filters) => {
      const isInDates = dayFilter(filters);
      const entries = new Map(combinations.filter(combinationFilter(filters)).map((one) => [one.rcd, entryOf(one)]));
      for (const { day, rcd, rows } of counts) {
        const entry = entries.get(rcd);
        if (entry !== undefined && isInDates(day)) {
          entry.matching_rows += rows;
          entry.earliest_date = day < entry.earliest_date ? day : entry.earliest_date;
          entry.latest_date = day > entry.latest_date ? day : entry.latest_date;
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

/** Counts the rows of brands by the prices of a folder: its state does not know them. */
async function countBrands(synced: SyncedFolder, context: Context): Promise<Count[]> {
  const { own_days: _, ...filters } = synced.filters;
  return await withFolderPrices({ ...synced, filters }, context, async ({ listings, days }) => {
    const { pairs, pairOf } = brandPairs(listings);
    const found: Count[] = [];
    for await (const { day, rows, listing } of days()) {
      const counts = new Uint32Array(pairs.length);
      for (let row = 0; row < rows; row += 1) {
        const pair = pairOf[listing[row] ?? 0] ?? 0;
        counts[pair] = (counts[pair] ?? 0) + 1;
      }
      for (const [number, pair] of pairs.entries()) {
        const count = counts[number] ?? 0;
        if (count > 0) {
          found.push({ day, ...pair, rows: count });
        }
      }
    }
    return found;
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

async function brandCoverage(counts: readonly Count[], filters: SetFilters): ReturnType<CoverageSource["brands"]> {
  const found = [...groupBy(counts, ({ brand = "" }) => brand)].map(async ([brand, own]) => {
    const { data } = await splitLongFilters(countingClient(own)).coverage(filters);
    return data.map((entry) => ({ ...entry, brand }));
  });
  return (await Promise.all(found)).flat();
}
