import type { Coverage, CoverageSummary } from "../../../contract/coverage.ts";
import { type Filters, formatRcd, type Rcd } from "../../../contract/filters.ts";
import type { Selection, Visibility } from "../store.ts";
import type { ColumnIndex, VersionExtent } from "./column-index.ts";

const FIRST_DAY = 0;
const LAST_DAY = 9999_12_31;

interface CombinationTally {
  matching: number;
  earliest: number;
  latest: number;
}

/** The rows of one version of the data. */
export interface VersionRows extends Pick<VersionExtent, "lastId" | "place"> {
  total: number;
  /** Number of rows of each combination of the vocabulary. */
  corpusRows: Uint32Array;
}

/** Counts the rows of a version. */
export function countRows(index: ColumnIndex, { lastId, place }: Pick<VersionExtent, "lastId" | "place">): VersionRows {
  const { ids, combinations, vocabulary } = index;
  const corpusRows = new Uint32Array(vocabulary.length);
  let total = 0;
  for (let position = 0; position < ids.length; position += 1) {
    if (isInVersion(index, position, lastId, place)) {
      const number = combinations[position] ?? 0;
      corpusRows[number] = (corpusRows[number] ?? 0) + 1;
      total += 1;
    }
  }
  return { lastId, place, total, corpusRows };
}

function isInVersion({ ids, removals }: ColumnIndex, position: number, lastId: number, place: number): boolean {
  return (ids[position] ?? 0) <= lastId && (removals.length === 0 || (removals[position] ?? 0) > place);
}

/** Computes a selection in one pass over the columns, and a second pass for the ids if not all rows match. */
export function selectRows(index: ColumnIndex, rows: VersionRows, filters: Filters, visible: Visibility): Selection {
  const isWanted = combinationTest(filters, visible);
  const wanted = Uint8Array.from(index.vocabulary, (combination) => (isWanted(combination) ? 1 : 0));
  const first = filters.start_date === undefined ? FIRST_DAY : compactDay(filters.start_date);
  const last = filters.end_date === undefined ? LAST_DAY : compactDay(filters.end_date);
  const criteria = { wanted, first, last, lastId: rows.lastId, place: rows.place };
  const tallies = tally(index, criteria);
  const coverage = index.vocabulary.flatMap((rcd, number) => {
    const counted = tallies[number];
    return counted === undefined || counted.matching === 0
      ? []
      : [coverageEntry(rcd, counted, rows.corpusRows[number] ?? 0)];
  });
  const summary = summarise(coverage);
  const ids =
    summary.matching_rows === index.ids.length
      ? index.ids
      : pickIds(index, criteria, new Uint32Array(summary.matching_rows));
  return {
    total: ids.length,
    coverage,
    summary,
    ids: (offset, limit) => ids.subarray(offset, offset + limit),
  };
}

/** `YYYY-MM-DD` as the number YYYYMMDD, which has the same order. */
export function compactDay(date: string): number {
  return Number(date.replaceAll("-", ""));
}

/** Whether a team can see a retailer. */
export function isVisible(retailer: string, visible: Visibility): boolean {
  return visible === null || visible.includes(retailer);
}

function combinationTest({ retailer, category, department, rcd }: Filters, visible: Visibility) {
  const triples = rcd === undefined ? undefined : new Set(rcd.split(","));
  return (combination: Rcd): boolean =>
    isVisible(combination.retailer, visible) &&
    (triples === undefined || triples.has(formatRcd(combination))) &&
    (retailer === undefined || combination.retailer === retailer) &&
    (category === undefined || combination.category === category) &&
    (department === undefined || combination.department === department);
}

/** A row of the version matches if it has a wanted combination and a day from `first` to `last`. */
interface RowCriteria extends Pick<VersionExtent, "lastId" | "place"> {
  wanted: Uint8Array;
  first: number;
  last: number;
}

function tally(index: ColumnIndex, { wanted, first, last, lastId, place }: RowCriteria) {
  const { combinations, days, vocabulary } = index;
  const tallies: CombinationTally[] = vocabulary.map(() => ({ matching: 0, earliest: LAST_DAY, latest: FIRST_DAY }));
  for (let position = 0; position < days.length; position += 1) {
    const number = combinations[position] ?? 0;
    const day = days[position] ?? 0;
    const counted = tallies[number];
    const isWanted = wanted[number] === 1 && day >= first && day <= last;
    if (isWanted && isInVersion(index, position, lastId, place) && counted !== undefined) {
      counted.matching += 1;
      counted.earliest = Math.min(counted.earliest, day);
      counted.latest = Math.max(counted.latest, day);
    }
  }
  return tallies;
}

function pickIds(index: ColumnIndex, { wanted, first, last, lastId, place }: RowCriteria, into: Uint32Array) {
  const { ids, combinations, days } = index;
  let picked = 0;
  for (let position = 0; picked < into.length; position += 1) {
    const day = days[position] ?? 0;
    const isWanted = wanted[combinations[position] ?? 0] === 1 && day >= first && day <= last;
    if (isWanted && isInVersion(index, position, lastId, place)) {
      into[picked] = ids[position] ?? 0;
      picked += 1;
    }
  }
  return into;
}

function coverageEntry(rcd: Rcd, counted: CombinationTally, corpusRows: number): Coverage {
  return {
    retailer: rcd.retailer,
    department: rcd.department,
    category: rcd.category,
    rcd: formatRcd(rcd),
    corpus_rows: corpusRows,
    matching_rows: counted.matching,
    earliest_date: dateText(counted.earliest),
    latest_date: dateText(counted.latest),
  };
}

function dateText(day: number): string {
  const digits = String(day).padStart(8, "0");
  return `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`;
}

function summarise(coverage: readonly Coverage[]): CoverageSummary {
  return {
    combinations: coverage.length,
    matching_rows: coverage.reduce((sum, { matching_rows }) => sum + matching_rows, 0),
    corpus_rows: coverage.reduce((sum, { corpus_rows }) => sum + corpus_rows, 0),
    earliest_date: coverage.map(({ earliest_date }) => earliest_date).sort()[0] ?? null,
    latest_date:
      coverage
        .map(({ latest_date }) => latest_date)
        .sort()
        .at(-1) ?? null,
  };
}
