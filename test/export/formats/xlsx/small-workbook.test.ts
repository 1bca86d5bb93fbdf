import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { partsOf, workbookOf } from "./workbook-of.ts";

const KINDS = { url: "link", title: undefined, day: "date", at: "timestamp", discount_pct: "percent" } as const;

test("a small workbook has the parts of small-workbook.txt", async () => {
  const known = [...Object.keys(KINDS), "a name of <19> chars"];
  const rows = [
    { url: "https://shop.example/?a=1&b=2", title: " é ", day: "2026-01-05", at: "2026-01-05 12:00:00" },
    { url: "no address", title: "a<b\n_x0041_", day: "never", at: null, discount_pct: 12.5, "a name of <19> chars": 1 },
  ].map((row) => JSON.stringify(Object.fromEntries(known.map((name) => [name, row[name as "url"] ?? null]))));
  const kinds = Object.fromEntries(Object.entries(KINDS).flatMap(([name, kind]) => (kind ? [[name, kind]] : [])));
  const parts = await partsOf(await workbookOf([rows], { known, kinds, links: true }));
  const written = [...parts].map(([name, xml]) => `${name}\n${xml.trimEnd()}\n`).join("\n");
  expect(written).toBe(await readFile(new URL("small-workbook.txt", import.meta.url), "utf8"));
});
