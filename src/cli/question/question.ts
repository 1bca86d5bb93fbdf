import type { ColumnType } from "../../export/formats/encoder.ts";
import type { DuckDb } from "../../files/duckdb.ts";
import type { AnswerRow, Parameters } from "../../folder/ask/ask.ts";
import type { Condition } from "../flags/condition.ts";
import type { ListingOptions, PageOptions, TableFormat } from "../flags/output.ts";
import type { FolderOptions } from "../flags/source.ts";
import type { SortKey } from "../order.ts";
import type { SyncedFolder } from "../source/synced-folder.ts";
import type { Screen } from "../terminal/style.ts";

export const PRODUCT_GROUPS = ["retailer", "department", "category", "brand"] as const;
export type ProductGroup = (typeof PRODUCT_GROUPS)[number];

export interface QuestionColumn {
  name: string;
  /** `price`: an amount in the row's `currency`. `percent`: a number that tables round to one decimal. */
  kind: ColumnType["kind"] | "price" | "percent";
  meaning: string;
}

/** Which prices count, and whether to show the SQL instead. */
export interface PriceOptions extends FolderOptions {
  /** A day, `last` or `last:NAME`. Undefined for a week before the newest day, or if the question compares nothing. */
  since?: string | undefined;
  /** The file of `--skus`, or `-` for standard input. */
  ownList: string | undefined;
  /** Maximum age in days of a known price; undefined for any. */
  maxAge: number | undefined;
  /** Decimal digits; undefined to leave out no price as suspect. */
  suspectFactor: string | undefined;
  showSql: boolean;
}

export type QuestionFormat = TableFormat | "markdown";

export interface QuestionOptions extends PriceOptions, ListingOptions<QuestionFormat> {
  failIf: Condition<string> | undefined;
  page?: PageOptions | undefined;
}

/** The input of a view for people. */
export interface ShownAnswer {
  rows: readonly AnswerRow[];
  /** The number of rows, including those that are not shown. */
  count: number;
  /** The number of rows in each group of `limitPer`, in order. */
  groups: readonly { names: readonly unknown[]; count: number }[];
  days: AnsweredDays;
  /** The result of the `totals` of the question. */
  totals: AnswerRow | undefined;
}

export interface AnsweredDays {
  newest: string;
  /** The day that the answer compares with. If it differs by retailer, as a bookmark may: the earliest one, `or later`. */
  since: string;
}

/** A question about a synced folder: its `.sql` file, and whatever else differs between questions. */
export interface Question<Options extends PriceOptions = QuestionOptions> {
  /** A query with the named parameters of `parameters` and of the scope. */
  sql: string;
  columns: readonly QuestionColumn[];
  /** Whether it counts crawled rows. Such a question leaves out no row as suspect. */
  countsRows?: boolean;
  /** The first part of the names of its bookmarks, if it compares with `--since`. */
  bookmarks?: string;
  /**
   * The two days that it compares, if the command line names both; otherwise those of `since`. `isNewest`: rows after the later
   * one do not help to tell which prices are suspect.
   */
  days?: (
    options: Options,
    synced: SyncedFolder,
    today: { newest: string; now: number },
  ) => { from: string; to: string; isNewest?: boolean } | undefined;
  parameters?: (options: Options) => Parameters;
  /** Looks up further parameters in the folder, and warns of what the answer lacks. */
  find?: (prices: DuckDb, parameters: Parameters, options: Options, synced: SyncedFolder) => Promise<Parameters>;
  /** The columns and their query, if they depend on which retailers the filters match; replaces `sql` and `columns`. */
  ofRetailers?: (
    options: Options,
    retailers: readonly string[],
  ) => Pick<Question, "sql" | "columns"> & Required<Pick<Question, "sqlNames">>;
  /** Names in SQL of columns that differ from others in letter case only, which DuckDB ignores. */
  sqlNames?: Readonly<Record<string, string>>;
  /** Columns that name a row in the error of `--fail-if`. */
  subject: readonly string[];
  noun: string;
  /** The limit of a table on a terminal without `--limit`. Default: the usual limit of lists. */
  shownRows?: number;
  /** Columns that group rows; the limit applies to each group. Default: one limit for all rows. */
  limitPer?: (options: Options) => readonly string[];
  /** The totals of a table: SQL expressions over all rows, by the names of their columns. */
  totals?: Readonly<Record<string, string>>;
  /** Other parameters for the totals, which may count more rows. */
  totalsParameters?: Parameters;
  /** Columns of the query that only the view uses. */
  viewColumns?: readonly string[];
  /** Whether the view gets all rows and chooses which to show. */
  viewTakesAll?: boolean;
  page?: {
    render: (shown: ShownAnswer, options: Options, source: { name: string; now: number }) => Promise<string>;
    note: (shown: ShownAnswer, options: Options) => string;
  };
  /** Loads how people see the answer if no columns are chosen. Default: a table of all columns. */
  view?: () => Promise<AnswerView<Options>>;
}

/** How people see an answer. Loaded on demand: what measures and draws tables takes 30 ms to load. */
export type AnswerView<Options> = (
  shown: ShownAnswer,
  options: Options,
  screen: Screen,
) => { text: string; hidden: readonly string[]; notes?: readonly string[] };

export type SortWords = Readonly<Record<string, SortKey>>;

export function namesOf(columns: readonly QuestionColumn[]): string[] {
  return columns.map(({ name }) => name);
}

/** The columns that `--skus` adds to rows of products. */
export const OWN_LIST_COLUMNS: readonly QuestionColumn[] = [
  { name: "target_price", kind: "price", meaning: "--skus: from the list" },
  {
    name: "target_met",
    kind: "boolean",
    meaning: "--skus: whether the price is at or below target_price; null without one",
  },
  { name: "note", kind: "string", meaning: "--skus: from the list" },
];

/** The columns of an answer, including those of an own list if its rows are products. */
export function answerColumns(
  columns: readonly QuestionColumn[],
  { ownList }: Pick<PriceOptions, "ownList">,
): readonly QuestionColumn[] {
  return ownList !== undefined && namesOf(columns).includes("sku") ? [...columns, ...OWN_LIST_COLUMNS] : columns;
}

/** The types of the columns, for formats that have types. */
export function typesOf(columns: readonly QuestionColumn[]): Readonly<Record<string, ColumnType>> {
  const typeOf = (kind: QuestionColumn["kind"]) => (kind === "price" || kind === "percent" ? "number" : kind);
  return Object.fromEntries(columns.map(({ name, kind }) => [name, { kind: typeOf(kind), nullable: true }]));
}

export function isNumeric({ kind }: QuestionColumn): boolean {
  return ["price", "percent", "number", "integer"].includes(kind);
}

/** The names that `--fail-if` can compare: the columns with numbers, and `count`. */
export function comparable(columns: readonly QuestionColumn[]): string[] {
  return [...namesOf(columns.filter(isNumeric)), "count"];
}

export function columnsHelp(columns: readonly QuestionColumn[]): string {
  const width = Math.max(...columns.map(({ name }) => name.length));
  return `Columns:\n${columns.map(({ name, meaning }) => `  ${name.padEnd(width)}  ${meaning}`).join("\n")}`;
}
