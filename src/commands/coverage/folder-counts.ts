import { checkBrandNames, indexMessages } from "../../cli/question/prepare-question.ts";
import type { SyncedFolder } from "../../cli/source/synced-folder.ts";
import { splitRcd } from "../../contract/filters.ts";
import { dayOf } from "../../contract/values/day-arithmetic.ts";
import { plural } from "../../contract/values/phrases.ts";
import { readRows } from "../../folder/ask/ask.ts";
import { daysBeingReplaced } from "../../folder/day-files.ts";
import type { SyncState } from "../../folder/folder-state.ts";
import { openPriceIndex } from "../../folder/index/update-index.ts";
import { rowFilter } from "../../folder/matching-days.ts";
import BRAND_COUNTS from "../../folder/questions/brand-counts.sql";
import { type SetFilters, sharedDays } from "../../pull/set-filters.ts";
import { type Counts, type DayRows, type Part, setOf, upToToday, withNewestOf } from "./counts.ts";
import type { CoverageOptions } from "./options.ts";

/** Counts what a folder has: by its state, or by its index if brands matter. */
export async function countFolder(
  synced: SyncedFolder,
  { groupBy, chart, page, brands }: CoverageOptions,
  now: number,
): Promise<Counts> {
  const { folder, state, filters, name, reporter } = synced;
  const replaced = await daysBeingReplaced(folder, state, synced.days);
  if (replaced.length > 0) {
    const what = `a sync of ${name} is replacing ${plural(replaced.length, "day")}, or was interrupted`;
    reporter.warn(`${what}; the counts are those before it`);
  }
  const isByBrand = groupBy === "brand";
  const counts = brands === undefined && !isByBrand ? countsOf(state) : await countBrands(synced, brands);
  const ask = (filters: SetFilters) => setOf(coverageOf(counts, filters));
  const set = groupBy === "day" ? ask(filters) : await upToToday(ask(filters), synced, now, ask);
  const parts = isByBrand ? brandsOf(counts, filters, now) : set.combinations;
  const { start_date, end_date, daysByRetailer: _, ...undatedFilters } = filters;
  const isDated = start_date !== undefined || end_date !== undefined;
  const undated = isDated ? coverageOf(counts, undatedFilters, isByBrand) : parts;
  const needsDays = groupBy === "day" || chart || page !== undefined;
  return {
    ...set,
    parts,
    undated,
    days: needsDays ? dayRowsOf(counts, filters) : [],
    newest: isDated ? setOf(undated).summary.latest_date : undefined,
  };
}

/** A combination, or a brand of it, with the rows of each of its days. A day may come twice. */
interface PartCounts {
  rcd: string;
  brand?: string;
  days: string[];
  rows: number[];
}

function countsOf({ days }: SyncState): PartCounts[] {
  const parts = new Map<string, PartCounts>();
  for (const [day, { counts }] of Object.entries(days)) {
    for (const [rcd, rows] of counts) {
      const part = parts.get(rcd) ?? { rcd, days: [], rows: [] };
      parts.set(rcd, part);
      part.days.push(day);
      part.rows.push(rows);
    }
  }
  return [...parts.values()];
}

/** Counts rows by brand from the index of a folder, because its state does not have brands. */
async function countBrands(
  { folder, state, signal, name, reporter }: SyncedFolder,
  brands: CoverageOptions["brands"],
): Promise<PartCounts[]> {
  await using index = await openPriceIndex({ folder, state, signal, ...indexMessages(reporter, name) });
  reporter.progress.clear();
  await checkBrandNames(index, brands, name);
  const found = await readRows(index, BRAND_COUNTS, { brands: brands ?? null });
  return found.map(([rcd, brand, counts]) => {
    const pairs = String(counts).split(/[ ,]/);
    return {
      rcd: String(rcd),
      brand: String(brand),
      days: pairs.filter((_, index) => index % 2 === 0),
      rows: pairs.filter((_, index) => index % 2 === 1).map(Number),
    };
  });
}

/**
 * The coverage of filters (contract section 4.4), by combination or by brand of one.
 *
 * @param counts of all days, which make the corpus rows
 */
function coverageOf(counts: readonly PartCounts[], filters: SetFilters, isByBrand = false): Part[] {
  const isWanted = rowFilter(filters);
  const parts = new Map<string, Part>();
  for (const { rcd, brand, days, rows } of counts) {
    const key = isByBrand ? `${rcd} ${brand}` : rcd;
    const part = parts.get(key) ?? { ...emptyPart(rcd), ...(isByBrand && { brand }) };
    parts.set(key, part);
    for (const [index, day] of days.entries()) {
      const count = rows[index] ?? 0;
      part.corpus_rows += count;
      if (isWanted(rcd, day)) {
        part.matching_rows += count;
        part.earliest_date = day < part.earliest_date ? day : part.earliest_date;
        part.latest_date = day > part.latest_date ? day : part.latest_date;
      }
    }
  }
  return [...parts.values()].filter(({ matching_rows }) => matching_rows > 0);
}

/** The rows of each day that the filters match. */
function dayRowsOf(counts: readonly PartCounts[], filters: SetFilters): DayRows[] {
  const isWanted = rowFilter(filters);
  const matching: DayRows[] = [];
  for (const { rcd, days, rows } of counts) {
    for (const [index, day] of days.entries()) {
      if (isWanted(rcd, day)) {
        matching.push({ day, rcd, rows: rows[index] ?? 0 });
      }
    }
  }
  return matching;
}

/** The brands of each combination. Days after today are the newest only of brands that have no other. */
function brandsOf(counts: readonly PartCounts[], filters: SetFilters, now: number): Part[] {
  const parts = coverageOf(counts, filters, true);
  const today = dayOf(now);
  return parts.some(({ latest_date }) => latest_date > today)
    ? withNewestOf(parts, coverageOf(counts, { ...filters, ...sharedDays(filters, { end_date: today }) }, true))
    : parts;
}

function emptyPart(rcd: string): Part {
  const { retailer, department, category } = splitRcd(rcd);
  const counts = { corpus_rows: 0, matching_rows: 0, earliest_date: "9999-12-31", latest_date: "" };
  return { retailer, department, category, rcd, ...counts };
}
