import { type Filters, formatRcd, type Rcd, splitRcd } from "../../../contract/filters.ts";
import { closest, hasSameParts } from "../../../contract/values/closest.ts";
import { quote, ServiceProblem } from "../service-problem.ts";

type SlugName = keyof Rcd;
const PARTS = ["retailer", "category", "department"] as const satisfies SlugName[];

/** Refuses slugs and triples that are in no combination that the team can see (contract section 4.1). */
export function checkSlugs(filters: Filters, vocabulary: readonly Rcd[]): void {
  const { retailer, category, department, rcd } = filters;
  requireSlug("retailer", retailer, vocabulary);
  if (category !== undefined || department !== undefined) {
    const scope = retailer === undefined ? vocabulary : vocabulary.filter((known) => known.retailer === retailer);
    const place = retailer === undefined ? "" : ` at the retailer ${quote(retailer)}`;
    requireSlug("category", category, scope, place);
    requireSlug("department", department, scope, place);
  }
  if (rcd !== undefined) {
    requireTriples(rcd.split(","), vocabulary);
  }
}

function requireSlug(part: SlugName, value: string | undefined, scope: readonly Rcd[], place = ""): void {
  if (value === undefined || scope.some((known) => known[part] === value)) {
    return;
  }
  throw new ServiceProblem(`unknown_${part}`, `There is no ${part} ${quote(value)}${place}.`, {
    field: part,
    validOptions: validOptions(
      value,
      scope.map((known) => known[part]),
    ),
  });
}

function requireTriples(triples: readonly string[], vocabulary: readonly Rcd[]): void {
  const known = new Set(vocabulary.map(formatRcd));
  const triple = triples.find((text) => !known.has(text));
  if (triple === undefined) {
    return;
  }
  const part = unknownPart(splitRcd(triple), vocabulary);
  throw new ServiceProblem(`unknown_${part}`, `There is no combination ${quote(triple)}.`, {
    field: "rcd",
    validOptions: closestTriples(triple, vocabulary),
  });
}

/** The known triples that share the most parts with an unknown one, the closest of them first. Swapped parts are shared. */
function closestTriples(triple: string, vocabulary: readonly Rcd[]): string[] {
  const sent = splitRcd(triple);
  const sharedParts = (known: Rcd) =>
    hasSameParts(triple, formatRcd(known)) ? PARTS.length : PARTS.filter((name) => known[name] === sent[name]).length;
  const most = vocabulary.reduce((count, known) => Math.max(count, sharedParts(known)), 0);
  return validOptions(triple, vocabulary.filter((known) => sharedParts(known) === most).map(formatRcd));
}

/** The first part of an unknown triple that does not exist. If all parts exist, but not together, it is the category. */
function unknownPart(triple: Rcd, vocabulary: readonly Rcd[]): SlugName {
  const scope = vocabulary.filter((known) => known.retailer === triple.retailer);
  if (scope.length === 0) {
    return "retailer";
  }
  const hasCategory = scope.some((known) => known.category === triple.category);
  const hasDepartment = scope.some((known) => known.department === triple.department);
  return hasCategory && !hasDepartment ? "department" : "category";
}

/** The maximum number of values that a problem suggests. */
const OPTIONS = 5;

/** The values of `vocabulary` closest to `sent`, best first, at most five. If none is close, the first five. */
export function validOptions(sent: string, vocabulary: Iterable<string>): string[] {
  const valid = [...new Set(vocabulary)].sort();
  const near = closest(sent, valid, OPTIONS);
  return near.length > 0 ? near : valid.slice(0, OPTIONS);
}
