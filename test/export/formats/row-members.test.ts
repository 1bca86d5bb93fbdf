import { expect, test } from "vitest";
import { ContractError } from "../../../src/contract/errors.ts";
import { memberOf } from "../../../src/export/formats/row-members.ts";
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
