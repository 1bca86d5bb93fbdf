import { editDistance } from "./edit-distance.ts";

/** Longer texts are not compared, because no name is close to them. */
const COMPARED_LENGTH = 200;

/** Maximum edits between a text and a suggestion. */
const MAX_EDITS = 4;

/**
 * The candidates closest to `text`, best first. Ignores letter case and the kind of separator (space, underscore, hyphen).
 *
 * The distance of a candidate is the number of edits that turn `text` into it, or into some of its words. Close means that
 * at most half of the letters of `text` are wrong, and that no other candidate is much closer. Ties go to the shorter one.
 */
export function closest(text: string, candidates: Iterable<string>, maximum = 3): string[] {
  return ranked(text, candidates, 1 / 2).slice(0, maximum);
}

/** Like `closest`, but stricter: at most a third of the letters of `text` are wrong. */
export function similar(text: string, candidates: readonly string[]): string[] {
  return ranked(text, candidates, 1 / 3);
}

/** The candidate that is one edit away from `text`, or two if it has more than four letters; undefined if there is none. */
export function misspelt(text: string, candidates: readonly string[]): string | undefined {
  const edits = (value: string) => editDistance(text.toLowerCase(), value, value.length > 4 ? 2 : 1);
  return candidates.filter((value) => Number.isFinite(edits(value))).sort((a, b) => edits(a) - edits(b))[0];
}

function ranked(text: string, candidates: Iterable<string>, share: number): string[] {
  const typed = text.length > COMPARED_LENGTH ? "" : normalised(text);
  const near = [...new Set(candidates)]
    .map((value) => ({ value, edits: editsBetween(typed, normalised(value)) }))
    .filter(({ edits }) => edits <= MAX_EDITS && edits <= typed.length * share);
  const least = Math.min(...near.map(({ edits }) => edits));
  return near
    .filter(({ edits }) => edits <= least + 1.5)
    .sort((a, b) => a.edits - b.edits || a.value.length - b.value.length)
    .map(({ value }) => value);
}

/** The edits from `typed` to a name or to a part of it. A fraction is added for a part, so that whole names come first. */
function editsBetween(typed: string, name: string): number {
  const edits = (from: string, to: string) => editDistance(from, to, MAX_EDITS);
  const words = name.split("-");
  const count = typed.split("-").length;
  const parts = words.map((_, at) => words.slice(at, at + count).join("-"));
  const isBegun = `-${name}`.includes(`-${typed}`);
  return Math.min(
    edits(typed, name),
    edits(typed.replaceAll("-", ""), words.join("")) + 0.1,
    isBegun ? 0.5 : Number.POSITIVE_INFINITY,
    ...parts.map((part) => edits(typed, part) + 0.6),
  );
}

function normalised(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, "-");
}
