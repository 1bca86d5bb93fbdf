import { namesOf, OWN_LIST_COLUMNS } from "../../cli/question/question.ts";
import type { DuckDb } from "../../files/duckdb.ts";
import { type Answer, ask, filledIn, type Parameters } from "../../folder/ask/ask.ts";
import CRAWL_DAYS from "../../folder/questions/crawl-days.sql";
import DIFF from "../../folder/questions/diff.sql";
import LATEST from "../../folder/questions/latest.sql";
import BRANDS from "../../folder/questions/latest-groups.sql";
import MOVERS from "../../folder/questions/movers.sql";
import CHANGES from "../../folder/questions/report-changes.sql";
import RETAILERS from "../../folder/questions/report-retailers.sql";
import SUSPECTS from "../../folder/questions/suspects.sql";
import { DIFF_COLUMNS } from "../diff/options.ts";
import { groupColumns, LATEST_COLUMNS } from "../latest/options.ts";
import { DISCOUNT_TOTALS } from "../latest/question.ts";
import { MOVER_COLUMNS } from "../movers/options.ts";
import { FIGURE_NAMES, type Figure, type Figures } from "./figures.ts";

/** A question. Its answer is a table of this name, which later questions can read. */
interface Step {
  name: string;
  sql: string;
  /** Added to those of the report. */
  parameters?: Parameters;
  /** By figure: its SQL expression over all rows of the answer. */
  figures?: Readonly<Partial<Record<Figure, string>>>;
  /** Whether it needs an earlier day to compare with. */
  compares?: boolean;
}

const countOf = (column: string, value: string) => `count(*) FILTER (${column} = '${value}')`;

/** Questions from whose answers the sections select their rows. */
const BASES: readonly Step[] = [
  { name: "crawl_days", sql: CRAWL_DAYS },
  {
    name: "retailers",
    sql: RETAILERS,
    figures: { outages: "count(*) FILTER (outage)", stale: "count(*) FILTER (stale)", days_old: "max(days_old)" },
  },
  {
    name: "movers",
    compares: true,
    sql: MOVERS,
    parameters: { kinds: ["drop", "rise", "new_low"], group_by: null },
    figures: {
      drops: countOf("kind", "drop"),
      rises: countOf("kind", "rise"),
      new_lows: countOf("kind", "new_low"),
      biggest_drop: "min(percent) FILTER (kind = 'drop')",
      biggest_rise: "max(percent) FILTER (kind = 'rise')",
    },
  },
  {
    name: "changes",
    compares: true,
    sql: DIFF,
    parameters: { kinds: ["appeared", "returned", "vanished"], strict: false, by_kind: false },
    figures: {
      new: countOf("change", "appeared"),
      returned: countOf("change", "returned"),
      gone: countOf("reason", "gone"),
      not_crawled: countOf("reason", "not_crawled"),
      unknown: countOf("reason", "unknown"),
    },
  },
  {
    name: "brands",
    sql: BRANDS,
    parameters: { group_by: "brand" },
    figures: {
      products: "coalesce(sum(products), 0)::BIGINT",
      discounted_percent: DISCOUNT_TOTALS.discounted_percent,
      mean_discount_pct: DISCOUNT_TOTALS.mean_discount_pct,
    },
  },
  {
    name: "suspects",
    compares: true,
    sql: SUSPECTS,
    parameters: { products: null },
    figures: { suspects: "count(DISTINCT product) FILTER (is_new)" },
  },
];

/** The column `id`, in which the same event has the same value in every report. */
function id(kind: string, day: string, { retailer = "retailer", sku = "sku", currency = "currency" } = {}): string {
  return `concat_ws(':', '${kind}', ${retailer}, ${sku}, ${currency}, ${day}) AS id`;
}

interface List extends Omit<Step, "name"> {
  /** The columns of its rows in the document. */
  columns: readonly string[];
}

/** Columns of the last price, which the lists of new and gone products add to those of `diff`. */
const LAST_PRICE = ["currency", "selling_price", "discount_pct", "crawl_date", "url"];
const NO_PRODUCT = { sku: "''", currency: "''" };

function moved(kind: string, day: string): List {
  return {
    sql: `SELECT ${id(kind, day)}, * FROM movers WHERE kind = '${kind}'`,
    columns: namesOf(MOVER_COLUMNS),
    compares: true,
  };
}

function changed(kind: string, change: string, day: string): List {
  return {
    sql: `SELECT ${id(kind, day)}, * FROM (\n${CHANGES})`,
    parameters: { change },
    columns: [...namesOf(DIFF_COLUMNS), ...LAST_PRICE],
    compares: true,
  };
}

/** The lists of a report, in its order. */
const LISTS = {
  outages: {
    sql: `SELECT ${id("outage", "outage_since", NO_PRODUCT)}, * FROM retailers WHERE outage`,
    columns: ["retailer", "crawl_date", "matching_rows", "usual_rows", "share", "outage", "outage_since"],
  },
  stale_retailers: {
    sql: `SELECT ${id("stale", "newest_day", NO_PRODUCT)}, * FROM retailers WHERE stale`,
    columns: ["retailer", "newest_day", "days_old"],
  },
  own_list: {
    sql: `SELECT ${id("own_list", "present_since")}, *, $known_age IS NULL OR crawl_date >= last_day - $known_age::INTEGER AS known
FROM (\n${LATEST})`,
    figures: { target_met: "count(*) FILTER (target_met AND known)" },
    columns: [...namesOf([...LATEST_COLUMNS, ...OWN_LIST_COLUMNS]), "known"],
  },
  drops: moved("drop", "present_since"),
  rises: moved("rise", "present_since"),
  new_lows: moved("new_low", "reached_date"),
  new_products: changed("new", "appeared", "present_since"),
  gone_products: changed("gone", "vanished", "crawl_date"),
  discounts_by_brand: {
    sql: `SELECT ${id("discount", "$last_day::DATE", { ...NO_PRODUCT, retailer: "''", sku: "group_name" })},
  * RENAME (group_name AS brand)
FROM brands ORDER BY discounted_products DESC, products DESC, brand`,
    columns: namesOf(groupColumns("brand", undefined)),
  },
} as const satisfies Record<string, List>;

export type SectionName = keyof typeof LISTS;
export const SECTION_NAMES = Object.keys(LISTS) as readonly SectionName[];

export interface ReportRequest {
  parameters: Parameters;
  /** The own list as a parameter; null without one. */
  ownList: Parameters[string];
  compares: boolean;
}

/** The questions of a report in their order, with all their parameters. The own list narrows nothing else. */
function stepsOf({ parameters, ownList, compares }: ReportRequest): (Step & { parameters: Parameters })[] {
  const { max_age = null } = parameters;
  const own = { own_list: ownList, max_age: null, known_age: max_age };
  const lists = Object.entries<List>(LISTS)
    .filter(([name]) => name !== "own_list" || ownList !== null)
    .map(([name, list]) => ({ name, ...list, ...(name === "own_list" ? { parameters: own } : {}) }));
  return [...BASES, ...lists]
    .filter((step) => compares || step.compares !== true)
    .map((step) => ({ ...step, parameters: { ...parameters, ...step.parameters } }));
}

/** The answers by name: those of the sections, and of the questions that sections are parts of. */
export interface ReportAnswers {
  figures: Figures;
  answers: ReadonlyMap<string, Answer>;
}

export async function askReport(prices: DuckDb, request: ReportRequest): Promise<ReportAnswers> {
  const answers = new Map<string, Answer>();
  const figures = Object.fromEntries(FIGURE_NAMES.map((name) => [name, name === "target_met" ? 0 : null]));
  for (const step of stepsOf(request)) {
    const answer = await ask(prices, step.sql, step.parameters, step.name);
    answers.set(step.name, answer);
    if (step.figures !== undefined) {
      Object.assign(figures, await answer.totals(step.figures));
    }
  }
  return { figures: figures as Figures, answers };
}

/** The SQL of a report: a script that makes a table for each question. */
export function reportSql(request: ReportRequest): string {
  return stepsOf(request)
    .map(
      ({ name, sql, parameters }) => `CREATE OR REPLACE TEMP TABLE ${name} AS\n${filledIn(sql, parameters).trim()};\n`,
    )
    .join("\n");
}

export function columnsOfSection(name: SectionName): string[] {
  return ["id", ...LISTS[name].columns];
}
