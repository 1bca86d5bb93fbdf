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
