import type { Listing } from "./listing.ts";

/** Whether two listings have the same prices by value: `19.90` and `19.9` are one price, a reworded title is no change. */
export function samePrices(a: Listing, b: Listing): boolean {
  return (
    a.currency === b.currency &&
    sameNumber(a.mrp, b.mrp) &&
    sameNumber(a.selling_price, b.selling_price) &&
    sameNumber(a.discount_pct, b.discount_pct)
  );
}

/** Compares two JSON numbers (RFC 8259 section 6) by value, to the last digit: a double would hide a change in the 17th. */
export function sameNumber(a: string, b: string): boolean {
  return a === b || canonical(a) === canonical(b);
}

function canonical(raw: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(raw);
  if (match === null) {
    return raw;
  }
  const [, sign = "", integer = "", fraction = "", exponent = "0"] = match;
  const digits = `${integer}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  const scale = Number(exponent) - fraction.length + (digits.length - significant.length);
  return significant === "" ? "0" : `${sign}${significant}e${scale}`;
}
