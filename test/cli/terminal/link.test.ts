import { expect, test } from "vitest";
import { linked } from "../../../src/cli/terminal/style.ts";

test("links a text to an address", () => {
  expect(linked("Lamp", "https://shop.example/1")).toBe(
    "\u001b]8;;https://shop.example/1\u001b\\Lamp\u001b]8;;\u001b\\",
  );
});

test.each(["http://shop.example/1", "https://a"])("links to %s", (address) => {
  expect(linked("Lamp", address)).toContain(`;;${address}\u001b`);
});

test.each([
  "see https://shop.example/1",
  "https://",
  undefined,
  "",
  "javascript:alert(1)",
  "file:///etc/passwd",
  "https://shop.example/\u001b\\\u001b[31m",
  "https://shop.example/\u0007",
  "https://shop.example/a b",
  "https://shop.example/\u202e",
])("drops the address %j", (address) => {
  expect(linked("Lamp", address)).toBe("Lamp");
});

test("an empty text is no link", () => {
  expect(linked("", "https://shop.example/1")).toBe("");
});
