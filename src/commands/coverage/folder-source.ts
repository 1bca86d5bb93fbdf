import type { Context } from "../../cli/context.ts";
import { checkBrandNames, indexMessages } from "../../cli/question/question-prices.ts";
import { openSyncedFolder, type SyncedFolder } from "../../cli/source/synced-folder.ts";
import type { CatalogClient } from "../../client/client.ts";
import type { Coverage } from "../../contract/coverage.ts";
import { summaryOf } from "../../contract/coverage.ts";
import { combinationFilter, dayFilter } from "../../contract/filter-match.ts";
import { splitRcd } from "../../contract/filters.ts";
import { groupBy } from "../../contract/values/group-by.ts";
import { plural } from "../../contract/values/phrases.ts";
import { readRows } from "../../folder/ask/ask.ts";
import { daysBeingReplaced } from "../../folder/day-files.ts";
import type { SyncState } from "../../folder/folder-state.ts";
import { openPriceIndex } from "../../folder/index/price-index.ts";
import { rowFilter } from "../../folder/synced-day.ts";
import { splitLongFilters } from "../../pull/set-client.ts";
import type { SetFilters } from "../../pull/set-filters.ts";
import type { CoverageSource } from "./coverage-source.ts";
import type { DayCounts } from "./day-counts.ts";
import type { CoverageOptions } from "./options.ts";

/** The number of rows of a combination on a day, or of one of its brands. */
interface Count {
  day: string;
  rcd: string;
  brand?: string;
  rows: number;
}

/** Opens a folder of `catalog sync` as a source of counts. */
export async function openFolderSource(options: CoverageOptions, context: Context): Promise<CoverageSource> {
  const synced = await openSyncedFolder(options, context);
  const { folder, state, filters, brands, days, name, reporter, signal } = synced;
  try {
    const replaced = await daysBeingReplaced(folder, state, days);
    if (replaced.length > 0) {
      const what = `a sync of ${name} is replacing ${plural(replaced.length, "day")}, or was interrupted`;
      reporter.warn(`${what}; the counts are from before that`);
    }
    const counts = brands !== undefined || options.groupBy === "brand" ? await countBrands(synced) : countsOf(state);
    const isWanted = rowFilter(filters);
    const client = splitLongFilters(countingClient(counts));
    return {
      client,
      coverage: () => client.coverage(filters),
      filters,
      service: folder,
      reporter,
      signal,
      days: async () => daysOf(counts.filter(({ rcd, day }) => isWanted(rcd, day))),
      brands: (some) => brandCoverage(counts, some),
      [Symbol.asyncDispose]: async () => synced[Symbol.dispose](),
    };
  } catch (error) {
    synced[Symbol.dispose]();
    throw error;
  }
}

/** The counts in the state of a folder. */
function countsOf({ days }: SyncState): Count[] {
  return Object.entries(days).flatMap(([day, held]) => [...held.counts].map(([rcd, rows]) => ({ day, rcd, rows })));
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
  // Split once each: in a large folder, the same 400 combinations appear on each of 400 days.
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

/** Counts rows by brand from the index of a folder, because its state does not have brands. */
async function countBrands({ folder, state, signal, name, brands, reporter }: SyncedFolder): Promise<Count[]> {
  await using index = await openPriceIndex({ folder, state, signal, ...indexMessages(reporter, name) });
  reporter.progress.clear();
  await checkBrandNames(index, brands, name);
  // The days of a combination in one text: a row for each would take most of the time.
  const sql = `WITH counted AS (
      SELECT retailer || ':' || category || ':' || department AS rcd, brand.brand, day, sum(rows) AS rows
      FROM row_count JOIN brand ON brand.brand_key = lower(trim(row_count.brand))
      WHERE $brands IS NULL OR list_contains([lower(trim(name)) FOR name IN $brands::VARCHAR[]], brand.brand_key)
      GROUP BY ALL
    )
    SELECT rcd, brand, string_agg(day || ' ' || rows, ',' ORDER BY day) FROM counted GROUP BY ALL`;
  const found = await readRows(index, sql, { brands: brands ?? null });
  return found.flatMap(([rcd, brand, counts]) =>
    String(counts)
      .split(",")
      .map((count) => {
        const [day = "", rows] = count.split(" ");
        return { day, rcd: String(rcd), brand: String(brand), rows: Number(rows) };
      }),
  );
}

async function brandCoverage(counts: readonly Count[], filters: SetFilters): ReturnType<CoverageSource["brands"]> {
  const found = [...groupBy(counts, ({ brand = "" }) => brand)].map(async ([brand, own]) => {
    const { data } = await splitLongFilters(countingClient(own)).coverage(filters);
    return data.map((entry) => ({ ...entry, brand }));
  });
  return (await Promise.all(found)).flat();
}
