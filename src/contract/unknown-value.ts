import { type Filters, formatRcd, type Rcd, splitRcd } from "./filters.ts";
import { hasSameParts } from "./values/closest.ts";
import { quoted } from "./values/phrases.ts";

const PARTS = ["retailer", "category", "department"] as const satisfies (keyof Rcd)[];

/** A filter value that is in no combination. */
export interface UnknownValue {
  filter: keyof Rcd | "rcd";
  value: string;
  /** The part that does not exist; of a triple, the first one. */
  part: keyof Rcd;
  /** The retailer to which the search was limited; undefined for all. */
  retailer: string | undefined;
  /** The values that could be meant instead. */
  candidates: readonly string[];
}

/** The first filter value that is in no combination, if there is one (contract section 4.1). */
export function findUnknownValue(
  { retailer, category, department, rcd }: Filters,
  combinations: readonly Rcd[],
): UnknownValue | undefined {
  const ofRetailer =
    retailer === undefined ? combinations : combinations.filter((known) => known.retailer === retailer);
  return (
    unknownSlug("retailer", retailer, combinations, undefined) ??
    unknownSlug("category", category, ofRetailer, retailer) ??
    unknownSlug("department", department, ofRetailer, retailer) ??
    unknownTriple(rcd?.split(",") ?? [], combinations)
  );
}

/** An unknown value for a message: `category "lamp" at the retailer "acme"`. */
export function describeUnknown({ filter, value, retailer }: UnknownValue): string {
  const noun = filter === "rcd" ? "combination" : filter;
  return `${noun} ${quoted(value)}${retailer === undefined ? "" : ` at the retailer ${quoted(retailer)}`}`;
}

function unknownSlug(
  part: keyof Rcd,
  value: string | undefined,
  combinations: readonly Rcd[],
  retailer: string | undefined,
): UnknownValue | undefined {
  return value === undefined || combinations.some((known) => known[part] === value)
    ? undefined
    : { filter: part, value, part, retailer, candidates: combinations.map((known) => known[part]) };
}

function unknownTriple(triples: readonly string[], combinations: readonly Rcd[]): UnknownValue | undefined {
  const known = new Set(triples.length === 0 ? [] : combinations.map(formatRcd));
  const value = triples.find((triple) => !known.has(triple));
  return value === undefined
    ? undefined
    : {
        filter: "rcd",
        value,
        part: unknownPart(splitRcd(value), combinations),
        retailer: undefined,
        candidates: similarTriples(value, combinations),
      };
}

/** The combinations that share the most parts with a triple. Swapped parts are shared. */
function similarTriples(triple: string, combinations: readonly Rcd[]): string[] {
  const sent = splitRcd(triple);
  const sharedParts = (known: Rcd) =>
    hasSameParts(triple, formatRcd(known)) ? PARTS.length : PARTS.filter((part) => known[part] === sent[part]).length;
  const most = combinations.reduce((count, known) => Math.max(count, sharedParts(known)), 0);
  return combinations.filter((known) => sharedParts(known) === most).map(formatRcd);
}

/** The first part of an unknown triple that does not exist. If all parts exist, but not together, it is the category. */
function unknownPart({ retailer, category, department }: Rcd, combinations: readonly Rcd[]): keyof Rcd {
  const ofRetailer = combinations.filter((known) => known.retailer === retailer);
  if (ofRetailer.length === 0) {
    return "retailer";
  }
  const hasCategory = ofRetailer.some((known) => known.category === category);
  const hasDepartment = ofRetailer.some((known) => known.department === department);
  return hasCategory && !hasDepartment ? "department" : "category";
}
