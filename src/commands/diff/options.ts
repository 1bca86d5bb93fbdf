import type { QuestionColumn, QuestionOptions } from "../../cli/question/question.ts";
import { CATEGORY_SLUGS, PRODUCT_KEY } from "../../cli/question/shared-columns.ts";
import { UsageError } from "../../contract/errors.ts";
import { type DateExpression, resolveDay } from "../../contract/values/date-expression.ts";
import { dayOf } from "../../contract/values/day-arithmetic.ts";

const text = (name: string, meaning: string): QuestionColumn => ({ name, kind: "string", meaning });

const price = (name: string, meaning: string): QuestionColumn => ({ name, kind: "price", meaning });

export const DIFF_COLUMNS: readonly QuestionColumn[] = [
  text("change", "changed, appeared (never seen before), returned or vanished"),
  ...PRODUCT_KEY,
  ...CATEGORY_SLUGS,
  text("title", "of the later row"),
  { name: "from_date", kind: "date", meaning: "the earlier day" },
  { name: "to_date", kind: "date", meaning: "the later day" },
  price("from_mrp", "undiscounted price of the earlier day"),
  price("to_mrp", "undiscounted price of the later day"),
  price("from_selling_price", "price of the earlier day; null if none is known"),
  price("to_selling_price", "price of the later day; null if none is known"),
  { name: "from_discount_pct", kind: "number", meaning: "discount of the earlier day, as crawled" },
  { name: "to_discount_pct", kind: "number", meaning: "discount of the later day, as crawled" },
  text("from_currency", "of the earlier prices"),
  text("to_currency", "of the later prices"),
  { name: "percent", kind: "percent", meaning: "change of the price; null between two currencies" },
  { name: "from_seen", kind: "date", meaning: "day of the earlier price" },
  { name: "to_seen", kind: "date", meaning: "day of the later price" },
  price("difference", "to_selling_price - from_selling_price"),
  text("reason", "why it vanished: gone, not_crawled (its retailer or category was not) or unknown"),
];

export const CHANGES = ["changed", "appeared", "returned", "vanished"] as const;
export type DiffKind = (typeof CHANGES)[number];

/** Why a product has vanished. */
export const REASONS = ["gone", "not_crawled", "unknown"] as const;

/** The two days that are compared, the earlier first. */
export interface DayPair {
  flag: "--from" | "--since";
  from: DateExpression;
  to: DateExpression;
}

export interface DiffOptions extends QuestionOptions {
  /** Undefined if a folder is compared with `since`. */
  days: DayPair | undefined;
  isOfService: boolean;
  /** Whether the rows of the two days alone count, not last known prices. */
  strict: boolean;
  /** The kinds of changes that are written; undefined for the usual ones of the format. */
  only: readonly DiffKind[] | undefined;
  failOnEmpty: boolean;
  concurrency: number;
  /** Requests a minute. */
  maxRate: number | undefined;
}

/**
 * @param latest the newest day with rows that match the filters
 * @throws UsageError if the first is not before the second
 */
export function resolvePair(days: DayPair, now: number, latest = dayOf(now)): DayPair {
  const day = (text: DateExpression) => resolveDay(text, { today: dayOf(now), latest });
  const [from, to] = [day(days.from), day(days.to)];
  if (from >= to) {
    const isPair = days.flag !== "--since";
    const later = isPair ? `--to ${to}; the earlier of the two days comes first` : `the newest day, ${to}`;
    throw new UsageError(`${days.flag} ${from} is not before ${later}.`, {
      flag: days.flag,
      value: days.from,
    });
  }
  return { flag: days.flag, from, to };
}
