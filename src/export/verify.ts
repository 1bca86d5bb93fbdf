import { combinationFilter, dayFilter } from "../contract/filter-match.ts";
import type { Filters } from "../contract/filters.ts";
import { MismatchError } from "../errors.ts";
import { type ExportedRow, exportedRows } from "./exported-rows.ts";
import { fingerprint, type Manifest } from "./manifest.ts";
import { createHashes, findRepeated } from "./repeated-ids.ts";

/** The result of checking a file. */
export interface Verification {
  rows: number;
  bytes: number;
  sha256: string;
  /** Whether its rows have `product_id`, so that repeated rows could be detected. */
  identified: boolean;
}

/**
 * Checks an exported file against its manifest: size and SHA-256; the number of rows, also against the count of the
 * service; that each row matches the filters and dates of its slice; and that no `product_id` appears twice. For memory
 * see `findRepeated`.
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
  const hashes = createHashes();
  let rows = 0;
  let identified = true;
  const assertWithin = sliceCheck(path, manifest);
  for await (const row of exportedRows(path, file)) {
    signal.throwIfAborted();
    rows += 1;
    assertWithin(row, rows);
    if (row.product_id === undefined) {
      identified = false;
    } else {
      hashes.add(row.product_id);
    }
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
  const repeated = await findRepeated(hashes.all(), () => exportedIds(path, file, signal));
  if (repeated !== undefined) {
    throw new MismatchError(`${path} has the row ${JSON.stringify(repeated)} twice`);
  }
  return { rows, bytes, sha256, identified };
}

async function* exportedIds(
  path: string,
  file: Manifest["file"],
  signal: AbortSignal,
): AsyncGenerator<string | undefined> {
  for await (const { product_id } of exportedRows(path, file)) {
    signal.throwIfAborted();
    yield product_id;
  }
}

/** Checks rows, which come slice by slice, against the filters of their slice and of the whole file. */
function sliceCheck(path: string, { filters, plan }: Manifest): (row: ExportedRow, number: number) => void {
  const left = plan.slices.map((slice) => ({ rows: slice.rows, checks: [slice.filters, filters].map(filterOf) }));
  return (row, number) => {
    while (left[0]?.rows === 0) {
      left.shift();
    }
    const [slice] = left;
    if (slice !== undefined) {
      slice.rows -= 1;
      if (!slice.checks.every((isWithin) => isWithin(row))) {
        throw new MismatchError(`${path}: row ${number} is outside the filters of its manifest`);
      }
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
