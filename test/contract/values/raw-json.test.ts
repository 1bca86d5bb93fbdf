import { array, assert, constantFrom, jsonValue, property, string, tuple } from "fast-check";
import { expect, test } from "vitest";
import { rawElements, rawMembers } from "../../../src/contract/values/raw-json.ts";

/** Any JSON text: any value, with white space around any token and any way to write a string or a number. */
const jsonText = tuple(jsonValue(), array(constantFrom("", "", " ", "\n", "\t", "\r\n"), { minLength: 1 })).map(
  ([value, spaces]) => spaced(value, spaces),
);

/** Writes `value` with the white space of `spaces`, taken in turn, between all tokens. */
function spaced(value: unknown, spaces: readonly string[]): string {
  let turn = 0;
  const space = () => spaces[turn++ % spaces.length] ?? "";
  const write = (part: unknown): string => {
    if (Array.isArray(part)) {
      return `[${space()}${part.map(write).join(`${space()},${space()}`)}${space()}]`;
    }
    if (typeof part === "object" && part !== null) {
      const members = Object.entries(part).map(
        ([name, member]) => `${JSON.stringify(name)}${space()}:${space()}${write(member)}`,
      );
      return `{${space()}${members.join(`${space()},${space()}`)}${space()}}`;
    }
    return JSON.stringify(part);
  };
  return `${space()}${write(value)}${space()}`;
}

test("the elements of an array are returned as raw texts, in order", () => {
  assert(
    property(array(jsonText), (texts) => {
      const elements = rawElements(`[${texts.join(",")}]`);
      expect(elements).toEqual(texts.map((text) => text.replace(/^[ \n\r\t]+|[ \n\r\t]+$/g, "")));
    }),
  );
});

test("the raw members of an object parse to the same object", () => {
  assert(
    property(array(tuple(string(), jsonText)), (members) => {
      const text = `{${members.map(([name, member]) => `${JSON.stringify(name)}:${member}`).join(",")}}`;
      const parsed = [...rawMembers(text)].map(([name, member]) => [name, JSON.parse(member)] as const);
      expect(new Map(parsed)).toEqual(new Map(Object.entries(JSON.parse(text))));
    }),
  );
});

test("digits and escapes stay as they were written", () => {
  const row = '{"mrp": 19.90, "id": 12345678901234567890, "e": 1E+2, "title": "\\u0041\\/\\"\\\\", "x": -0}';
  expect(rawElements(` [ ${row} , [ ] ,{}, "]" , null ] `)).toEqual([row, "[ ]", "{}", '"]"', "null"]);
  expect(Object.fromEntries(rawMembers(row))).toEqual({
    mrp: "19.90",
    id: "12345678901234567890",
    e: "1E+2",
    title: '"\\u0041\\/\\"\\\\"',
    x: "-0",
  });
});

test("strings that end in backslashes do not hide the members after them", () => {
  expect(rawElements('["a\\\\","b\\\\\\"]","c"]')).toEqual(['"a\\\\"', '"b\\\\\\"]"', '"c"']);
});

test("if a name is repeated, in any spelling, the last value counts", () => {
  expect(Object.fromEntries(rawMembers('{"data":[1],"d\\u0061ta":[2]}'))).toEqual({ data: "[2]" });
});

test("a name that objects inherit is an ordinary name", () => {
  expect(rawMembers('{"__proto__":1,"constructor":2}')).toEqual(
    new Map([
      ["__proto__", "1"],
      ["constructor", "2"],
    ]),
  );
});

test("empty containers have no parts", () => {
  expect([rawElements("[]"), rawElements(" [ ] "), rawMembers("{}"), rawMembers("{ \n}")]).toEqual([
    [],
    [],
    new Map(),
    new Map(),
  ]);
});
