import { ByteWriter } from "hyparquet-writer";
import { expect, test } from "vitest";
import { appendPart } from "../../../../src/export/formats/parquet/column-values.ts";

test("parts of any length are kept in their order, however small the buffer was", () => {
  const source = Buffer.from("0123456789".repeat(10));
  const lengths = [0, 1, 31, 32, 33, 60];
  for (const capacity of [0, 1, 7, 1_000]) {
    const output = new ByteWriter(capacity);
    output.appendUint8(65);
    for (const length of lengths) {
      appendPart(output, source, 3, 3 + length);
    }
    output.appendUint8(66);
    const parts = lengths.map((length) => source.toString("latin1", 3, 3 + length));
    expect(Buffer.from(output.getBytes()).toString()).toBe(`A${parts.join("")}B`);
    expect(output.offset).toBe(output.index);
  }
});
