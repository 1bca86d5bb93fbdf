import { closest } from "../../../contract/values/closest.ts";

/** Values that a problem suggests at most. */
export const OPTIONS = 5;

/** At most five values of `vocabulary`: the closest to `sent`, best first, or the first ones if none is close. */
export function validOptions(sent: string, vocabulary: Iterable<string>): string[] {
  const valid = [...new Set(vocabulary)].sort();
  const near = closest(sent, valid, OPTIONS);
  return near.length > 0 ? near : valid.slice(0, OPTIONS);
}
