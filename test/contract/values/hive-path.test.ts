import { expect, test } from "vitest";
import { escapePartitionValue, partitionValuesOf } from "../../../src/contract/values/hive-path.ts";

test.each([
  ["plain-slug_1.x", "plain-slug_1.x"],
  ["a/b=c%d", "a%2Fb%3Dc%25d"],
  ["a:b\u0001\u007f{}[]^", "a%3Ab%01%7F%7B%7D%5B%5D%5E"],
  ["é ü+", "é ü+"],
  ["", "__HIVE_DEFAULT_PARTITION__"],
])("%j is %j in the name of a folder, and is read back", (value, escaped) => {
  expect(escapePartitionValue(value)).toBe(escaped);
  expect(partitionValuesOf(`rows/retailer=${escaped}/part-0.csv`)).toEqual(new Map([["retailer", value]]));
});

test.each([
  ["/data/env=prod/rows/retailer=a/crawl_date=2026-01-01/part-0.csv", { retailer: "a", crawl_date: "2026-01-01" }],
  ["/retailer=a/retailer=b/part-0.csv", { retailer: "b" }],
  ["/retailer=a/=/part-0.csv", {}],
  ["/part-0.csv", {}],
  ["part-0.csv", {}],
])("the folders right above %s name %j", (path, values) => {
  expect(Object.fromEntries(partitionValuesOf(path))).toEqual(values);
});
