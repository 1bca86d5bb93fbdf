import { editDistance } from "./edit-distance.ts";

/** Longer texts are not compared: no name is close to them. */
const COMPARED_LENGTH = 200;

/** Most edits of any suggestion. */
const MOST_EDITS = 4;

/**
 * At most `most` candidates that are close to `text`, best first. Letter case and the kind of separator (space, underscore,
 * hyphen) do not matter.
 *
 * A candidate is as far away as the edits that turn `text` into it, or into some of its words. It is close if at most half
 * of the letters of `text` are wrong, and it is not much farther than the closest one. Of equally far ones, the shortest
 * comes first.
 */
export function closest(text: string, candidates: Iterable<string>, most = 3): string[] {
  return ranked(text, candidates, 1 / 2).slice(0, most);
}

/** As `closest`, of those that are more than a guess: at most a third of the letters of `text` is wrong. */
export function similar(text: string, candidates: readonly string[]): string[] {
  return ranked(text, candidates, 1 / 3);
}

/** The candidate that differs from `text` by one edit, or by two edits if it is long; undefined if there is none. */
export function misspelt(text: string, candidates: readonly string[]): string | undefined {
  const slips = (value: string) => editDistance(text.toLowerCase(), value, value.length > 4 ? 2 : 1);
  return candidates.filter((value) => Number.isFinite(slips(value))).sort((a, b) => slips(a) - slips(b))[0];
}

function ranked(text: string, candidates: Iterable<string>, share: number): string[] {
  const typed = text.length > COMPARED_LENGTH ? "" : normalised(text);
  const near = [...new Set(candidates)]
    .map((value) => ({ value, edits: editsBetween(typed, normalised(value)) }))
    .filter(({ edits }) => edits <= MOST_EDITS && edits <= typed.length * share);
  const least = Math.min(...near.map(({ edits }) => edits));
  return near
    .filter(({ edits }) => edits <= least + 1.5)
    .sort((a, b) => a.edits - b.edits || a.value.length - b.value.length)
    .map(({ value }) => value);
}

/** The least edits from `typed` to a name or a part of it; a whole name is a fraction of an edit nearer than a part. */
function editsBetween(typed: string, name: string): number {
  const edits = (from: string, to: string) => editDistance(from, to, MOST_EDITS);
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
