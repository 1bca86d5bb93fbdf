import { MismatchError } from "../contract/errors.ts";
import { combinationFilter, dayFilter } from "../contract/filter-match.ts";
import type { Filters } from "../contract/filters.ts";
import { fingerprint } from "../files/fingerprint.ts";
import { CHECKED_COLUMNS, type ExportedRow, exportedRows } from "./exported-rows.ts";
import type { Manifest } from "./manifest.ts";

/** The result of checking a file. */
export interface Verification {
  rows: number;
  bytes: number;
  sha256: string;
  /**
   * Whether its columns show that it has no row twice: `product_id`, and in a file of several slices those that tell the
   * rows of one slice from those of another, because ids are compared slice by slice.
   */
  identified: boolean;
}

/**
 * Checks an exported file against its manifest: size and SHA-256; the number of rows, also against the count of the
 * service; that each row matches the filters and dates of its slice; and that no `product_id` appears twice in a slice, as
 * the export checked it: slices have no row in common. Memory: the ids of one slice.
 *
 * @throws MismatchError saying what differs; the reason of `signal` when it is aborted
 */
export async function verify(path: string, manifest: Manifest, signal: AbortSignal): Promise<Verification> {
  const { file } = manifest;
  const { bytes, sha256 } = await fingerprint(path, { signal });
  assertEqual(path, "bytes", bytes, file.bytes);
  if (sha256 !== file.sha256) {
    throw new MismatchError(`${path} was altered: its sha256 is ${sha256}, but its manifest says ${file.sha256}`);
  }
  let rows = 0;
  let identified = true;
  const check = sliceCheck(path, manifest);
  const identifying = manifest.plan.slices.length > 1 ? CHECKED_COLUMNS : (["product_id"] as const);
  for await (const row of exportedRows(path, file)) {
    signal.throwIfAborted();
    rows += 1;
    check(row, rows);
    identified &&= identifying.every((name) => row[name] !== undefined);
  }
  assertEqual(path, "rows", rows, manifest.rows);
  const inSlices = manifest.plan.slices.reduce((sum, slice) => sum + slice.rows, 0);
  if (inSlices !== rows) {
    throw new MismatchError(`${path} has ${rows} rows, but the slices of its manifest have ${inSlices}`);
  }
  const { matching_rows } = manifest.coverage;
  if (manifest.complete && matching_rows !== rows) {
    throw new MismatchError(`${path} has ${rows} rows, but the service counted ${matching_rows}`);
  }
  return { rows, bytes, sha256, identified };
}

/**
 * Checks rows, which come slice by slice: against the filters of their slice and of the whole file, and against the ids of
 * their slice.
 */
function sliceCheck(path: string, { filters, plan }: Manifest): (row: ExportedRow, number: number) => void {
  const left = [...plan.slices];
  let slice: { rows: number; checks: ((row: ExportedRow) => boolean)[]; ids: Set<string> } | undefined;
  return (row, number) => {
    while (slice === undefined || slice.rows === 0) {
      const next = left.shift();
      if (next === undefined) {
        return;
      }
      slice = { rows: next.rows, checks: [next.filters, filters].map(filterOf), ids: new Set() };
    }
    slice.rows -= 1;
    if (!slice.checks.every((isWithin) => isWithin(row))) {
      throw new MismatchError(`${path}: row ${number} is outside the filters of its manifest`);
    }
    const { product_id } = row;
    if (product_id !== undefined && slice.ids.size === slice.ids.add(product_id).size) {
      throw new MismatchError(`${path} has the row ${JSON.stringify(product_id)} twice`);
    }
  };
}

/** Columns that were not exported are not compared. */
function filterOf(filters: Filters): (row: ExportedRow) => boolean {
  const isOfCombination = combinationFilter(filters);
  const isOfDay = dayFilter(filters);
  return ({ retailer, category, department, crawl_date }) =>
    (retailer === undefined ||
      category === undefined ||
      department === undefined ||
      isOfCombination({ retailer, category, department })) &&
    (crawl_date === undefined || isOfDay(crawl_date));
}

function assertEqual(path: string, what: string, found: number, expected: number): void {
  if (found !== expected) {
    throw new MismatchError(`${path} has ${found} ${what}, but its manifest says ${expected}`);
  }
}
