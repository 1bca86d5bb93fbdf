import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { Chunk } from "../../src/output/formats/encoder.ts";
import { openSink } from "../../src/output/sink.ts";

test.each([undefined, "-", "/dev/stdout"])("the output %s is stdout", async (output) => {
  const stdout = new PassThrough();
  const sink = await openSink<Chunk>({ output, stdout }, () => ({
    begin: () => "",
    encode: (chunk) => chunk,
    end: () => "",
  }));
  await sink.write("row\n");
  await sink.finish();
  expect(String(stdout.read())).toBe("row\n");
});
