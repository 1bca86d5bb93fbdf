import { expect, test } from "vitest";
import { openCursor, sealCursor, selectionDigest } from "../../../../src/service/http/query/cursors.ts";

const secret = Buffer.alloc(32, 1);
const position = {
  offset: 4_000_000_000,
  version: 1_800_000_000_000,
  after: { sku: "sku-1\u0000", retailer: "chez-é", day: 2026_01_31, product_id: "p-1" },
  selection: selectionDigest("all rows"),
  issuedAt: 10,
};
const HOUR = 3_600_000;

test("a cursor decodes to its position", () => {
  expect(openCursor(sealCursor(position, secret), secret, 20, HOUR)).toEqual(position);
});

test("a cursor after a row with a sku too long for a URL has its position alone", () => {
  const long = { ...position, after: { ...position.after, sku: "s".repeat(6_000) } };
  expect(openCursor(sealCursor(long, secret), secret, 20, HOUR)).toEqual({ ...position, after: undefined });
});

test("a cursor with any one character changed is refused", () => {
  const cursor = sealCursor(position, secret);

  for (let index = 0; index < cursor.length; index += 1) {
    const other = cursor[index] === "A" ? "B" : "A";
    const edited = `${cursor.slice(0, index)}${other}${cursor.slice(index + 1)}`;
    expect(() => openCursor(edited, secret, 20, HOUR), edited).toThrow("not issued by this service");
  }
});
