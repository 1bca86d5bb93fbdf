import { expect, test } from "vitest";
import { ContractError } from "../../../src/contract/errors.ts";
import { byteText, byteTexts, memberOf, utf8Of } from "../../../src/export/formats/row-members.ts";
import { batchOf } from "../../../src/rows/scan.ts";

test("the member of a row is its JSON text, and a row that lacks it is named by its id", () => {
  const rows = batchOf(
    ['{"sku": "é","product_id":"p1"}', '{"rcd":"a:b:c"}', '{"other":1}'],
    ["sku", "product_id", "rcd"],
  );
  expect(memberOf(rows, 0, "sku")).toBe('"é"');
  const refusals = [1, 2].map((row) => {
    try {
      return memberOf(rows, row, "sku");
    } catch (error) {
      return error;
    }
  });
  expect(refusals).toEqual([
    new ContractError('the service sent a row without "sku" (rcd "a:b:c")'),
    new ContractError('the service sent a row without "sku" (it has no product_id either)'),
  ]);
});

test("the texts of values have a character for each byte, in whatever order they are asked for", () => {
  const rows = batchOf(['{"a":"é","b":1}', '{"b":2,"a":"x"}'], ["a", "b"]);
  const textOf = byteTexts(rows, ["b", "a"]);
  const asked = [textOf(0, 1), textOf(1, 1), textOf(0, 0), textOf(1, 0), textOf(0, 1)];
  expect(asked).toEqual([byteText('"é"'), '"x"', "1", "2", '"\u00c3\u00a9"']);
  expect(utf8Of(byteText('"é"'))).toBe('"é"');
});

test("the texts of the second row can be asked for first", () => {
  const textOf = byteTexts(batchOf(['{"a":1}', '{"a":2}'], ["a"]), ["a"]);
  expect([textOf(1, 0), textOf(0, 0)]).toEqual(["2", "1"]);
});
