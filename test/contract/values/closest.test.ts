import { describe, expect, test } from "vitest";
import { closest } from "../../../src/contract/values/closest.ts";

const retailers = ["adidas-us", "amazon-eg", "amazon-in", "bigbasket", "flipkart", "lazada", "noon-eg", "shein-us"];
const categories = [
  "coffee-mugs",
  "headphones",
  "hoses",
  "in-ear-headphones",
  "kids-clothing",
  "metal-polish",
  "mobile-phones",
  "patches",
  "shirts",
  "shoe-decorations",
  "shoe-polish",
  "shoes",
  "shoes-accessories",
  "t-shirts",
  "watches",
];

describe("the first suggestion", () => {
  test.each([
    ["shose", "shoes", "two letters swapped"],
    ["shoess", "shoes", "a letter doubled"],
    ["hedphones", "headphones", "a letter missing"],
    ["wacthes", "watches", "two letters swapped, another word as near by replacing"],
    ["shoe", "shoes", "the singular"],
    ["headphone", "headphones", "the singular"],
    ["watch", "watches", "the singular"],
    ["shoe_polish", "shoe-polish", "an underscore"],
    ["Shoe Polish", "shoe-polish", "as it is printed in a shop"],
    ["SHOES", "shoes", "upper case"],
    ["shoepolish", "shoe-polish", "the hyphen missing"],
    ["tshirts", "t-shirts", "the hyphen missing, another slug a letter away"],
    ["mobile", "mobile-phones", "the first word"],
    ["polish", "shoe-polish", "the last word, of the shorter slug"],
    ["cofee", "coffee-mugs", "a letter of one word missing"],
  ])("by %s: %s (%s)", (typed, meant) => {
    expect(closest(typed, categories)[0]).toBe(meant);
  });

  test.each([
    ["amazon", ["amazon-eg", "amazon-in"]],
    ["Amazon EG", ["amazon-eg"]],
    ["shien", ["shein-us"]],
    ["flikpart", ["flipkart"]],
    ["noone", ["noon-eg"]],
  ])("by the retailer %s: %j", (typed, meant) => {
    expect(closest(typed, retailers)).toEqual(meant);
  });
});

test("the more similar of two slugs comes first", () => {
  const slugs = ["amazon-in", "amazon-eg", "amazon-ei2"];
  expect(closest("amazon-ei", slugs)).toEqual(["amazon-ei2", "amazon-eg", "amazon-in"]);
});

test("words that begin the same come before a typing error", () => {
  const slugs = ["cat", "car-audio", "used-cars"];
  expect(closest("car", slugs)).toEqual(["car-audio", "used-cars", "cat"]);
});

test("names that begin with the text come before those with a later word that does", () => {
  const slugs = ["ar-headphones", "headphones-and-headsets", "telephone"];
  expect(closest("headphone", slugs)).toEqual(["headphones-and-headsets", "ar-headphones"]);
});

test("a match in the middle of a word does not count", () => {
  expect(closest("car", ["ar-skincare", "skincare", "scarves"])).toEqual([]);
  expect(closest("phone", ["headphones", "phones-and-tablets"])).toEqual(["phones-and-tablets"]);
});

describe("of triples", () => {
  const triples = [
    "acme:lamps:home",
    "acme:chairs:home",
    "bolt:lamps:home",
    "acme:lamp-oil:garden",
    "bolt:drills:tools",
  ];

  test.each([
    ["acme:lamp:home", ["acme:lamps:home"]],
    ["acme:chairs:house", ["acme:chairs:home"]],
    ["bolt:dirlls:tools", ["bolt:drills:tools"]],
    ["casa:sofas:tools", []],
    ["acme:drill", []],
  ])("those with few edits in all: %s", (typed, meant) => {
    expect(closest(typed, triples)).toEqual(meant);
  });
});

test("a slug of several words is found by one word", () => {
  expect(closest("teas", ["adult-diapers", "green-tea-bags", "tea"])).toEqual(["tea", "green-tea-bags"]);
});

describe("a value with several typing errors", () => {
  test.each([
    ["nqykaq", ["myntra", "nykaa", "noon-eg"], ["nykaa"]],
    ["adids", ["adidas-us", "aldi"], ["adidas-us"]],
    ["shoess", ["shoes", "hoses"], ["shoes"]],
    ["usa", ["uk", "eg"], []],
  ])("%s gets the candidates with the fewest edits", (typed, known, meant) => {
    expect(closest(typed, known)).toEqual(meant);
  });
});

test("nothing is suggested if nothing is similar", () => {
  expect(closest("zzzzzzzzzz", retailers)).toEqual([]);
});

test("at most the requested number is suggested", () => {
  const numbered = ["a1", "a2", "a3", "a4"];
  expect([closest("a", numbered), closest("a", numbered, 1)]).toEqual([["a1", "a2", "a3"], ["a1"]]);
});
