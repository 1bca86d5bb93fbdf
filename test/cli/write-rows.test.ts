import { expect, test } from "vitest";
import { lossWarnings } from "../../src/cli/write-rows.ts";

test("each thing that a format cannot represent is told once for each column, however many files have it", () => {
  const told: string[] = [];
  const onLoss = lossWarnings("xlsx", {
    warn: (text) => told.push(`warning: ${text}`),
    note: (text) => told.push(`note: ${text}`),
  });
  for (let file = 0; file < 2; file += 1) {
    for (const loss of ["member", "surrogate", "digits", "end", "link"] as const) {
      onLoss(loss, "title");
    }
    onLoss("end", "brand");
  }
  expect(told).toEqual([
    'warning: rows hold "title", which xlsx leaves out; ndjson keeps it',
    "warning: title holds half a surrogate pair, written as U+FFFD; ndjson keeps it",
    "warning: title holds a number that no double is equal to, so it is written rounded; ndjson keeps it",
    "warning: title holds a text longer than the 32,767 characters of a cell, cut; ndjson keeps it",
    "note: a sheet holds 65,530 links; the addresses after them are plain text",
    "warning: brand holds a text longer than the 32,767 characters of a cell, cut; ndjson keeps it",
  ]);
});
