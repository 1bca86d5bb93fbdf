import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { JSON_ARRAY, NDJSON } from "../../../src/export/formats/json.ts";
import { rejectionOf } from "../faults.ts";
import { encoded } from "./encoded.ts";

test("JSON is one array with a row a line, across pages", async () => {
  const pages = [['{"a":1.0}', '{"a":2.50}'], [], ['{"a":3}']];
  expect(await encoded("json", pages)).toBe('[\n{"a":1.0},\n{"a":2.50},\n{"a":3}\n]\n');
});

test("JSON without rows is an empty array", async () => {
  expect(JSON.parse(await encoded("json", []))).toEqual([]);
});

test("JSON with chosen columns has only these", async () => {
  expect(await encoded("json", [['{"a":1.0,"b":"x"}']], { chosen: ["b"] })).toBe('[\n{"b":"x"}\n]\n');
});

test("JSON with several chosen columns has them in the chosen order, in every row", async () => {
  const rows = ['{"a":1.0,"b":"x","c":3}', '{"a":2,"b":"é","c":{ "d": 1 }}'];
  expect(await encoded("json", [rows], { chosen: ["c", "a", "b"] })).toBe(
    '[\n{"c":3,"a":1.0,"b":"x"},\n{"c":{ "d": 1 },"a":2,"b":"é"}\n]\n',
  );
});

test("what the folders name is left out of the rows, with and without chosen columns", async () => {
  const rows = ['{"a":1.0,"b":"x","c":3}', '{"c":4,"b":"y","a":2}'];
  expect(await encoded("ndjson", [rows], { partitionedBy: ["b"] })).toBe('{"a":1.0,"c":3}\n{"c":4,"a":2}\n');
  expect(await encoded("ndjson", [rows], { partitionedBy: [] })).toBe(`${rows.join("\n")}\n`);
  expect(await encoded("ndjson", [rows], { chosen: ["c", "b"], partitionedBy: ["b"] })).toBe('{"c":3}\n{"c":4}\n');
});

async function readBack(code: typeof NDJSON, parts: readonly string[]): Promise<unknown[]> {
  const rows: unknown[] = [];
  const content = () => Readable.from(parts.map((part) => Buffer.from(part)));
  for await (const row of code.read({ path: "rows", content }, [])) {
    rows.push(row);
  }
  return rows;
}

test("rows are read back, wherever the parts of a file end", async () => {
  expect(await readBack(NDJSON, ['{"a":1}\n{"a"', ':"[,"}\n{"a":"\u2028,"}', "\n"])).toEqual([
    { a: 1 },
    { a: "[," },
    { a: "\u2028," },
  ]);
  expect(await readBack(JSON_ARRAY, ['[\n{"a":1},\n{"a":"],"', "}\n]\n"])).toEqual([{ a: 1 }, { a: "]," }]);
  expect([await readBack(NDJSON, []), await readBack(JSON_ARRAY, ["[\n]\n"])]).toEqual([[], []]);
});

test.each([
  [NDJSON, '{"a":1}\n[\n', "line 2 is not JSON"],
  [NDJSON, '{"a":1},\n', "line 1 is not JSON"],
  [JSON_ARRAY, '[\n{"a":1},,\n]\n', "line 2 is not JSON"],
  [NDJSON, '{"a":1}\n{"a":2}', "the last line has no end"],
])("a file that is cut or damaged is refused (%#)", async (code, text, message) => {
  expect(await rejectionOf(readBack(code, [text]))).toEqual(new Error(message));
});
