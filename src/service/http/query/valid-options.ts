import { closest } from "../../../contract/values/closest.ts";

/** The maximum number of values that a problem suggests. */
export const OPTIONS = 5;

/** The values of `vocabulary` closest to `sent`, best first, at most five. If none is close, the first five. */
export function validOptions(sent: string, vocabulary: Iterable<string>): string[] {
  const valid = [...new Set(vocabulary)].sort();
  const near = closest(sent, valid, OPTIONS);
  return near.length > 0 ? near : valid.slice(0, OPTIONS);
}
