import type { DuckDb } from "../../files/duckdb.ts";
import type { AnswerRow, Parameters } from "../../folder/ask/ask.ts";
import type { Condition } from "../flags/condition.ts";
import type { ListingOptions, PageOptions, TableFormat } from "../flags/output.ts";
import type { FolderOptions } from "../flags/source.ts";
import type { SortKey } from "../order.ts";
import type { SyncedFolder } from "../source/synced-folder.ts";
import type { Screen } from "../terminal/style.ts";

/** What products can be grouped by. */
export const PRODUCT_GROUPS = ["retailer", "department", "category", "brand"] as const;
export type ProductGroup = (typeof PRODUCT_GROUPS)[number];

/** `price`: an amount in the row's `currency`. `percent`: a number that tables round to one decimal. */
export type ColumnKind = "text" | "date" | "price" | "percent" | "number" | "integer" | "boolean";

export interface QuestionColumn {
  name: string;
  kind: ColumnKind;
  /** One line for the help. */
  meaning: string;
}

/** What the command line says of the prices that count, complete. */
export interface PriceOptions extends FolderOptions {
  /** A day, `last` or `last:NAME`; undefined for a week before, and for a question that compares nothing. */
  since?: string | undefined;
  /** The file of `--skus`, or `-` for standard input. */
  ownList: string | undefined;
  /** Oldest age in days at which a price counts as known; undefined for any. */
  maxAge: number | undefined;
  /** Digits; undefined if no row is left out as suspect. */
  suspectFactor: string | undefined;
  /** Whether the SQL is written instead of the answer. */
  showSql: boolean;
}

export type QuestionFormat = TableFormat | "markdown";

/** What the command line of a question says, complete. */
export interface QuestionOptions extends PriceOptions, ListingOptions<QuestionFormat> {
  failIf: Condition<string> | undefined;
  /** The page of `--html`, of a question that has one. */
  page?: PageOptions | undefined;
}

/** What a view for people shows. */
export interface ShownAnswer {
  rows: readonly AnswerRow[];
  /** The number of all rows, with those that are not shown. */
  count: number;
  /** The number of all rows of each group of `limitPer`, in order. */
  groups: readonly { names: readonly unknown[]; count: number }[];
  days: AnsweredDays;
  /** What `totals` of the question gives. */
  totals: AnswerRow | undefined;
}

/** Which days an answer is about. */
export interface AnsweredDays {
  /** The newest day. */
  newest: string;
  /** The day that is compared with; with bookmarks, the oldest of the retailers. */
  since: string;
}

/** A question to a folder: one `.sql` file, and what its command adds. Everything else is the same for all questions. */
export interface Question<Options extends QuestionOptions = QuestionOptions> {
  /** Of the command; bookmarks have it in their names. */
  command: string;
  /** A query whose named parameters are those of `parameters` and of the scope. */
  sql: string;
  columns: readonly QuestionColumn[];
  /** Whether it is about crawled rows, so that none is left out as suspect. */
  countsRows?: boolean;
  /** Whether it compares with `--since`. */
  compares?: boolean;
  /** The two days that it compares, if the command line names both; otherwise those of `since`. */
  days?: (
    options: Options,
    synced: SyncedFolder,
    today: { newest: string; now: number },
  ) => { from: string; to: string } | undefined;
  /** Further parameters. */
  parameters: (options: Options) => Parameters;
  /**
   * Looks up further parameters in the folder, and warns of what must be known to read the answer.
   *
   * @param parameters those that are known before
   */
  find?: (prices: DuckDb, parameters: Parameters, options: Options, synced: SyncedFolder) => Promise<Parameters>;
  /** The columns, and the query for them, if they depend on which retailers the filters match. */
  ofRetailers?: (options: Options, retailers: readonly string[]) => { sql: string; columns: readonly QuestionColumn[] };
  /** Columns that name a row in the error of `--fail-if`. */
  subject: readonly string[];
  /** What a row is about: `product`. */
  noun: string;
  /** Rows of a table on a terminal without `--limit`; default: those of every list. */
  shownRows?: number;
  /** Columns whose equal values share a limit; default: one limit for all rows. */
  limitPer?: (options: Options) => readonly string[];
  /** The totals of a table: SQL expressions over all rows, by the names of their columns. */
  totals?: Readonly<Record<string, string>>;
  /** Parameters of an answer with more rows, which the totals are of. */
  totalsOf?: Parameters;
  /** Columns of the query for the view alone. */
  viewColumns?: readonly string[];
  /** Whether the view takes all rows and shows some of them. */
  viewTakesAll?: boolean;
  /** The page of `--html`. */
  page?: {
    render: (shown: ShownAnswer, options: Options, source: { name: string; now: number }) => Promise<string>;
    /** What it has, in words. */
    note: (shown: ShownAnswer, options: Options) => string;
  };
  /** How people see the answer if no columns are chosen. */
  view: (
    shown: ShownAnswer,
    options: Options,
    screen: Screen,
  ) => { text: string; hidden: readonly string[]; notes?: readonly string[] };
}

/** Short names for `--sort`. */
export type SortWords = Readonly<Record<string, SortKey>>;

export function namesOf(columns: readonly QuestionColumn[]): string[] {
  return columns.map(({ name }) => name);
}

/** The columns that `--skus` adds to rows of products. */
export const OWN_LIST_COLUMNS: readonly QuestionColumn[] = [
  { name: "target_price", kind: "price", meaning: "--skus: of the list" },
  { name: "target_met", kind: "boolean", meaning: "--skus: whether the price is at or below it; null without one" },
  { name: "note", kind: "text", meaning: "--skus: of the list" },
];

/** The columns of an answer. Rows of products have those of an own list, too. */
export function answerColumns(
  columns: readonly QuestionColumn[],
  { ownList }: Pick<PriceOptions, "ownList">,
): readonly QuestionColumn[] {
  return ownList !== undefined && namesOf(columns).includes("sku") ? [...columns, ...OWN_LIST_COLUMNS] : columns;
}

/** The columns that `--fail-if` compares, and `count`. */
export function comparable(columns: readonly QuestionColumn[]): string[] {
  const numeric = columns.filter(({ kind }) => ["price", "percent", "number", "integer"].includes(kind));
  return [...namesOf(numeric), "count"];
}

/** The columns for the help, one a line. */
export function columnsHelp(columns: readonly QuestionColumn[]): string {
  const width = Math.max(...columns.map(({ name }) => name.length));
  return `Columns:\n${columns.map(({ name, meaning }) => `  ${name.padEnd(width)}  ${meaning}`).join("\n")}`;
}
