import type { Difference } from "../../diff/join.ts";
import type { Listing } from "../../diff/listing.ts";

const DESCRIBING = ["department", "category", "title"] as const;
const PRICES = ["mrp", "selling_price", "discount_pct", "currency"] as const;

/** Members of a difference in their order, which is also that of the CSV columns. */
export const DIFF_COLUMNS: readonly string[] = [
  "change",
  "retailer",
  "sku",
  ...DESCRIBING,
  "from_date",
  "to_date",
  ...PRICES.flatMap((price) => [`from_${price}`, `to_${price}`]),
];

/**
 * The JSON text of a difference. Prices have the digits the API sent and are null on the day that has none; department,
 * category and title are those of the later day that lists the product.
 */
export function diffRecord(difference: Difference, days: { from: string; to: string }): string {
  const raw = membersOf(difference, days);
  return `{${DIFF_COLUMNS.map((name) => `"${name}":${raw[name] ?? "null"}`).join(",")}}`;
}

/** One member of a difference, to sort by. */
export function diffValue(difference: Difference, column: string): unknown {
  return JSON.parse(membersOf(difference, { from: "", to: "" })[column] ?? "null");
}

/** The raw JSON text of each member. */
function membersOf(
  { change, retailer, sku, from, to }: Difference,
  days: { from: string; to: string },
): Record<string, string | undefined> {
  const shown = to ?? from;
  return {
    change: JSON.stringify(change),
    retailer: JSON.stringify(retailer),
    sku: JSON.stringify(sku),
    from_date: JSON.stringify(days.from),
    to_date: JSON.stringify(days.to),
    ...Object.fromEntries(DESCRIBING.map((name) => [name, shown?.[name]])),
    ...prefixed("from", from),
    ...prefixed("to", to),
  };
}

function prefixed(side: "from" | "to", listing: Listing | undefined): Record<string, string | undefined> {
  return Object.fromEntries(PRICES.map((price) => [`${side}_${price}`, listing?.[price]]));
}
