import { distance } from "fastest-levenshtein";

/** Longer texts are not compared, because no name is close to them. */
const COMPARED_LENGTH = 200;

/** Maximum edits between a text and a suggestion. */
const MAX_EDITS = 4;

/**
 * The candidates closest to `text`, best first. Ignores letter case and the kind of separator (space, underscore, hyphen).
 *
 * The distance of a candidate is the number of edits that turn `text` into it, or into some of its words; swapping the parts of a
 * triple is one edit. Close means that at most a share of the letters of `text` are wrong, and that no other candidate is much
 * closer. Names that begin with `text` come before those with a word that does. Ties go to the shorter one.
 */
export function closest(text: string, candidates: Iterable<string>, maximum = 3, share = 1 / 2): string[] {
  const typed = normalised(text);
  if (typed === "" || typed.length > COMPARED_LENGTH) {
    return [];
  }
  const near = [...new Set(candidates)]
    .map((value) => ({ value, edits: editsBetween(typed, normalised(value)) }))
    .filter(({ edits }) => edits <= Math.min(MAX_EDITS, typed.length * share));
  const least = Math.min(...near.map(({ edits }) => edits));
  return near
    .filter(({ edits }) => edits <= least + 1.5)
    .sort((a, b) => a.edits - b.edits || a.value.length - b.value.length)
    .slice(0, maximum)
    .map(({ value }) => value);
}

/** Many names have some word a letter away from a shorter text, which must at least begin like it. */
const LONG_WORD = 5;

/** The edits from `typed` to a name or to a part of it. A fraction is added for a part, so that whole names come first. */
function editsBetween(typed: string, name: string): number {
  const words = name.split("-");
  const count = typed.split("-").length;
  const parts = words
    .map((_, at) => words.slice(at, at + count).join("-"))
    .filter((part) => typed.length >= LONG_WORD || part[0] === typed[0]);
  return Math.min(
    edits(typed, name),
    edits(typed.replaceAll("-", ""), words.join("")) + 0.1,
    hasSameParts(typed, name) ? 1 : Number.POSITIVE_INFINITY,
    name.startsWith(typed) ? 0.5 : name.includes(`-${typed}`) ? 0.55 : Number.POSITIVE_INFINITY,
    ...parts.map((part) => edits(typed, part) + 0.6),
  );
}

/** Whether two texts have the same parts between colons, maybe in another order. */
export function hasSameParts(one: string, other: string): boolean {
  const inOrder = (text: string) => text.split(":").sort().join(":");
  return one.includes(":") && inOrder(one) === inOrder(other);
}

/** Two swapped letters are one edit, not two. */
function edits(from: string, to: string): number {
  const at = [...from].findIndex((letter, index) => letter !== to[index]);
  const swapped = from.slice(0, at) + from.charAt(at + 1) + from.charAt(at) + from.slice(at + 2);
  return at !== -1 && swapped === to ? 1 : distance(from, to);
}

function normalised(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, "-");
}
