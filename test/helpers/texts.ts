import fc from "fast-check";

/** The first code point of the surrogates, which UTF-8 cannot encode, and the number of surrogates. */
const SURROGATES = 0xd800;
const SURROGATE_COUNT = 0x800;

/** Any character of Unicode. The `binary` unit of fast-check gives the same, but first builds a table of all of them. */
const character = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATE_COUNT })
  .map((point) => String.fromCodePoint(point < SURROGATES ? point : point + SURROGATE_COUNT));

/** Any text that UTF-8 can encode. */
export function anyText(maxLength?: number): fc.Arbitrary<string> {
  return fc.string(maxLength === undefined ? { unit: character } : { unit: character, maxLength });
}
