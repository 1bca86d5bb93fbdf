import { expect, test } from "vitest";
import { inFlagWords } from "../../../src/cli/flags/flag-words.ts";
import { InputError, UsageError } from "../../../src/contract/errors.ts";
import { resolveFilters } from "../../../src/pull/written-filters.ts";

test("an error of a library function names its options to a script and flags to a user", async () => {
  const source = { combinations: async () => [], check: async () => undefined };
  const written = { start_date: "2026-02-02", end_date: "2026-02-01" } as const;
  const error = await resolveFilters(written, source, 0).catch((failure: unknown) => failure);
  expect(error).toStrictEqual(
    new InputError("start_date 2026-02-02 is after end_date 2026-02-01.", { input: "start_date", value: "2026-02-02" }),
  );
  expect(inFlagWords(error as InputError)).toStrictEqual(
    new UsageError("--start-date 2026-02-02 is after --end-date 2026-02-01.", {
      flag: "--start-date",
      value: "2026-02-02",
    }),
  );
});

test("without one wrong input, there is no flag to correct", () => {
  const { message, flag, value, suggestions } = inFlagWords(new InputError("both differ"));
  expect([message, flag, value, suggestions]).toEqual(["both differ", undefined, undefined, []]);
});
