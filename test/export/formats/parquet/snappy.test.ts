import fc from "fast-check";
import { snappyUncompress } from "hyparquet";
import { snappyCompressor } from "hysnappy";
import { expect, test } from "vitest";

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 300_000 }),
  fc
    .array(fc.constantFrom("Sea Green", "https://shop.example/dp/", "B0", "\0"), { maxLength: 5_000 })
    .map((parts) => Buffer.from(parts.join(""))),
);

test("what Snappy compresses is read back by another reader, whatever was compressed before", () => {
  const compress = snappyCompressor();
  fc.assert(
    fc.property(bytes, (input) => {
      const compressed = compress(input);
      const output = new Uint8Array(input.length);
      snappyUncompress(compressed, output);
      expect(Buffer.from(output).equals(Buffer.from(input))).toBe(true);
    }),
    { examples: [[new Uint8Array()], [new Uint8Array(1)], [new Uint8Array(3_000_000)]] },
  );
});
