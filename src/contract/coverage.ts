import type { FromSchema } from "json-schema-to-ts";
import { objectSchema } from "./object-schema.ts";

/** One retailer/category/department combination, contract section 2.2. */
export const coverageSchema = {
  description: "Row counts and crawl dates of one retailer/category/department combination.",
  ...objectSchema("Coverage", {
    retailer: { type: "string", format: "slug", description: "Retailer slug." },
    department: { type: "string", format: "slug", description: "Department slug." },
    category: { type: "string", format: "slug", description: "Category slug, scoped within the department." },
    rcd: { type: "string", description: "`retailer:category:department`, usable unchanged as the `rcd` filter." },
    corpus_rows: { type: "integer", minimum: 0, description: "Rows of the combination, whatever the filters." },
    matching_rows: { type: "integer", minimum: 0, description: "Rows that also satisfy the date filters." },
    earliest_date: { type: "string", format: "date", description: "Earliest matching crawl date." },
    latest_date: { type: "string", format: "date", description: "Latest matching crawl date." },
  }),
} as const;

export type Coverage = FromSchema<typeof coverageSchema>;

/** All columns of a coverage row in the contract's order. */
export const COVERAGE_COLUMNS: readonly (keyof Coverage)[] = coverageSchema.required;

/** `meta.coverage`, aggregated over every matching combination; contract section 2.3. */
export const coverageSummarySchema = {
  description: "Coverage aggregated over all combinations that match the filters.",
  ...objectSchema("CoverageSummary", {
    combinations: { type: "integer", minimum: 0, description: "Combinations that match the filters." },
    matching_rows: { type: "integer", minimum: 0, description: "Matching rows, date filters applied." },
    corpus_rows: { type: "integer", minimum: 0, description: "Rows of those combinations, ignoring the dates." },
    earliest_date: { type: ["string", "null"], format: "date", description: "Earliest matching crawl date." },
    latest_date: { type: ["string", "null"], format: "date", description: "Latest matching crawl date." },
  }),
} as const;

export type CoverageSummary = FromSchema<typeof coverageSummarySchema>;

/** `meta.coverage` of parts that have no row in common (contract section 2.3): combinations, or sets of them. */
export function summaryOf(parts: readonly (Coverage | CoverageSummary)[]): CoverageSummary {
  const sum = (countOf: (part: Coverage | CoverageSummary) => number) =>
    parts.reduce((total, part) => total + countOf(part), 0);
  const matching = parts.filter(({ matching_rows }) => matching_rows > 0);
  const days = (name: "earliest_date" | "latest_date") => matching.flatMap((part) => part[name] ?? []).sort();
  return {
    combinations: sum((part) => ("combinations" in part ? part.combinations : 1)),
    matching_rows: sum(({ matching_rows }) => matching_rows),
    corpus_rows: sum(({ corpus_rows }) => corpus_rows),
    earliest_date: days("earliest_date")[0] ?? null,
    latest_date: days("latest_date").at(-1) ?? null,
  };
}
