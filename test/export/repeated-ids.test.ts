import fc from "fast-check";
import { expect, test } from "vitest";
import { createHashes, findRepeated } from "../../src/export/repeated-ids.ts";

async function repeatedOf(ids: readonly string[]): Promise<string | undefined> {
  const hashes = createHashes();
  ids.forEach(hashes.add);
  return findRepeated(hashes.all(), async function* () {
    yield* ids;
  });
}

test("a repeated id is found wherever it is, and none is found if each id is unique", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ maxLength: 2 })), async (ids) => {
      const first = ids.find((id, index) => ids.indexOf(id) !== index);
      expect(await repeatedOf(ids)).toBe(first);
    }),
  );
});

test("ids beyond the initial size are kept too", async () => {
  const ids = Array.from({ length: 5_000 }, (_, index) => `id-${index}`);
  expect([await repeatedOf(ids), await repeatedOf([...ids, "id-3"])]).toEqual([undefined, "id-3"]);
});

test("two ids with the same hash are not taken for equal", async () => {
  const hashes = createHashes();
  hashes.add("a");
  hashes.add("a");
  const ids = async function* () {
    yield* ["a", "b"];
  };
  expect(await findRepeated(hashes.all(), ids)).toBeUndefined();
});
