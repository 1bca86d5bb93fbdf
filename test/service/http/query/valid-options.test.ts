import { expect, test } from "vitest";
import { validOptions } from "../../../../src/service/http/query/valid-options.ts";

const retailers = ["adidas-us", "amazon-eg", "amazon-in", "bigbasket", "flipkart", "lazada", "noon-eg", "shein-us"];

test("the closest values are returned, best first", () => {
  expect(validOptions("amazon-i", retailers)).toEqual(["amazon-in", "amazon-eg"]);
});

test("without a close value, the first five valid values are returned", () => {
  const firstFive = ["adidas-us", "amazon-eg", "amazon-in", "bigbasket", "flipkart"];
  expect(validOptions("zzzzzzzzzz", retailers.toReversed())).toEqual(firstFive);
});

test("very long values are not compared", () => {
  expect(validOptions("flipkart".repeat(1_000), retailers)).toEqual(retailers.slice(0, 5));
});

test("each value is offered once, at most five of them", () => {
  expect(validOptions("a", ["a1", "a1", "a2", "a3", "a4", "a5", "a6"])).toEqual(["a1", "a2", "a3", "a4", "a5"]);
});
