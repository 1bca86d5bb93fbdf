import { expect, test } from "vitest";
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
