import { expect, test } from "vitest";
import { readQuery } from "../../../../src/service/http/query/read-query.ts";

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

test("a parameter without a value is empty, not absent", () => {
  expect(readQuery("/v1/catalog?retailer", allowed)).toEqual(new Map([["retailer", ""]]));
});

test("an unknown parameter is refused with the closest names", () => {
  expect(refusal("/v1/catalog?retailr=acme")).toMatchObject({
    code: "invalid_request",
    details: { field: "retailr", validOptions: ["retailer"] },
  });
});

test("a repeated parameter is refused, also with the same value", () => {
  expect(refusal("/v1/catalog?limit=5&limit=5")).toMatchObject({
    code: "invalid_request",
    details: { field: "limit" },
  });
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

test("a fragment is refused: what follows it would be ignored", () => {
  expect(refusal("/v1/catalog#?retailer=acme")).toMatchObject({ code: "invalid_request" });
});
