import { type Filters, formatRcd, type Rcd, splitRcd } from "../../../contract/filters.ts";
import { quote, ServiceProblem } from "../service-problem.ts";
import { validOptions } from "./valid-options.ts";

type Part = keyof Rcd;

/**
 * Refuses slugs and triples that the team cannot see (contract section 4.1).
 *
 * @param vocabulary all combinations that the team can see
 */
export function checkSlugs(filters: Filters, vocabulary: readonly Rcd[]): void {
  const { retailer, category, department, rcd } = filters;
  checkSlug("retailer", retailer, vocabulary);
  if (category !== undefined || department !== undefined) {
    const scope = retailer === undefined ? vocabulary : vocabulary.filter((known) => known.retailer === retailer);
    const place = retailer === undefined ? "" : ` at the retailer ${quote(retailer)}`;
    checkSlug("category", category, scope, place);
    checkSlug("department", department, scope, place);
  }
  if (rcd !== undefined) {
    checkTriples(rcd.split(","), vocabulary);
  }
}

function checkSlug(part: Part, value: string | undefined, scope: readonly Rcd[], place = ""): void {
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

function checkTriples(triples: readonly string[], vocabulary: readonly Rcd[]): void {
  const known = new Set(vocabulary.map(formatRcd));
  const triple = triples.find((text) => !known.has(text));
  if (triple === undefined) {
    return;
  }
  const part = unknownPart(splitRcd(triple), vocabulary);
  throw new ServiceProblem(`unknown_${part}`, `There is no combination ${quote(triple)}.`, {
    field: "rcd",
    validOptions: validOptions(triple, known),
  });
}

/** The first part of an unknown triple that does not exist. If all parts exist, but not together, it is the category. */
function unknownPart(triple: Rcd, vocabulary: readonly Rcd[]): Part {
  const scope = vocabulary.filter((known) => known.retailer === triple.retailer);
  if (scope.length === 0) {
    return "retailer";
  }
  const hasCategory = scope.some((known) => known.category === triple.category);
  const hasDepartment = scope.some((known) => known.department === triple.department);
  return hasCategory && !hasDepartment ? "department" : "category";
}
