import { expect, test } from "vitest";
import { closest } from "../../src/service/closest.ts";

const retailers = ["adidas-us", "amazon-eg", "amazon-in", "bigbasket", "flipkart", "lazada", "noon-eg", "shein-us"];

test("a slug with a letter missing is found first", () => {
  expect(closest("flpkart", retailers)).toEqual(["flipkart"]);
});

test("the nearer of two similar slugs comes first", () => {
  expect(closest("amazon-ei", ["amazon-in", "amazon-eg", "amazon-ei2"])).toEqual([
    "amazon-ei2",
    "amazon-eg",
    "amazon-in",
  ]);
});

test("continuations of what was sent come before slugs that merely contain it", () => {
  expect(closest("phone", ["headphones", "phones-and-tablets", "kitchen"])).toEqual([
    "phones-and-tablets",
    "headphones",
  ]);
});

test("a slug of several words is found by one of them", () => {
  expect(closest("teas", ["adult-diapers", "green-tea-bags", "tea"])).toEqual(["tea", "green-tea-bags"]);
});

test("letter case, spaces and underscores are no differences", () => {
  expect(closest("Kids_Clothing", ["kids-clothing", "kid-clothes"])[0]).toBe("kids-clothing");
});

test("where nothing is near, the first five valid values are given", () => {
  expect(closest("zzzzzzzzzz", retailers)).toEqual(["adidas-us", "amazon-eg", "amazon-in", "bigbasket", "flipkart"]);
});

test("values of many kilobytes are not compared", () => {
  expect(closest("flipkart".repeat(1_000), retailers)).toEqual(retailers.slice(0, 5));
});

test("each value is offered once, at most five of them", () => {
  expect(closest("a", ["a1", "a1", "a2", "a3", "a4", "a5", "a6"])).toEqual(["a1", "a2", "a3", "a4", "a5"]);
});
