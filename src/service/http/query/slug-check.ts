import { formatRcd, type Rcd } from "../../../contract/filters.ts";
import type { SelectionFilters } from "../../store/store.ts";
import { quote, ServiceProblem } from "../service-problem.ts";
import { validOptions } from "./valid-options.ts";

type Part = keyof Rcd;

/**
 * Refuses slugs and triples that the team cannot see (contract section 4.1).
 *
 * @param vocabulary all combinations that the team can see
 */
export function checkSlugs(filters: SelectionFilters, vocabulary: readonly Rcd[]): void {
  const { retailer, category, department, combinations } = filters;
  checkSlug("retailer", retailer, vocabulary);
  if (category !== undefined || department !== undefined) {
    const scope = retailer === undefined ? vocabulary : vocabulary.filter((known) => known.retailer === retailer);
    const place = retailer === undefined ? "" : ` at the retailer ${quote(retailer)}`;
    checkSlug("category", category, scope, place);
    checkSlug("department", department, scope, place);
  }
  if (combinations !== undefined) {
    checkCombinations(combinations, vocabulary);
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

function checkCombinations(combinations: readonly Rcd[], vocabulary: readonly Rcd[]): void {
  const known = new Set(vocabulary.map(formatRcd));
  const unknown = combinations.find((combination) => !known.has(formatRcd(combination)));
  if (unknown === undefined) {
    return;
  }
  const triple = formatRcd(unknown);
  throw new ServiceProblem(`unknown_${unknownPart(unknown, vocabulary)}`, `There is no combination ${quote(triple)}.`, {
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
