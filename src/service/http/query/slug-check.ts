import { type Filters, formatRcd, type Rcd, splitRcd } from "../../../contract/filters.ts";
import { closest } from "../../../contract/values/closest.ts";
import { quote, ServiceProblem } from "../service-problem.ts";
import { OPTIONS, validOptions } from "./valid-options.ts";

type SlugName = keyof Rcd;

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

/** How much each part counts when a sent triple is compared with the known ones. */
const WEIGHTS: readonly (readonly [SlugName, number])[] = [
  ["retailer", 4],
  ["category", 3],
  ["department", 2],
];

/** The share of the weight that a similar part has. */
const SIMILAR = 0.75;

/** The orders in which three parts may be sent, the right one first. */
const ORDERS = ["012", "021", "102", "120", "201", "210"].map((order) => [...order].map(Number));

/** The known triples, at most five, that share the most parts with an unknown one. Parts may be misspelt or swapped. */
function closestTriples(triple: string, vocabulary: readonly Rcd[]): string[] {
  const sent = triple.split(":");
  const similar = WEIGHTS.map(([name]) => {
    const values = new Set(vocabulary.map((known) => known[name]));
    return sent.map((text) => new Set(closest(text, values)));
  });
  const scored = vocabulary.map((known) => {
    const inOrder = (order: readonly number[]) =>
      WEIGHTS.reduce((sum, [name, weight], at) => {
        const from = order[at] ?? at;
        const isEqual = known[name] === sent[from];
        return sum + (isEqual ? weight : similar[at]?.[from]?.has(known[name]) === true ? SIMILAR * weight : 0);
      }, 0);
    return { triple: formatRcd(known), score: Math.max(...ORDERS.map(inOrder)) };
  });
  const best = scored.reduce((most, { score }) => Math.max(most, score), 0);
  const nearest = scored.filter(({ score }) => score === best).map((known) => known.triple);
  return [...new Set(nearest)].sort().slice(0, OPTIONS);
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
