import { type Filters, formatRcd, type Rcd } from "./filters.ts";

/** Returns a test whether a combination matches the filters; it ignores their dates. */
export function combinationFilter({ retailer, category, department, rcd }: Filters): (combination: Rcd) => boolean {
  const triples = rcd === undefined ? undefined : new Set(rcd.split(","));
  return (combination) =>
    (triples === undefined || triples.has(formatRcd(combination))) &&
    (retailer === undefined || combination.retailer === retailer) &&
    (category === undefined || combination.category === category) &&
    (department === undefined || combination.department === department);
}

/** Returns a test whether a day is within the dates of the filters. */
export function dayFilter({ start_date = "", end_date = "9999-12-31" }: Filters): (day: string) => boolean {
  return (day) => day >= start_date && day <= end_date;
}
