/** Returns random whole numbers from 0 to `below` (exclusive). */
export type Dice = (below: number) => number;

const TOKENS = ["{", "}", "[", "]", ",", ":", '"', "\\", "null", "true", "false", "-", "0", "1", ".", "e", "E", "+"];
const ESCAPES = ["\\n", "\\u0041", "\\uD83D\\uDE00", "\\ud800", "\\/", "\\x", "\\u12G4", '\\"', "\\\\"];
const SPACES = [" ", "\n", "\r\n", "\t", "\f", "\u00a0", "\u2028", "\ufeff"];
const NUMBERS = ["-0", "01", "1.", ".5", "1e5", "1E+2", "1e", "-", "19.90", "12345678901234567890", "1e400"];
const TEXTS = ['"data"', '"d\\u0061ta"', '"meta"', '"title":1', '"sku":"x"', '"é"', '"😀"', "\u0000", "\u007f", "NaN"];
const PIECES = [TOKENS, ESCAPES, SPACES, NUMBERS, TEXTS].flat();

/** JSON text with a few random changes. Usually it is no longer valid. */
export function mutated(text: string, dice: Dice): string {
  let changed = text;
  for (let changes = dice(4); changes >= 0; changes -= 1) {
    const at = dice(changed.length + 1);
    const piece = PIECES[dice(PIECES.length)] ?? "";
    const removed = dice(3) === 0 ? dice(8) : 0;
    const inserted = dice(4) === 0 ? changed.slice(dice(changed.length), dice(changed.length)) : piece;
    changed = changed.slice(0, at) + (dice(4) === 0 ? "" : inserted) + changed.slice(at + removed);
  }
  return changed;
}

/** A response with rows in an unusual form: white space, escapes, repeated and unknown names, any order. */
export function answerText(dice: Dice): string {
  const space = (): string => (dice(8) === 0 ? (SPACES[dice(4)] ?? "") : "");
  const pick = (list: readonly string[]): string => list[dice(list.length)] ?? "";
  const value = (depth: number): string => {
    const kind = dice(depth > 3 ? 5 : 7);
    if (kind === 5) {
      return list("[", "]", () => value(depth + 1));
    }
    return kind === 6 ? object(["a", "title", "__proto__"], depth + 1) : pick(SCALARS);
  };
  const list = (open: string, close: string, part: () => string): string =>
    `${open}${space()}${Array.from({ length: dice(4) }, part).join(`${space()},${space()}`)}${space()}${close}`;
  const object = (names: readonly string[], depth: number): string =>
    list("{", "}", () => `${JSON.stringify(pick(names))}${space()}:${space()}${value(depth)}`);
  const row = () => object(ROW_NAMES, 2);
  const members = [
    () => `"data"${space()}:${space()}${list("[", "]", dice(9) === 0 ? () => value(1) : row)}`,
    () => `"pagination":${value(1)}`,
    () => `"meta":${object(["request_id", "resolved"], 1)}`,
  ];
  return `${space()}{${members
    .filter(() => dice(9) > 0)
    .map((member) => member())
    .join(`${space()},`)}}${space()}`;
}

const ROW_NAMES = ["product_id", "sku", "url", "title", "mrp", "color", "crawl_date", "extra", "é"];
const SCALARS = [
  ...["null", "true", "false", "0", "-0", "19.90", "1E+2", "12345678901234567890", '""', '"é"', '"\\u0041"'],
  ...['"\\ud800"', '"a\\\\"', '"\\""', '"2026-01-01"', '"\\/"', '"😀"'],
];
