import type { Run } from "../../cli/context.ts";
import type { Question } from "../../cli/question/question.ts";
import { runQuestion } from "../../cli/question/run-question.ts";
import { reportNoRows } from "../../cli/source/empty-result.ts";
import CRAWL_DAYS from "../../folder/questions/crawl-days.sql";
import { CRAWL_DAY_COLUMNS } from "./columns.ts";
import type { CrawlDaysOptions } from "./options.ts";

const CRAWL_DAYS_QUESTION: Question<CrawlDaysOptions> = {
  sql: CRAWL_DAYS,
  columns: CRAWL_DAY_COLUMNS,
  countsRows: true,
  find: async (_prices, _parameters, { failOnEmpty }, { days, reporter }) => {
    if (days.length === 0) {
      reportNoRows(undefined, failOnEmpty, reporter);
    }
    return {};
  },
  subject: ["retailer", "crawl_date"],
  noun: "day",
  view: async () => (await import("./views/crawl-days-table.ts")).crawlDaysText,
};

export const askCrawlDays: Run<CrawlDaysOptions> = (options, context) =>
  runQuestion(CRAWL_DAYS_QUESTION, options, context);
