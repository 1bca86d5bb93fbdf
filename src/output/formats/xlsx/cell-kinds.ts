import { productSchema } from "../../../contract/product.ts";

/**
 * What a value is in a sheet. `date`: YYYY-MM-DD becomes a date. `timestamp`: `YYYY-MM-DD HH:MM:SS`, with at most
 * milliseconds, becomes a date with a time. `link`: an http or https address can be clicked, if links are asked for. A text
 * of another shape stays text. `percent`: the number 12.5 stays 12.5 and is shown as 12.5%.
 */
export type CellKind = "date" | "timestamp" | "link" | "percent";

export type CellKinds = Readonly<Record<string, CellKind>>;

const KIND_OF_FORMAT: CellKinds = { date: "date", url: "link", "url-or-empty": "link" };

/** The kinds of the columns of a product row, by their formats in the contract. */
export const PRODUCT_KINDS: CellKinds = {
  ...Object.fromEntries(
    Object.entries(productSchema.properties).flatMap(([name, property]) => {
      const kind = "format" in property ? KIND_OF_FORMAT[property.format] : undefined;
      return kind === undefined ? [] : [[name, kind]];
    }),
  ),
  discount_pct: "percent",
};
