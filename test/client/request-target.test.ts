import { expect, test } from "vitest";
import { requestTarget } from "../../src/client/client.ts";

test("a path in the base URL is kept, with and without a slash at its end", () => {
  const targets = [
    "https://x.example",
    "https://x.example/api",
    "https://x.example/api/",
    "https://x.example/api//",
  ].map((base) => requestTarget(new URL(base), "coverage", {}));
  expect(targets).toEqual(["/v1/coverage", ...Array(3).fill("/api/v1/coverage")]);
});

test("filters come in the contract's order, then limit and cursor; absent ones are left out", () => {
  const filters = { end_date: "2026-01-02", rcd: "a:b:c,d:e:f", retailer: "a" };
  const target = requestTarget(new URL("https://x.example"), "catalog", filters, { cursor: "c", limit: 500 });
  expect(target).toBe("/v1/catalog?retailer=a&rcd=a:b:c,d:e:f&end_date=2026-01-02&limit=500&cursor=c");
});

test("a cursor arrives character for character", () => {
  const cursor = "a+b/c==&d=%41 é#?☃";
  const target = requestTarget(new URL("https://x.example"), "catalog", {}, { cursor });
  expect(new URL(target, "https://x.example").searchParams.get("cursor")).toBe(cursor);
  expect(decodeURIComponent(target.split("cursor=")[1] ?? "")).toBe(cursor);
});
