import { expect, test } from "vitest";
import { ContractError } from "../../../src/contract/errors.ts";
import { productRow } from "../../helpers/products.ts";
import { encoded } from "./encoded.ts";

test("NDJSON is each row as it was sent, one per line", async () => {
  const rows = ['{"b": 19.90,"a":"\\u00e9\\/"}', '{"n":12345678901234567890}', '{"a":"x\u2028y"}'];
  expect(await encoded("ndjson", [rows.slice(0, 2), rows.slice(2)])).toBe(`${rows.join("\n")}\n`);
});

test("a row that was sent on several lines takes one line", async () => {
  expect(await encoded("ndjson", [['{\r\n  "a": "x y",\n  "b": 1.0\n}']])).toBe('{"a":"x y","b":1.0}\n');
});

test("NDJSON without rows is empty", async () => {
  expect(await encoded("ndjson", [])).toBe("");
});

test("chosen columns are written in the chosen order, with their raw values", async () => {
  const row = productRow({ title: '"caf\\u00e9"', mrp: "19.90" });
  expect(await encoded("ndjson", [[row]], { chosen: ["mrp", "title", "color"] })).toBe(
    '{"mrp":19.90,"title":"caf\\u00e9","color":null}\n',
  );
});

test("a row without a chosen column is an error that names the column and the row", async () => {
  await expect(encoded("ndjson", [['{"product_id":"p9"}']], { chosen: ["sku"] })).rejects.toStrictEqual(
    new ContractError('the service sent a row without "sku" (product_id "p9")'),
  );
});
