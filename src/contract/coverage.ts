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

/** Rows that are added up: those of a combination, or a summary. */
type Part = Omit<CoverageSummary, "combinations"> & { combinations?: number };

/** `meta.coverage` of parts that have no row in common (contract section 2.3): combinations, or sets of them. */
export function summaryOf(parts: readonly Part[]): CoverageSummary {
  const sum: CoverageSummary = {
    combinations: 0,
    matching_rows: 0,
    corpus_rows: 0,
    earliest_date: null,
    latest_date: null,
  };
  for (const { combinations = 1, matching_rows, corpus_rows, earliest_date: earliest, latest_date: latest } of parts) {
    sum.combinations += combinations;
    sum.matching_rows += matching_rows;
    sum.corpus_rows += corpus_rows;
    if (matching_rows > 0 && earliest !== null && latest !== null) {
      sum.earliest_date = sum.earliest_date === null || earliest < sum.earliest_date ? earliest : sum.earliest_date;
      sum.latest_date = sum.latest_date === null || latest > sum.latest_date ? latest : sum.latest_date;
    }
  }
  return sum;
}
