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

const triples = ["acme:lamps:home", "acme:chairs:home", "bolt:lamps:home", "acme:lamp-oil:garden", "bolt:drills:tools"];

test.each<[string, string, readonly string[], readonly string[]]>([
  [
    "the more similar of two slugs",
    "amazon-ei",
    ["amazon-in", "amazon-eg", "amazon-ei2"],
    ["amazon-ei2", "amazon-eg", "amazon-in"],
  ],
  [
    "words that begin the same, before a typing error",
    "car",
    ["cat", "car-audio", "used-cars"],
    ["car-audio", "used-cars", "cat"],
  ],
  [
    "names that begin with the text, before those with a later word that does",
    "headphone",
    ["ar-headphones", "headphones-and-headsets", "telephone"],
    ["headphones-and-headsets", "ar-headphones"],
  ],
  ["no match in the middle of a word", "car", ["ar-skincare", "skincare", "scarves"], []],
  ["no match in the middle of a word", "phone", ["headphones", "phones-and-tablets"], ["phones-and-tablets"]],
  ["triples with few edits in all", "acme:lamp:home", triples, ["acme:lamps:home"]],
  ["triples with few edits in all", "acme:chairs:house", triples, ["acme:chairs:home"]],
  ["triples with few edits in all", "bolt:dirlls:tools", triples, ["bolt:drills:tools"]],
  ["triples with few edits in all", "casa:sofas:tools", triples, []],
  ["triples with few edits in all", "acme:drill", triples, []],
  [
    "a slug of several words by one word",
    "teas",
    ["adult-diapers", "green-tea-bags", "tea"],
    ["tea", "green-tea-bags"],
  ],
  ["no word of a name that only rhymes with a short text", "nope", ["hangers-clips-and-rope"], []],
  ["the fewest of several typing errors", "nqykaq", ["myntra", "nykaa", "noon-eg"], ["nykaa"]],
  ["the fewest of several typing errors", "adids", ["adidas-us", "aldi"], ["adidas-us"]],
  ["the fewest of several typing errors", "shoess", ["shoes", "hoses"], ["shoes"]],
  ["the fewest of several typing errors", "usa", ["uk", "eg"], []],
  ["nothing if nothing is similar", "zzzzzzzzzz", retailers, []],
])("what is suggested first: %s: %s", (_, typed, known, meant) => {
  expect(closest(typed, known)).toEqual(meant);
});

test("at most the requested number is suggested", () => {
  const numbered = ["a1", "a2", "a3", "a4"];
  expect([closest("a", numbered), closest("a", numbered, 1)]).toEqual([["a1", "a2", "a3"], ["a1"]]);
});
