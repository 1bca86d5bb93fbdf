import type { Run } from "../../cli/context.ts";
import type { Question } from "../../cli/question/question.ts";
import { runQuestion } from "../../cli/question/run-question.ts";
import MOVERS from "../../folder/questions/movers.sql";
import { MOVER_COLUMNS, type MoversOptions } from "./options.ts";

const MOVERS_QUESTION: Question<MoversOptions> = {
  sql: MOVERS,
  columns: MOVER_COLUMNS,
  bookmarks: "movers",
  parameters: ({ kinds, groupBy }) => ({ kinds, group_by: groupBy ?? null }),
  subject: ["retailer", "sku"],
  noun: "product",
  shownRows: 10,
  limitPer: ({ groupBy }) => (groupBy === undefined ? ["kind"] : ["kind", "group_name"]),
  view: async () => (await import("./movers-table.ts")).moversText,
};

export const askMovers: Run<MoversOptions> = (options, context) => runQuestion(MOVERS_QUESTION, options, context);
