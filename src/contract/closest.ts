import { editDistance } from "./edit-distance.ts";

/** Longer texts are not compared: no name comes near, and the work would grow with what was sent. */
const COMPARED_LENGTH = 200;

/**
 * The candidates that `text` was most likely meant to be, best first, at most `most` of them: those a letter away,
 * continuations, those that contain it, others by edit distance, those with a word that is near. Letter case, and which
 * of space, underscore and hyphen separates words, do not count as differences. Empty where nothing is near.
 */
export function closest(text: string, candidates: Iterable<string>, most = 3): string[] {
  const wanted = text.length > COMPARED_LENGTH ? "" : normalise(text);
  if (wanted === "") {
    return [];
  }
  return [...new Set(candidates)]
    .map((value) => ({ value, score: score(wanted, normalise(value)) }))
    .filter(({ score }) => Number.isFinite(score))
    .sort((a, b) => a.score - b.score)
    .slice(0, most)
    .map(({ value }) => value);
}

function normalise(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, "-");
}

/** Where each kind of nearness begins; within a kind the smaller difference in length or letters comes first. */
const CONTINUES = 2;
const CONTAINS = 3;
const EDITED = 4;
const NEAR_WORD = COMPARED_LENGTH;

/** Smaller is nearer; infinite where the two have too little in common. */
function score(wanted: string, value: string): number {
  if (value.replaceAll("-", "") === wanted.replaceAll("-", "")) {
    return 0;
  }
  const near = Math.max(1, Math.floor(wanted.length / 3));
  const edits = editDistance(wanted, value, near);
  const longer = Math.abs(value.length - wanted.length) / 1000;
  const continues = value.startsWith(wanted) || `${wanted}-`.startsWith(`${value}-`);
  if (edits <= Math.min(continues ? 2 : 1, near)) {
    return continues ? edits - 0.5 : edits;
  }
  if (continues) {
    return CONTINUES + longer;
  }
  if (value.includes(wanted)) {
    return CONTAINS + longer;
  }
  if (edits <= near) {
    return EDITED + edits;
  }
  const words = Math.min(...value.split("-").map((word) => editDistance(wanted, word, Math.min(2, near))));
  return NEAR_WORD + words + longer;
}
