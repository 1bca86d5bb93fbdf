import { combinationFilter, dayFilter } from "../contract/filter-match.ts";
import type { Filters } from "../contract/filters.ts";
import type { RowBatch } from "./batch.ts";

/** Finds the first row that does not match the filters; -1 if all match. */
export type FilterCheck = (rows: RowBatch) => number;

/** Checks rows against filters. Memory: the combinations and days seen so far. */
export function createFilterCheck(filters: Filters): FilterCheck {
  const isOfCombination = combinationFilter(filters);
  const isOfDay = dayFilter(filters);
  const combinations = knownValues(
    ["retailer", "category", "department"],
    ([retailer = "", category = "", department = ""]) => isOfCombination({ retailer, category, department }),
  );
  const days = knownValues(["crawl_date"], ([day = ""]) => isOfDay(day));
  return (rows) => {
    const columns = [combinations.columnsIn(rows), days.columnsIn(rows)] as const;
    for (let row = 0; row < rows.length; row += 1) {
      if (!combinations.accept(rows, row, columns[0]) || !days.accept(rows, row, columns[1])) {
        return row;
      }
    }
    return -1;
  };
}

/** Remembers accepted values of a few columns as JSON bytes, so that no string has to be created for each row. */
function knownValues(names: readonly string[], isAccepted: (values: string[]) => boolean) {
  /** Accepted values, one after another, by a checksum of them. */
  const known = new Map<number, Buffer[]>();

  /** Apart from `accept`, because its closures would cost an allocation for every row. */
  function find(rows: RowBatch, row: number, columns: readonly number[]): boolean {
    const sum = checksum(rows, row, columns);
    const candidates = known.get(sum) ?? [];
    if (!candidates.some((candidate) => equalsValues(candidate, rows, row, columns))) {
      const raw = columns.map((column) => rows.raw(row, column) ?? "null");
      if (!isAccepted(raw.map((value) => String(JSON.parse(value))))) {
        return false;
      }
      known.set(sum, [...candidates, Buffer.from(raw.join(""))]);
    }
    return true;
  }

  return {
    columnsIn: (rows: RowBatch) => names.map((name) => rows.column(name)),
    accept: (rows: RowBatch, row: number, columns: readonly number[]) =>
      (row > 0 && isAsBefore(rows, row, columns)) || find(rows, row, columns),
  };
}

/** The row before was accepted. */
function isAsBefore(rows: RowBatch, row: number, columns: readonly number[]): boolean {
  for (const column of columns) {
    if (!rows.isAsBefore(row, column)) {
      return false;
    }
  }
  return true;
}

function checksum(rows: RowBatch, row: number, columns: readonly number[]): number {
  let sum = 0;
  for (const column of columns) {
    for (let at = rows.valueStart(row, column); at < rows.valueEnd(row, column); at += 1) {
      sum = (Math.imul(sum, 31) + (rows.bytes[at] as number)) | 0;
    }
  }
  return sum;
}

function equalsValues(values: Buffer, rows: RowBatch, row: number, columns: readonly number[]): boolean {
  const { bytes } = rows;
  let at = 0;
  for (const column of columns) {
    const end = rows.valueEnd(row, column);
    for (let from = rows.valueStart(row, column); from < end; from += 1) {
      if (values[at] !== bytes[from]) {
        return false;
      }
      at += 1;
    }
  }
  return at === values.length;
}
