import { expect, test } from "vitest";
import { OutputBytes } from "../../../src/output/formats/output-bytes.ts";

test("bytes, texts and parts of any length are kept in their order, however small the buffer was", () => {
  for (const capacity of [0, 1, 7, 1_000]) {
    const output = new OutputBytes(capacity);
    const source = Buffer.from("0123456789".repeat(10));
    output.addByte(65);
    output.addText("é日");
    for (const length of [0, 1, 31, 32, 33, 60]) {
      output.addPart(source, 3, 3 + length);
    }
    output.addByte(66);
    const parts = [0, 1, 31, 32, 33, 60].map((length) => source.toString("latin1", 3, 3 + length));
    expect(output.taken().toString()).toBe(`Aé日${parts.join("")}B`);
  }
});

test("room that is asked for is there, and a buffer with room stays", () => {
  const output = new OutputBytes(8);
  output.addText("abc");
  const before = output.bytes;
  output.reserve(5);
  expect(output.bytes).toBe(before);
  output.reserve(6);
  expect(output.bytes.length).toBe(16);
  output.reserve(100);
  expect([output.bytes.length, output.taken().toString()]).toEqual([103, "abc"]);
});
