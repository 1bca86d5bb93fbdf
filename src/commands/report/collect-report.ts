import { groupBy } from "../../contract/values/group-by.ts";
import type { DuckDb } from "../../files/duckdb.ts";
import { type AnswerRow, ask, type Parameters } from "../../folder/ask/ask.ts";
import PRICES from "../../folder/questions/report-prices.sql";
import { courseOf, type DatedPrice, type PriceCourse } from "../history/product-series.ts";
import type { Figures } from "./figures.ts";
import { PRODUCT_SECTIONS, type ProductSection, type ShownProduct, shownProduct } from "./product-section.ts";
import { columnsOfSection, type ReportAnswers } from "./sections.ts";

export interface ReportSubject {
  /** What messages call the folder. */
  name: string;
  /** The filters of the command line, as flags; empty without any. */
  filters: string;
  /** The first and the last day with rows that match the filters. */
  first: string;
  last: string;
  /** The day on which the prices are compared, whether or not it has rows that match. */
  newest: string;
  /** The day that is compared with, of retailers with different days the oldest; undefined if there is no earlier day. */
  since: string | undefined;
  isByRetailer: boolean;
  /** Whether these days are the newest ones of an earlier report. */
  isSinceReport: boolean;
  /** Days without a row after which a retailer is stale. */
  staleAfter: number;
  /** Milliseconds since the epoch. */
  now: number;
}

export interface Report extends ReportSubject {
  figures: Figures;
  /** The product sections in their order, with the first of their products. */
  lists: readonly { section: ProductSection; count: number; products: readonly ShownProduct[] }[];
  /** Every retailer that the filters match, those with problems first. */
  retailers: readonly AnswerRow[];
  /** Retailers with products whose price is no longer known because they were not crawled. */
  notCrawledAt: readonly string[];
  brands: readonly AnswerRow[];
  allBrands: number;
}

const RETAILER_COLUMNS = [
  ...["retailer", "newest_day", "days_old", "share", "products"],
  ...["outage", "outage_since", "stale"],
];

/** Reads what people see of a report. @param limit maximum number of products and brands of a section */
export async function collectReport(
  prices: DuckDb,
  { figures, answers }: ReportAnswers,
  subject: ReportSubject,
  { limit, parameters }: { limit: number; parameters: Parameters },
): Promise<Report> {
  const lists = [];
  for (const section of PRODUCT_SECTIONS) {
    const answer = answers.get(section);
    if (answer !== undefined) {
      const rows = await answer.records({ columns: columnsOfSection(section), limit });
      lists.push({ section, count: answer.count, rows });
    }
  }
  const all = lists.flatMap(({ rows }) => rows);
  const courseOfProduct = await priceCourses(prices, all, parameters);
  const reasons = (await answers.get("changes")?.groups(["reason", "retailer"])) ?? [];
  const brands = answers.get("discounts_by_brand");
  return {
    ...subject,
    figures,
    lists: lists.map(({ section, count, rows }) => ({
      section,
      count,
      products: rows.map((row) => shownProduct(section, row, courseOfProduct(row))),
    })),
    retailers: (await answers.get("retailers")?.records({ columns: RETAILER_COLUMNS })) ?? [],
    notCrawledAt: reasons.flatMap(({ names: [reason, retailer] }) =>
      reason === "not_crawled" ? [String(retailer)] : [],
    ),
    brands: (await brands?.records({ columns: columnsOfSection("discounts_by_brand"), limit })) ?? [],
    allBrands: brands?.count ?? 0,
  };
}

/** The prices of the products of some rows over their days. */
async function priceCourses(
  prices: DuckDb,
  rows: readonly AnswerRow[],
  parameters: Parameters,
): Promise<(row: AnswerRow) => PriceCourse<DatedPrice> | undefined> {
  const pairs = rows.map(({ retailer, sku }) => ({ retailer: String(retailer), sku: String(sku) }));
  if (pairs.length === 0) {
    return () => undefined;
  }
  const answer = await ask(prices, PRICES, { ...parameters, pairs }, "prices");
  const columns = ["retailer", "sku", "day", "selling_price", "currency", "series"];
  const keyOf = ({ retailer, sku }: AnswerRow) => JSON.stringify([retailer, sku]);
  const byProduct = groupBy(await answer.records({ columns }), keyOf);
  return (row) => {
    const points = byProduct.get(keyOf(row))?.map(datedPrice) ?? [];
    const last = points.at(-1);
    return last && courseOf(points, last);
  };
}

function datedPrice({ day, selling_price, currency, series }: AnswerRow): DatedPrice {
  return {
    day: String(day),
    selling_price: Number(selling_price),
    currency: String(currency),
    series: Number(series),
  };
}
