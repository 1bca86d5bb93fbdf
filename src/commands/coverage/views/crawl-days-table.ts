import { numberOf } from "../../../cli/question/answer-cells.ts";
import type { ShownAnswer } from "../../../cli/question/question.ts";
import type { Screen } from "../../../cli/terminal/style.ts";
import { numberCell, percentOfShare, percentText } from "../../../cli/terminal/tables/cell.ts";
import { itemTable, numberColumn, textColumn } from "../../../cli/terminal/tables/item-table.ts";
import { renderCaptioned } from "../../../cli/terminal/tables/table.ts";
import type { AnswerRow } from "../../../folder/ask/ask.ts";
import type { CrawlDaysOptions } from "../options.ts";

export function crawlDaysText({ rows }: ShownAnswer, _: CrawlDaysOptions, screen: Screen) {
  const share = (row: AnswerRow) => {
    const value = numberOf("share")(row);
    return value === undefined ? undefined : percentText(percentOfShare(value));
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
