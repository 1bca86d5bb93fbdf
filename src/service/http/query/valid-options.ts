import { closest } from "../../../contract/closest.ts";

const OPTIONS = 5;

/** The values of `vocabulary` nearest to `sent`, best first, or the first valid ones where nothing is near. At most five. */
export function validOptions(sent: string, vocabulary: Iterable<string>): string[] {
  const valid = [...new Set(vocabulary)].sort();
  const near = closest(sent, valid, OPTIONS);
  return near.length > 0 ? near : valid.slice(0, OPTIONS);
}
