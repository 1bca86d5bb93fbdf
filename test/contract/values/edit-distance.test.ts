import { array, assert, constantFrom, property, string } from "fast-check";
import { distance as levenshtein } from "fastest-levenshtein";
import { expect, test } from "vitest";
import { editDistance } from "../../../src/contract/values/edit-distance.ts";

const word = string({ unit: constantFrom("a", "b", "c", "d"), maxLength: 12 });

test("each inserted, missing, replaced or swapped letter is one edit", () => {
  const edited = ["shoes", "shooes", "shes", "shaes", "shose", "hsose", ""];
  expect(edited.map((text) => editDistance("shoes", text))).toEqual([0, 1, 1, 1, 1, 2, 5]);
});

test("without swaps it is the Levenshtein distance", () => {
  // Sorted words have no letters that are swapped.
  const sorted = array(constantFrom("a", "b", "c", "d"), { maxLength: 12 }).map((letters) => letters.sort().join(""));
  assert(property(sorted, sorted, (a, b) => editDistance(a, b) === levenshtein(a, b)));
});

test("it is at most the Levenshtein distance, at least half of it, and the same in both directions", () => {
  assert(
    property(word, word, (a, b) => {
      const edits = editDistance(a, b);
      expect(edits).toBeLessThanOrEqual(levenshtein(a, b));
      expect(edits * 2).toBeGreaterThanOrEqual(levenshtein(a, b));
      expect(editDistance(b, a)).toBe(edits);
    }),
  );
});

test("a swap anywhere in a word is one edit", () => {
  assert(
    property(word, word, (start, end) => {
      expect(editDistance(`${start}xy${end}`, `${start}yx${end}`)).toBe(1);
    }),
  );
});

test("the distance is exact up to the bound, and infinite above it", () => {
  assert(
    property(word, word, constantFrom(0, 1, 2, 3, 5), (a, b, most) => {
      const edits = editDistance(a, b);
      expect(editDistance(a, b, most)).toBe(edits <= most ? edits : Number.POSITIVE_INFINITY);
    }),
  );
});
