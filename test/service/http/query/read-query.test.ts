import fc from "fast-check";
import { expect, test } from "vitest";
import { readQuery } from "../../../../src/service/http/query/read-query.ts";
import { products } from "../../../helpers/products.ts";
import { startTestService } from "../../../helpers/service.ts";

const allowed = ["retailer", "category", "limit"];

function refusal(target: string): unknown {
  try {
    return readQuery(target, allowed);
  } catch (error) {
    return error;
  }
}

test("parameters are decoded like form fields", () => {
  expect(readQuery("/v1/catalog?retailer=a%2Bb+c&&category=%C3%A9", allowed)).toEqual(
    new Map([
      ["retailer", "a+b c"],
      ["category", "é"],
    ]),
  );
});

test("a parameter repeated under another spelling of its name is refused", () => {
  expect(refusal("/v1/catalog?limit=5&%6Cimit=6")).toMatchObject({
    code: "invalid_request",
    details: { field: "limit" },
  });
});

test.each(["%", "%zz", "%ff", "%c3%28", "%ed%a0%80"])(
  "a value %s, which is not UTF-8 when decoded, is refused",
  (value) => {
    expect(refusal(`/v1/catalog?retailer=${value}`)).toMatchObject({
      code: "invalid_request",
      details: { field: "retailer" },
    });
  },
);

test("a name that cannot be decoded is refused", () => {
  expect(refusal("/v1/catalog?%ff=1")).toMatchObject({ code: "invalid_request", details: { field: "%ff" } });
});

test("any query is answered or refused, and never an internal error", async () => {
  const service = await startTestService({ rows: products(3), rateLimit: 1_000_000 });
  const name = fc.constantFrom("retailer", "category", "rcd", "start_date", "limit", "cursor", "a%", "");
  const odd = fc.constantFrom(
    "%",
    "%00",
    "%FF",
    "%ud800",
    "+",
    "&",
    "=",
    "::",
    ",",
    "#",
    "2026-02-30",
    "1e3",
    "-1",
    "é",
    "𝒳",
  );
  const value = fc.array(fc.oneof(odd, fc.string({ maxLength: 8 })), { maxLength: 4 }).map((parts) => parts.join(""));
  const query = fc.array(fc.tuple(name, value), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(query, async (pairs) => {
      const text = pairs.map((pair) => pair.join("=")).join("&");
      const { status } = await service.get(`/v1/catalog?${text}`);
      expect([200, 400]).toContain(status);
    }),
    { numRuns: 100 },
  );
});
