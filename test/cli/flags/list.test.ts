import { expect, test } from "vitest";
import { parseListFlags } from "../../../src/cli/flags/list.ts";
import { type SortKey, sortBy } from "../../../src/cli/order.ts";
import { runInProcess } from "../../helpers/in-process.ts";
import { product } from "../../helpers/products.ts";
import { startTestService } from "../../helpers/service.ts";

const WORDS: Readonly<Record<string, SortKey>> = { rows: { column: "matching_rows", descending: true } };

test.each([
  ["sku", { column: "sku", descending: false }],
  ["sku:asc", { column: "sku", descending: false }],
  ["sku:desc", { column: "sku", descending: true }],
  ["rows", { column: "matching_rows", descending: true }],
  ["rows:asc", { column: "matching_rows", descending: false }],
])("--sort %s orders by %j", (sort, key) => {
  expect(parseListFlags({ sort, pager: true }, ["sku", "matching_rows"], WORDS).sort).toEqual(key);
});

test("the help of --sort tells the effect of a direction on a word that sorts descending", async () => {
  const { stdout } = await runInProcess(["coverage", "--help"]);
  expect(stdout.replace(/\s+/g, " ")).toContain(
    "sort by a column, or `rows`, `first` or `last` day; `:asc` or `:desc` sets the direction: matching_rows:desc",
  );
});

test.each([
  [{ sort: "skuu:desc" }, { flag: "--sort", value: "skuu:desc", suggestions: ["sku:desc"] }],
  [{ sort: "toString" }, { flag: "--sort", value: "toString" }],
])("%j is refused by naming %j", (flags, error) => {
  expect(() => parseListFlags({ ...flags, pager: true }, ["sku"], WORDS)).toThrow(expect.objectContaining(error));
});

test.each([
  [[10, 9, null, 100], false, [9, 10, 100, null]],
  [[10, null, 9, 100], true, [100, 10, 9, null]],
  [["b", "B", "ä", "a"], false, ["B", "a", "b", "ä"]],
  [["😀b", "ｚ", "😀", "😀a", "z"], false, ["z", "ｚ", "😀", "😀a", "😀b"]],
])("the values %j are sorted, descending: %s", (values, descending, sorted) => {
  expect(sortBy<unknown>(values, { column: "", descending }, (value) => value)).toEqual(sorted);
});

test.each([
  ["coverage", "--date"],
  ["sample", "--start-date"],
])("%s of days without rows names the newest day, with one more request", async (command, flag) => {
  const service = await startTestService({ rows: [product({ crawl_date: "2026-01-07" })] });
  const { stderr } = await runInProcess([command, flag, "2031-01-01", "-v"], { service });
  expect(stderr).toContain("no rows match the filters; the newest day that has rows is 2026-01-07");
  expect(stderr.match(/GET \/v1/g)).toHaveLength(2);
});
