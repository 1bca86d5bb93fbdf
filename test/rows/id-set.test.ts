import { array, assert, property, string } from "fast-check";
import { expect, test } from "vitest";
import { IdSet } from "../../src/rows/id-set.ts";

function add(ids: IdSet, text: string): boolean {
  const bytes = Buffer.from(`before${text}after`);
  return ids.add(bytes, 6, bytes.length - 5);
}

test("each id is new only once", () => {
  assert(
    property(array(string({ maxLength: 40 })), (texts) => {
      const ids = new IdSet();
      const seen = new Set<string>();
      for (const text of texts) {
        expect(add(ids, text)).toBe(!seen.has(text));
        seen.add(text);
      }
    }),
  );
});

test("an id is the same wherever its bytes are, and whatever is around them", () => {
  for (let length = 0; length < 40; length += 1) {
    const ids = new IdSet();
    const id = "0123456789".repeat(4).slice(0, length);
    const isNew = ["", "a", "other bytes"].map((before) => {
      const bytes = Buffer.from(`${before}${id}${before}`);
      return ids.add(bytes, before.length, before.length + length);
    });
    expect(isNew).toEqual([true, false, false]);
  }
});

test("many ids are distinguished and found again", () => {
  const ids = new IdSet();
  const texts = Array.from({ length: 5_000 }, (_, number) => `id-${number}`);
  expect(texts.filter((text) => !add(ids, text))).toEqual([]);
  expect(texts.filter((text) => add(ids, text))).toEqual([]);
});
