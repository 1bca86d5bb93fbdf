import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/contract/errors.ts";
import { growListings, type ListingTexts } from "../../../src/folder/index/grow-listings.ts";
import { brandIn, type Listings, modelText, unpackListings } from "../../../src/folder/index/listings.ts";
import { brandsNamed } from "../../../src/folder/index/read-prices.ts";
import { failureOf } from "../../helpers/test-client.ts";

const LAMP: ListingTexts = { rcd: "acme:lamps:home", sku: "ab", currency: "EUR", title: "Lamp", model: "Élan\nM-1" };

/** Each differs from the first in one text; two are of another retailer or sku, and so of another product. */
const ROWS: readonly ListingTexts[] = [
  LAMP,
  { ...LAMP, title: "Lamp 🪑" },
  { ...LAMP, model: "Élan\nM-2" },
  { ...LAMP, currency: "USD" },
  { ...LAMP, rcd: "acme:chairs:home" },
  { ...LAMP, rcd: "bolt:lamps:home" },
  { ...LAMP, sku: "b" },
  { ...LAMP, sku: "abab", title: "" },
];

/** All that listings say, row by row. */
function contentOf(listings: Listings) {
  return Array.from({ length: listings.listings }, (_, listing) => ({
    product: listings.product[listing],
    combination: listings.combinations[listings.combination[listing] ?? -1],
    currency: listings.currencies[listings.currency[listing] ?? -1],
    texts: [listings.skuOf(listing), listings.titleOf(listing), listings.modelOf(listing)],
  }));
}

function grown(rows: readonly ListingTexts[], known?: Listings): Listings {
  const growing = growListings(known);
  for (const row of rows) {
    growing.add(row);
  }
  return unpackListings(growing.pack());
}

describe("listings", () => {
  test("are one for rows of the same texts, and products are one for a sku of a retailer", () => {
    const growing = growListings();
    expect([...ROWS, ...ROWS].map(growing.add)).toEqual([...ROWS.keys(), ...ROWS.keys()]);
    const listings = unpackListings(growing.pack());
    expect(listings).toMatchObject({ listings: 8, products: 4, currencies: ["EUR", "USD"] });
    expect(contentOf(listings)).toEqual(
      ROWS.map(({ rcd, sku, currency, title, model }, row) => {
        const [retailer, category, department] = rcd.split(":");
        const product = [0, 0, 0, 0, 0, 1, 2, 3][row];
        return { product, combination: { retailer, category, department }, currency, texts: [sku, title, model] };
      }),
    );
  });

  test("keep their numbers when others are added to those that are known", () => {
    const known = grown(ROWS.slice(0, 5));
    expect(contentOf(grown(ROWS, known))).toEqual(contentOf(grown(ROWS)));
    expect(contentOf(grown([], known))).toEqual(contentOf(known));
    expect(contentOf(grown([]))).toEqual([]);
  });

  test("are found by their whole sku, and not by a part of it or across two of them", () => {
    const listings = grown(ROWS);
    const found = ["ab", "b", "abab", "a", "bb", "ba", "", "x"].map((sku) => listings.withSku(sku));
    expect(found).toEqual([[0, 1, 2, 3, 4, 5], [6], [7], [], [], [], [], []]);
    expect(grown([]).withSku("ab")).toEqual([]);
    expect(grown([{ ...LAMP, sku: "" }]).withSku("")).toEqual([]);
  });

  test("hold no more text than a string can", () => {
    const most = 256 * 1024 ** 2;
    const growing = growListings();
    const long = { ...LAMP, sku: "ab", title: "x".repeat(most - 5), model: "\nc" };
    growing.add(long);
    growing.add({ ...LAMP, sku: "", title: "y", model: "" });
    expect(growing.add(long)).toBe(0);
    expect(() => growing.add({ ...LAMP, sku: "a", title: "", model: "" })).toThrow(
      "its products have more than 268435456 characters of text",
    );
  });
});

test("the brand is the first line of a model", () => {
  expect([brandIn(modelText("Élan", "M-1")), brandIn(modelText("", "M"))]).toEqual(["Élan", ""]);
});

describe("brands", () => {
  const known = ["Philips", "OSRAM", "osram ", "Ｅlan"];

  test("are named in any letter case, with spaces around them and wide letters, each spelling of them", () => {
    expect(brandsNamed(["osram", " PHILIPS", "elan"], known, "rows")).toEqual(["OSRAM", "osram ", "Philips", "Ｅlan"]);
    expect(brandsNamed([], known, "rows")).toEqual([]);
  });

  test("that are not there are an error with those that are close", async () => {
    const failure = await failureOf((async () => brandsNamed(["philips", "osrma", "x"], known, "rows"))());
    expect(failure).toBeInstanceOf(InputError);
    expect(failure).toMatchObject({
      message: 'rows has no product of the brand "osrma".',
      input: "brand",
      value: "osrma",
      suggestions: ["osram "],
    });
  });
});
