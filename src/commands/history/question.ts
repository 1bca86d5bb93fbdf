import type { Run } from "../../cli/context.ts";
import type { Question } from "../../cli/question/question.ts";
import { runQuestion } from "../../cli/question/run-question.ts";
import { refuseFolderFirst } from "../../cli/source/synced-folder.ts";
import { plural } from "../../contract/values/phrases.ts";
import HISTORY from "../../folder/questions/history.sql";
import { filtersAsFlags } from "../../pull/written-filters.ts";
import { findProducts, isOfProducts } from "./find-products.ts";
import { HISTORY_COLUMNS, type HistoryOptions } from "./options.ts";
import { seriesOfRows } from "./product-series.ts";

const HISTORY_QUESTION: Question<HistoryOptions> = {
  sql: HISTORY,
  columns: HISTORY_COLUMNS,
  parameters: (options) => ({ shown: productLimit(options) }),
  find: async (prices, scope, options, synced) => ({
    products: (await findProducts(prices, scope, options, synced)).map(String),
  }),
  subject: ["retailer", "sku"],
  noun: "product",
  viewColumns: ["url", "series", "is_new_low", "is_known"],
  viewTakesAll: true,
  view: async () => {
    const { historyText } = await import("./price-tables.ts");
    return ({ rows }, { list }, screen) => historyText(seriesOfRows(rows), list, screen);
  },
  page: {
    render: async ({ rows }, { list, filters, brands }, { name, now }) => {
      const { historyPage } = await import("./history-page.ts");
      return historyPage(seriesOfRows(rows), { folder: name, filters: filtersAsFlags(filters, brands), now, list });
    },
    note: ({ rows }, { list }) => `the prices of ${plural(seriesOfRows(rows).slice(0, list.limit).length, "product")}`,
  },
};

/**
 * The number of products whose rows are needed, which may be far fewer than were found; null for all. It is never one, as a single
 * product is shown otherwise.
 */
function productLimit({ list, columns, failIf, ...options }: HistoryOptions): number | null {
  const needsAll = list.sort !== undefined || columns !== undefined || failIf !== undefined;
  return list.limit === undefined || needsAll || !isOfProducts(options) ? null : Math.max(list.limit, 2);
}

export const askHistory: Run<HistoryOptions> = async (options, context) => {
  await refuseFolderFirst(options, options.skus, "catalog history B0CHX1W1XY");
  await runQuestion(HISTORY_QUESTION, options, context);
};
