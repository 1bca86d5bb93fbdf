import { expect, test } from "vitest";
import { openContent } from "../../src/files/source-content.ts";

async function* bytesOf(text: string) {
  yield Buffer.from(text);
}

test.each([
  ["{", "JSON", "{"],
  ["\ufeff \n[1]", "JSON", "["],
  ["", "text", ""],
  ["\ufeffsku", "text", "s"],
])("%j is taken for %s by its first character", async (text, kind, start) => {
  expect(await openContent(bytesOf(text))).toMatchObject({ kind, start });
});

test("the first character is found in linear time", async () => {
  // A search of quadratic time would take hours.
  expect(await openContent(bytesOf(`${"\0".repeat(5_000_000)}x`))).toMatchObject({ kind: "text", start: "x" });
});
