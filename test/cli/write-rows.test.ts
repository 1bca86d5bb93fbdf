import { expect, test } from "vitest";
import { lossWarnings } from "../../src/cli/write-rows.ts";

test("each thing that a format cannot represent is told once for each column, however many files have it", () => {
  const told: string[] = [];
  const onLoss = lossWarnings("xlsx", {
    warn: (text) => told.push(`warning: ${text}`),
    note: (text) => told.push(`note: ${text}`),
  });
  for (let file = 0; file < 2; file += 1) {
    for (const loss of ["member", "surrogate", "digits", "truncated", "link"] as const) {
      onLoss(loss, "title");
    }
    onLoss("truncated", "brand");
  }
  expect(told).toEqual([
    'warning: rows have a member "title", which xlsx leaves out; ndjson keeps it',
    "warning: title has a lone surrogate, written as U+FFFD; ndjson keeps it",
    "warning: title has a number that a double cannot represent exactly, written rounded; ndjson keeps it",
    "warning: title has a text longer than the 32,767 characters of a cell, which is cut; ndjson keeps it",
    "note: a sheet can have 65,530 links; further addresses are plain text",
    "warning: brand has a text longer than the 32,767 characters of a cell, which is cut; ndjson keeps it",
  ]);
});
