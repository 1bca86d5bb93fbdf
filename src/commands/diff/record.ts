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
export function diffRecord(
  { change, retailer, sku, from, to }: Difference,
  days: { from: string; to: string },
): string {
  const shown = to ?? from;
  const raw: Record<string, string | undefined> = {
    change: JSON.stringify(change),
    retailer: JSON.stringify(retailer),
    sku: JSON.stringify(sku),
    from_date: JSON.stringify(days.from),
    to_date: JSON.stringify(days.to),
    ...Object.fromEntries(DESCRIBING.map((name) => [name, shown?.[name]])),
    ...prefixed("from", from),
    ...prefixed("to", to),
  };
  return `{${DIFF_COLUMNS.map((name) => `"${name}":${raw[name] ?? "null"}`).join(",")}}`;
}

function prefixed(side: "from" | "to", listing: Listing | undefined): Record<string, string | undefined> {
  return Object.fromEntries(PRICES.map((price) => [`${side}_${price}`, listing?.[price]]));
}
