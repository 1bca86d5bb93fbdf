import type { QuestionColumn } from "../../cli/question/question.ts";
import { RETAILER } from "../../cli/question/shared-columns.ts";
import { COVERAGE_COLUMNS } from "../../contract/coverage.ts";
import type { ColumnType } from "../../export/formats/encoder.ts";

export const DIMENSIONS = ["retailer", "department", "category"] as const;

export const GROUPINGS = [...DIMENSIONS, "brand", "day"] as const;

export type Grouping = (typeof GROUPINGS)[number];

/** How many of the newest days `--group-by day` counts of a service if the filters name no days. */
export const NEWEST_DAYS = 30;

const DAY_COLUMNS = ["crawl_date", "retailers", "combinations", "matching_rows"];

const GROUP_COLUMNS = ["combinations", "corpus_rows", "matching_rows", "earliest_date", "latest_date"];

export function coverageColumns(groupBy: Grouping | undefined): readonly string[] {
  const columns =
    groupBy === undefined ? COVERAGE_COLUMNS : groupBy === "day" ? DAY_COLUMNS : [groupBy, ...GROUP_COLUMNS];
  return [...columns, "days_old"];
}

/** The types of columns of `coverageColumns`, for formats that have types. */
export function coverageTypes(columns: readonly string[]): Readonly<Record<string, ColumnType>> {
  const isText = (name: string) => ["rcd", "brand", ...DIMENSIONS].includes(name);
  const kindOf = (name: string) => (name.endsWith("_date") ? "date" : isText(name) ? "string" : "integer");
  return Object.fromEntries(columns.map((name) => [name, { kind: kindOf(name), nullable: true }]));
}

export const CRAWL_DAY_COLUMNS: readonly QuestionColumn[] = [
  RETAILER,
  { name: "crawl_date", kind: "date", meaning: "the day, from the retailer's first row to 28 days after its last" },
  { name: "matching_rows", kind: "integer", meaning: "rows that the filters match" },
  { name: "usual_rows", kind: "number", meaning: "75 % quantile of the retailer's rows in the 56 days before" },
  { name: "share", kind: "number", meaning: "the retailer's rows on the day / usual_rows" },
  {
    name: "outage",
    kind: "boolean",
    meaning: "whether its crawl failed: a share under 0.5, or no rows for longer than usual",
  },
];
