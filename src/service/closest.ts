import { distance } from "fastest-levenshtein";

const OPTIONS = 5;
/** Longer values are not compared: no slug comes near, and the work would grow with what was sent. */
const COMPARED_LENGTH = 200;
/** A near word inside a longer slug comes after every slug that is near as a whole. */
const WORD_SCORE = COMPARED_LENGTH;

/**
 * The values of `vocabulary` nearest to `sent`, best first, at most five: those a letter or two away, continuations,
 * values that contain it, others by edit distance, values with a word that is near. Where nothing is near, the first
 * five valid values. Letter case, spaces and underscores do not count as differences.
 */
export function closest(sent: string, vocabulary: Iterable<string>): string[] {
  const valid = [...new Set(vocabulary)].sort();
  const wanted = sent.length > COMPARED_LENGTH ? "" : normalise(sent);
  if (wanted === "") {
    return valid.slice(0, OPTIONS);
  }
  const near = valid
    .map((value) => ({ value, score: score(wanted, normalise(value)) }))
    .filter(({ score }) => Number.isFinite(score))
    .sort((a, b) => a.score - b.score)
    .map(({ value }) => value);
  return (near.length > 0 ? near : valid).slice(0, OPTIONS);
}

function normalise(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, "-");
}

/** Smaller is nearer; infinite where the two have too little in common. */
function score(wanted: string, value: string): number {
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
  if (edits <= near) {
    return 2 + edits;
  }
  const nearWord = value.split("-").some((word) => distance(wanted, word) <= Math.min(2, near));
  return nearWord ? WORD_SCORE + edits / 1000 : Number.POSITIVE_INFINITY;
}
