import { distance } from "fastest-levenshtein";

/**
 * The candidates that `text` was most likely meant to be, best first: those that contain it (`price` in
 * `selling_price`), then those within an edit distance of half its length.
 */
export function closest(text: string, candidates: readonly string[], most = 3): string[] {
  const wanted = text.toLowerCase();
  const bound = Math.max(2, Math.floor(wanted.length / 2));
  return candidates
    .map((candidate) => ({ candidate, edits: distance(wanted, candidate.toLowerCase()) }))
    .map((entry) => ({ ...entry, contains: wanted.length > 2 && entry.candidate.toLowerCase().includes(wanted) }))
    .filter(({ edits, contains }) => contains || edits <= bound)
    .sort((a, b) => Number(b.contains) - Number(a.contains) || a.edits - b.edits)
    .slice(0, most)
    .map(({ candidate }) => candidate);
}
