import type { Filters, Rcd } from "../../../contract/filters.ts";
import { describeUnknown, findUnknownValue } from "../../../contract/unknown-value.ts";
import { closest } from "../../../contract/values/closest.ts";
import { quote, ServiceProblem } from "../service-problem.ts";

/** Refuses slugs and triples that are in no combination that the team can see (contract section 4.1). */
export function checkSlugs(filters: Filters, vocabulary: readonly Rcd[]): void {
  const unknown = findUnknownValue(filters, vocabulary);
  if (unknown !== undefined) {
    const { part, filter, value, candidates } = unknown;
    throw new ServiceProblem(`unknown_${part}`, `There is no ${describeUnknown(unknown, quote)}.`, {
      field: filter,
      validOptions: validOptions(value, candidates),
    });
  }
}

/** The maximum number of values that a problem suggests. */
const OPTIONS = 5;

/** The values of `vocabulary` closest to `sent`, best first, at most five. If none is close, the first five. */
export function validOptions(sent: string, vocabulary: Iterable<string>): string[] {
  const valid = [...new Set(vocabulary)].sort();
  const near = closest(sent, valid, OPTIONS);
  return near.length > 0 ? near : valid.slice(0, OPTIONS);
}
