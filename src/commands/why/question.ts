import type { Run } from "../../cli/context.ts";
import type { Question } from "../../cli/question/question.ts";
import { runQuestion } from "../../cli/question/run-question.ts";
import { refuseFolderFirst, type SyncedFolder } from "../../cli/source/synced-folder.ts";
import { NotFoundError } from "../../contract/errors.ts";
import { closest } from "../../contract/values/closest.ts";
import { quoted } from "../../contract/values/phrases.ts";
import type { DuckDb } from "../../files/duckdb.ts";
import { type Parameters, readRows } from "../../folder/ask/ask.ts";
import { readProductIds } from "../../folder/ask/product-ids.ts";
import SKUS from "../../folder/questions/skus.sql";
import WHY from "../../folder/questions/why.sql";
import { WHY_COLUMNS, type WhyOptions } from "./options.ts";

const WHY_QUESTION: Question<WhyOptions> = {
  sql: WHY,
  columns: WHY_COLUMNS,
  find: async (prices, parameters, options, synced) => {
    const product = await findProduct(prices, parameters, options, synced);
    const rows = await readRows(
      prices,
      "SELECT strftime(day, '%Y-%m-%d'), place::VARCHAR FROM price WHERE product = $product AND day <= $last_day::DATE ORDER BY ALL",
      { product, last_day: parameters.last_day ?? null },
    );
    const crawled = rows.map(([day, place]) => ({ day: String(day), place: String(place) }));
    return { products: [String(product)], product_ids: await readProductIds(synced, crawled) };
  },
  subject: ["retailer", "sku", "crawl_date"],
  noun: "row",
  viewColumns: ["known_currency", "before_currency"],
  viewTakesAll: true,
  view: async () => (await import("./why-table.ts")).whyText,
};

export const askWhy: Run<WhyOptions> = async (options, context) => {
  await refuseFolderFirst(options, [options.retailer, options.sku], "catalog why acme B0CHX1W1XY");
  await runQuestion(WHY_QUESTION, options, context);
};

/** @throws NotFoundError if the retailer has no row of the sku up to the day */
async function findProduct(
  prices: DuckDb,
  parameters: Parameters,
  { retailer, sku }: WhyOptions,
  { name }: SyncedFolder,
): Promise<number> {
  const skusLike = async (text: string | null) =>
    (await readRows(prices, SKUS, { ...parameters, sku: text })).map(([product, found]) => ({
      product: Number(product),
      sku: String(found),
    }));
  const [first, ...others] = await skusLike(sku);
  if (first !== undefined) {
    return (others.find((other) => other.sku === sku) ?? first).product;
  }
  const suggestions = closest(
    sku,
    (await skusLike(null)).map((other) => other.sku),
  );
  const upTo = String(parameters.last_day);
  throw new NotFoundError(`${name} has no row of the sku ${quoted(sku)} of ${retailer} up to ${upTo}.`, {
    value: sku,
    suggestions,
  });
}
