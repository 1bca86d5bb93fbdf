import { describe, expect, test } from "vitest";
import { readCoverage } from "../../src/api/coverage-answer.ts";
import { readCatalogPage, readSample } from "../../src/api/rows-answer.ts";
import type { Filters } from "../../src/contract/filters.ts";
import { ContractError } from "../../src/errors.ts";
import { COMBINATION, coverageBody, META, pageBody } from "../helpers/envelopes.ts";

/** What the reading of `body` is refused with; undefined where it is not. */
function refusal(read: (document: unknown, text: string) => unknown, body: string): string | undefined {
  try {
    read(JSON.parse(body), body);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(ContractError);
    return (error as ContractError).message.replace("The service's answer breaks its contract: ", "");
  }
}

function pageRefusal(body: string, filters: Filters = {}, limit = 100): string | undefined {
  return refusal((document, text) => readCatalogPage(document, text, filters, limit), body);
}

const without = (body: string, name: string) => JSON.stringify({ ...JSON.parse(body), [name]: undefined });

describe("a page", () => {
  test.each<[string, string, string]>([
    ["that is no object", "[]", "the body is not an object"],
    ["without data", without(pageBody([]), "data"), "`data` is not an array (request req-1)"],
    ["without pagination", without(pageBody([]), "pagination"), "`pagination` is not an object (request req-1)"],
    ["without meta", without(pageBody([]), "meta"), "`meta` is not an object"],
    [
      "with more to come and no cursor",
      pageBody(["{}"], { has_more: true }),
      "`has_more` is true but there is no `next_cursor` (request req-1)",
    ],
    [
      "with more to come and an empty cursor",
      pageBody(["{}"], { has_more: true, next_cursor: "" }),
      "`has_more` is true but there is no `next_cursor` (request req-1)",
    ],
    [
      "with a cursor that is no string",
      pageBody(["{}"], { has_more: true, next_cursor: 7 }),
      "`pagination.next_cursor` is not a string (request req-1)",
    ],
    [
      "without has_more",
      pageBody(["{}"], { has_more: undefined }),
      "`pagination.has_more` is not true or false (request req-1)",
    ],
    [
      "with a total that is no count",
      pageBody(["{}"], { total_matching: 1.5 }),
      "`pagination.total_matching` is not a count (request req-1)",
    ],
    [
      "without a total",
      pageBody(["{}"], { total_matching: null }),
      "`pagination.total_matching` is not a count (request req-1)",
    ],
    ["with a row that is no object", pageBody(["{}", "[]"]), "row 2 of the answer is not an object (request req-1)"],
    [
      "with a request id that is no string",
      pageBody([], {}, { ...META, request_id: 7 }),
      "`meta.request_id` is not a string",
    ],
    [
      "with a summary that does not count",
      pageBody([], {}, { ...META, coverage: { ...META.coverage, matching_rows: "2" } }),
      "`meta.coverage.matching_rows` is not a count (request req-1)",
    ],
  ])("%s is refused", (_, body, message) => {
    expect(pageRefusal(body)).toBe(message);
  });

  test("with more rows than were asked for is refused", () => {
    const message = "2 rows where at most 1 were asked for (request req-1)";
    expect(pageRefusal(pageBody(["{}", "{}"]), {}, 1)).toBe(message);
  });

  test("with fewer rows than were asked for is taken", () => {
    expect(pageRefusal(pageBody(["{}"], { has_more: true, next_cursor: "n" }), {}, 500)).toBeUndefined();
  });

  test("that ends a walk may carry a cursor, which leads nowhere", () => {
    const body = pageBody(["{}"], { next_cursor: "left over" });
    expect(readCatalogPage(JSON.parse(body), body, {}, 100).pagination).toEqual({
      limit: 100,
      total_matching: 1,
      next_cursor: null,
      has_more: false,
    });
  });

  test("for a filter that the service did not apply is refused", () => {
    const message = "the filter `start_date` was sent but not applied (request req-1)";
    expect(pageRefusal(pageBody([]), { start_date: "2026-01-01" })).toBe(message);
  });

  test("for triples that the service resolved into the three filters is taken", () => {
    const resolved = { ...META.resolved, retailer: "acme", category: "lamps", department: "home" };
    expect(pageRefusal(pageBody([], {}, { ...META, resolved }), { rcd: "acme:lamps:home" })).toBeUndefined();
  });

  test("for triples that the service did not apply is refused", () => {
    const message = "the filter `rcd` was sent but not applied (request req-1)";
    expect(pageRefusal(pageBody([]), { rcd: "acme:lamps:home" })).toBe(message);
  });
});

test("a sample of more than 100 rows is refused", () => {
  const body = pageBody(Array.from({ length: 101 }, () => "{}"));
  const message = "101 rows where at most 100 were asked for (request req-1)";
  expect(refusal((document, text) => readSample(document, text, {}), body)).toBe(message);
});

describe("a coverage", () => {
  const coverageRefusal = (body: string) => refusal((document) => readCoverage(document, {}), body);

  test.each<[string, unknown[], string]>([
    ["an entry that is no object", [7], "entry 1 is not an object (request req-1)"],
    [
      "rows that are no integer",
      [{ ...COMBINATION, matching_rows: 2.5 }],
      "`matching_rows` of entry 1 is not a count (request req-1)",
    ],
    ["negative rows", [{ ...COMBINATION, corpus_rows: -1 }], "`corpus_rows` of entry 1 is not a count (request req-1)"],
    [
      "a date that does not exist",
      [{ ...COMBINATION, latest_date: "2026-02-30" }],
      "`latest_date` of entry 1 is not a date (request req-1)",
    ],
    [
      "a triple of something else",
      [{ ...COMBINATION, rcd: "acme:home:lamps" }],
      "`rcd` of entry 1 is not its retailer:category:department (request req-1)",
    ],
    ["a missing entry", [], "`meta.coverage.combinations` is 1, but the entries make 0 (request req-1)"],
    [
      "rows that do not add up",
      [{ ...COMBINATION, matching_rows: 1 }],
      "`meta.coverage.matching_rows` is 2, but the entries make 1 (request req-1)",
    ],
  ])("with %s is refused", (_, data, message) => {
    expect(coverageRefusal(coverageBody(data))).toBe(message);
  });

  test("with a combination listed twice is refused", () => {
    const coverage = { ...META.coverage, combinations: 2, matching_rows: 4, corpus_rows: 4 };
    const body = coverageBody([COMBINATION, COMBINATION], { ...META, coverage });
    expect(coverageRefusal(body)).toBe("a combination is listed twice (request req-1)");
  });

  test("with a further page is refused", () => {
    const body = JSON.stringify({
      ...JSON.parse(coverageBody([COMBINATION])),
      pagination: { next_cursor: "n", has_more: true },
    });
    expect(coverageRefusal(body)).toBe("a coverage has no further page, but `has_more` is true (request req-1)");
  });

  test("of nothing is empty", () => {
    const coverage = {
      combinations: 0,
      matching_rows: 0,
      corpus_rows: 0,
      earliest_date: null,
      latest_date: null,
    };
    const meta = { ...META, coverage };
    expect(readCoverage(JSON.parse(coverageBody([], meta)), {})).toEqual({ data: [], meta });
  });
});
