import { expect, test } from "vitest";
import { renderCards } from "../../../../src/cli/terminal/tables/card.ts";
import { numberCell, textCell } from "../../../../src/cli/terminal/tables/cell.ts";

const LAMP = {
  title: { ...textCell("Lamp\u001b[31m"), link: "https://shop.example/1" },
  members: [
    { name: "mrp", value: numberCell("1999.90") },
    { name: "retailer", value: textCell("acme") },
  ],
};

test("each row is a card with aligned values, nothing is cut, and control characters are escaped", () => {
  const sofa = { title: textCell("Sofa"), members: [{ name: "color", value: textCell("") }] };
  expect(renderCards([LAMP, sofa], { colour: false, links: false })).toBe(
    "Lamp\\x1b[31m\n  mrp       1,999.90\n  retailer  acme\n\nSofa\n  color\n",
  );
});

test("without rows there are no cards", () => {
  expect(renderCards([], { colour: false, links: false })).toBe("");
});

test("colour and links are used if they are on", () => {
  expect(renderCards([{ ...LAMP, members: LAMP.members.slice(1) }], { colour: true, links: true })).toBe(
    "\u001b[1m\u001b]8;;https://shop.example/1\u001b\\Lamp\\x1b[31m\u001b]8;;\u001b\\\u001b[22m\n" +
      "  \u001b[2mretailer\u001b[22m  acme\n",
  );
});
