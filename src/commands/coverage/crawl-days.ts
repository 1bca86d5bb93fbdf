import type { Run } from "../../cli/context.ts";
import { numberOf } from "../../cli/question/answer-cells.ts";
import type { Question, ShownAnswer } from "../../cli/question/declaration.ts";
import { runQuestion } from "../../cli/question/run-question.ts";
import { reportEmpty } from "../../cli/source/empty-result.ts";
import type { Screen } from "../../cli/terminal/style.ts";
import { numberCell, percentText } from "../../cli/terminal/tables/cell.ts";
import { itemTable, numberColumn, textColumn } from "../../cli/terminal/tables/item-table.ts";
import { renderCaptioned } from "../../cli/terminal/tables/table.ts";
import type { AnswerRow } from "../../folder/ask/ask.ts";
import CRAWL_DAYS from "../../folder/questions/crawl-days.sql";
import { CRAWL_DAY_COLUMNS } from "./columns.ts";
import type { CrawlDaysOptions } from "./options.ts";

const CRAWL_DAYS_QUESTION: Question<CrawlDaysOptions> = {
  sql: CRAWL_DAYS,
  columns: CRAWL_DAY_COLUMNS,
  countsRows: true,
  find: async (_prices, _parameters, { failOnEmpty }, { days, reporter }) => {
    if (days.length === 0) {
      reportEmpty(undefined, failOnEmpty, reporter);
    }
    return {};
  },
  subject: ["retailer", "crawl_date"],
  noun: "day",
  view: crawlDaysText,
};

export const askCrawlDays: Run<CrawlDaysOptions> = (options, context) =>
  runQuestion(CRAWL_DAYS_QUESTION, options, context);

function crawlDaysText({ rows }: ShownAnswer, _: CrawlDaysOptions, screen: Screen) {
  const share = (row: AnswerRow) => {
    const value = numberOf("share")(row);
    return value === undefined ? undefined : percentText(Number((value * 100).toFixed(4)));
  };
  const table = itemTable(rows, [
    textColumn("retailer", (row) => String(row.retailer)),
    textColumn("day", (row) => String(row.crawl_date), { rigid: true }),
    numberColumn("rows", numberOf("matching_rows")),
    numberColumn("usual rows", numberOf("usual_rows")),
    { heading: "share %", rigid: true, cell: (row) => numberCell(share(row)) },
    textColumn("", (row) => (row.outage === true ? "outage" : ""), { rigid: true }),
  ]);
  return renderCaptioned(table, ["retailer"], screen);
}
