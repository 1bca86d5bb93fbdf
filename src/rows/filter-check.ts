import { combinationFilter, dayFilter } from "../contract/filter-match.ts";
import type { Filters } from "../contract/filters.ts";
import type { RowBatch } from "./batch.ts";

/** Finds the first row that does not match the filters; -1 if all match. Memory: the combinations and days seen so far. */
export function createFilterCheck(filters: Filters): (rows: RowBatch) => number {
  const isOfCombination = combinationFilter(filters);
  const isOfDay = dayFilter(filters);
  const combinations = cachedTest(
    ["retailer", "category", "department"],
    ([retailer = "", category = "", department = ""]) => isOfCombination({ retailer, category, department }),
  );
  const days = cachedTest(["crawl_date"], ([day = ""]) => isOfDay(day));
  return (rows) => {
    const [hasCombination, hasDay] = [combinations(rows), days(rows)];
    for (let row = 0; row < rows.length; row += 1) {
      if (!hasCombination(row) || !hasDay(row)) {
        return row;
      }
    }
    return -1;
  };
}

/** A test of the rows of a batch by the values of a few columns. It remembers accepted values, as JSON texts. */
function cachedTest(names: readonly string[], isAccepted: (values: string[]) => boolean) {
  const known = new Set<string>();
  return (rows: RowBatch) => {
    const columns = names.map((name) => rows.column(name));
    return (row: number): boolean => {
      if (row > 0 && isAsBefore(rows, row, columns)) {
        return true;
      }
      const values = columns.map((column) => rows.raw(row, column) ?? "null");
      const text = values.join();
      if (!known.has(text) && !isAccepted(values.map((value) => String(JSON.parse(value))))) {
        return false;
      }
      known.add(text);
      return true;
    };
  };
}

/** Compares with the previous row, which was accepted. A plain loop, because a closure for each row is slow. */
function isAsBefore(rows: RowBatch, row: number, columns: readonly number[]): boolean {
  for (const column of columns) {
    if (!rows.isAsBefore(row, column)) {
      return false;
    }
  }
  return true;
}
