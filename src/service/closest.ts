import { distance } from "fastest-levenshtein";

const OPTIONS = 5;
/** Longer values are not compared: no slug comes near, and the work would grow with what was sent. */
const COMPARED_LENGTH = 200;

/**
 * The values of `vocabulary` nearest to `sent`, best first, at most five: continuations, then values that contain it,
 * then by edit distance. Where nothing is near, the first five valid values. Letter case, spaces and underscores do not
 * count as differences.
 */
export function closest(sent: string, vocabulary: Iterable<string>): string[] {
  const valid = [...new Set(vocabulary)].sort();
  const wanted = sent.length > COMPARED_LENGTH ? "" : normalise(sent);
  if (wanted === "") {
    return valid.slice(0, OPTIONS);
  }
  const near = valid
    .map((value) => ({ value, score: score(wanted, normalise(value)) }))
    .filter(({ score }) => score !== undefined)
    .sort((a, b) => (a.score ?? 0) - (b.score ?? 0))
    .map(({ value }) => value);
  return (near.length > 0 ? near : valid).slice(0, OPTIONS);
}

function normalise(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, "-");
}

/** Smaller is nearer; undefined where the two have too little in common. */
function score(wanted: string, value: string): number | undefined {
  const edits = distance(wanted, value);
  const near = Math.max(1, Math.floor(wanted.length / 3));
  const continues = value.startsWith(wanted) || wanted.startsWith(value);
  if (edits <= Math.min(2, near)) {
    return continues ? edits - 0.5 : edits;
  }
  if (continues) {
    return 3 + edits / 1000;
  }
  if (value.includes(wanted)) {
    return 4 + edits / 1000;
  }
  return edits <= near ? 2 + edits : undefined;
}
