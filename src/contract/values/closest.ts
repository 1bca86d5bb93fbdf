import { editDistance } from "./edit-distance.ts";

/** Longer texts are not compared: no name is close to them, and the comparison would be slow. */
const COMPARED_LENGTH = 200;

/** Most letters of candidates that are compared, which takes a fraction of a second. Later candidates are ignored. */
const COMPARED_LETTERS = 150_000;

/** The kinds of similarity, most similar first. Within a kind, a smaller difference in letters or length is better. */
const RANK = { same: 0, words: 1, slip: 2, start: 3, wordSlip: 4, slips: 5, far: Number.POSITIVE_INFINITY } as const;

type Ranker = (candidate: string) => number;

interface LetterBudget {
  letters: number;
}

/**
 * At most `most` candidates that are close to `text`, best first: those that are similar to it, then those with the fewest
 * edits, if more than two letters of five are right. The second rule is commander's.
 */
export function closest(text: string, candidates: Iterable<string>, most = 3): string[] {
  const values = [...new Set(candidates)];
  return [...new Set([...similar(text, values), ...leastEdited(normalised(text), values)])].slice(0, most);
}

/** Most edits of any suggestion. */
const MOST_EDITS = 3;

function leastEdited(text: string, candidates: readonly string[]): string[] {
  let letters = text.length > COMPARED_LENGTH ? 0 : COMPARED_LETTERS;
  const found = candidates.flatMap((value) => {
    letters -= value.length;
    const edits = letters < 0 ? Number.POSITIVE_INFINITY : editDistance(text, normalised(value), MOST_EDITS);
    return edits < 0.6 * Math.max(text.length, value.length) ? { value, edits } : [];
  });
  const fewest = Math.min(...found.map(({ edits }) => edits));
  return found.filter(({ edits }) => edits === fewest).map(({ value }) => value);
}

/**
 * The candidates that are similar to `text`, best first. Letter case, plurals and the kind of separator
 * (space, underscore, hyphen) do not matter.
 *
 * The order is: all words of `text`; one typing error (a letter missing, added, changed or swapped); words that begin
 * with the words of `text`; a word with one typing error; a few typing errors in total. A match in the middle of a word
 * does not count: `car` is not similar to `ar-skincare`. The parts of `retailer:category:department` triples are
 * compared separately, and at least two parts must be similar.
 */
export function similar(text: string, candidates: readonly string[]): string[] {
  if (text.length > COMPARED_LENGTH || normalised(text) === "") {
    return [];
  }
  const budget = { letters: COMPARED_LETTERS };
  const rank = text.includes(":") ? tripleRanker(text, budget) : nameRanker(text, budget);
  return candidates
    .map((value) => ({ value, rank: rank(value) }))
    .filter((found) => found.rank < RANK.far)
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value);
}

/** The candidate that differs from `text` by one edit, or by two edits if it is long; undefined if there is none. */
export function misspelt(text: string, candidates: readonly string[]): string | undefined {
  const slips = (value: string) => editDistance(text.toLowerCase(), value, value.length > 4 ? 2 : 1);
  return candidates.filter((value) => slips(value) < RANK.far).sort((a, b) => slips(a) - slips(b))[0];
}

/** Ranks triples by their parts. Each different part is ranked once, because a vocabulary has few parts. */
function tripleRanker(text: string, budget: LetterBudget): Ranker {
  const rankers = text.split(":").map((part) => remembered(nameRanker(part, budget)));
  return (triple) => {
    const ranks = triple.split(":").map((part, index) => rankers[index]?.(part) ?? RANK.far);
    const near = ranks.filter((rank) => rank < RANK.far);
    const farParts = Math.max(ranks.length, rankers.length) - near.length;
    return farParts > 1 || near.length < 2 ? RANK.far : near.reduce((sum, rank) => sum + rank, farParts * 10);
  };
}

function remembered(rank: Ranker): Ranker {
  const known = new Map<string, number>();
  return (value) => {
    const found = known.get(value) ?? rank(value);
    known.set(value, found);
    return found;
  };
}

function nameRanker(text: string, budget: LetterBudget): Ranker {
  const wanted = formsOf(text);
  const slips = Math.min(3, Math.max(1, Math.floor(wanted.text.length / 4)));
  return (candidate) => {
    budget.letters -= candidate.length;
    if (budget.letters < 0) {
      return RANK.far;
    }
    const name = formsOf(candidate);
    const edits = editDistance(wanted.text, name.text, slips);
    const isStart = name.text.startsWith(wanted.text) || name.singular.startsWith(wanted.singular);
    const longer = Math.abs(name.text.length - wanted.text.length) / 1000;
    return rankOf(wanted, name, edits) + longer + (isStart ? 0 : 0.5);
  };
}

/** The kind of similarity. @param edits the edit distance, infinite if it is too large */
function rankOf(wanted: NameForms, { together, singular, words }: NameForms, edits: number): number {
  if (together === wanted.together || singular === wanted.singular) {
    return RANK.same;
  }
  if (wanted.words.every((word) => words.includes(word))) {
    return RANK.words;
  }
  if (edits === 1) {
    return RANK.slip;
  }
  if (wanted.words.every((word) => words.some((other) => other.startsWith(word)))) {
    return RANK.start;
  }
  if (wanted.words.every((word) => words.some((other) => isSlip(word, other)))) {
    return RANK.wordSlip;
  }
  return RANK.slips + edits;
}

/** Whether two words differ by at most one edit. Short words must be equal. */
function isSlip(word: string, other: string): boolean {
  return word === other || (Math.min(word.length, other.length) > 3 && editDistance(word, other, 1) === 1);
}

/** The forms of a name that are compared. */
interface NameForms {
  text: string;
  /** Without separators. */
  together: string;
  /** Each word in the singular. */
  words: readonly string[];
  singular: string;
}

function formsOf(name: string): NameForms {
  const text = normalised(name);
  const words = text
    .split("-")
    .filter((word) => word !== "")
    .map((word) => word.replace(/([^s]{2})s$/, "$1").replace(/(ch|sh|ss|x|z)e$/, "$1"));
  return { text, together: text.replaceAll("-", ""), words, singular: words.join("-") };
}

function normalised(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, "-");
}
