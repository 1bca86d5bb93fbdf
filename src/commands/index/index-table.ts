import { numberOf, priceColumnOf, textOf } from "../../cli/question/answer-cells.ts";
import type { ShownAnswer } from "../../cli/question/question.ts";
import type { Screen } from "../../cli/terminal/style.ts";
import { numberCell, roundedText } from "../../cli/terminal/tables/cell.ts";
import { itemTable, numberColumn, textColumn } from "../../cli/terminal/tables/item-table.ts";
import { renderCaptioned } from "../../cli/terminal/tables/table.ts";
import type { IndexOptions } from "./options.ts";

export function indexText({ rows }: ShownAnswer, _: IndexOptions, screen: Screen) {
  const table = itemTable(rows, [
    textColumn("retailer", textOf("retailer")),
    textColumn("day", textOf("crawl_date"), { rigid: true }),
    { heading: "index", rigid: true, cell: (row) => numberCell(twoDecimals(numberOf("index")(row))) },
    priceColumnOf("basket", "basket_value"),
    textColumn("currency", textOf("currency"), { rigid: true }),
    numberColumn("priced", numberOf("products_priced")),
    numberColumn("products", numberOf("products")),
  ]);
  return renderCaptioned(table, ["retailer", "currency", "products"], screen);
}

function twoDecimals(index: number | undefined): string | undefined {
  return index === undefined ? undefined : roundedText(index, 2);
}
