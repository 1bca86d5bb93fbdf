import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, test } from "vitest";
import { TARGETS } from "./targets.ts";

/** The inputs in a file of base64, one a line. */
function inputsIn(folder: string, target: string): Buffer[] {
  const path = `${import.meta.dirname}/${folder}/${target}.txt`;
  const lines = existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
  return lines.map((line) => Buffer.from(line, "base64"));
}

describe.each(Object.entries(TARGETS))("%s", (name, { read, seeds }) => {
  const inputs = [
    ...seeds().map((text) => Buffer.from(text)),
    ...inputsIn("corpus", name),
    ...inputsIn("crashes", name),
  ];

  test("every kept input is read or refused", async () => {
    for (const input of inputs) {
      await read(input);
    }
  });

  test("changed inputs are read or refused", async () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 4 }),
      fc.constantFrom(...inputs).map((input) => input.subarray(0, 40)),
      fc.string({ unit: "grapheme", maxLength: 4 }).map((text) => Buffer.from(text)),
    );
    const change = fc.record({ at: fc.nat(), removed: fc.nat({ max: 8 }), piece });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...inputs), fc.array(change, { maxLength: 4 }), async (input, changes) => {
        await read(
          changes.reduce((bytes, { at, removed, piece }) => {
            const start = at % (bytes.length + 1);
            return Buffer.concat([bytes.subarray(0, start), piece, bytes.subarray(start + removed)]);
          }, input),
        );
      }),
      // DuckDB is opened for each file.
      { numRuns: name === "parquet" ? 10 : 40 },
    );
  });
});
