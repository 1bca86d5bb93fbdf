import { describe, expect, test } from "vitest";
import { readCoverage } from "../../../src/client/responses/coverage-response.ts";
import { readCatalogPage, readSample } from "../../../src/client/responses/rows-response.ts";
import { ContractError } from "../../../src/contract/errors.ts";
import type { Filters } from "../../../src/contract/filters.ts";
import { PRODUCT_COLUMNS } from "../../../src/contract/product.ts";
import { COMBINATION, coverageBody, META, pageBody } from "../../helpers/envelopes.ts";
import { product, productRow } from "../../helpers/products.ts";

const ROW = productRow();

/** What the reading of `body` is refused with; undefined where it is not. */
function refusal(read: (body: Buffer) => unknown, body: string): string | undefined {
  try {
    read(Buffer.from(body));
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(ContractError);
    return (error as ContractError).message.replace("The service's response breaks its contract: ", "");
  }
}

function pageRefusal(body: string, filters: Filters = {}, limit = 100): string | undefined {
  return refusal((bytes) => readCatalogPage(bytes, filters, limit), body);
}

const without = (body: string, name: string) => JSON.stringify({ ...JSON.parse(body), [name]: undefined });

describe("a page", () => {
  test.each<[string, string, string]>([
    ["that is not an object", "[]", "the body is not an object"],
    ["without data", without(pageBody([]), "data"), "`data` is not an array (request req-1)"],
    ["without pagination", without(pageBody([]), "pagination"), "`pagination` is not an object (request req-1)"],
    ["without meta", without(pageBody([]), "meta"), "`meta` is not an object"],
    [
      "with more to come and no cursor",
      pageBody([ROW], { has_more: true }),
      "`pagination.has_more` is true but there is no `pagination.next_cursor` (request req-1)",
    ],
    [
      "with more to come and an empty cursor",
      pageBody([ROW], { has_more: true, next_cursor: "" }),
      "`pagination.has_more` is true but there is no `pagination.next_cursor` (request req-1)",
    ],
    [
      "with a cursor that is no string",
      pageBody([ROW], { has_more: true, next_cursor: 7 }),
      "`pagination.next_cursor` is not a string or null (request req-1)",
    ],
    [
      "with half a surrogate pair in its cursor",
      pageBody([ROW], { has_more: true, next_cursor: "c\ud800" }),
      "`pagination.next_cursor` has a lone surrogate (request req-1)",
    ],
    [
      "without has_more",
      pageBody([ROW], { has_more: undefined }),
      "`pagination.has_more` is not true or false (request req-1)",
    ],
    [
      "with a total that is no count",
      pageBody([ROW], { total_matching: 1.5 }),
      "`pagination.total_matching` is not an integer from 0 or null (request req-1)",
    ],
    [
      "with a total that JSON cannot count to",
      pageBody([ROW], { total_matching: 2 ** 53 }),
      "`pagination.total_matching` is not an integer from 0 or null (request req-1)",
    ],
    ["with a row that is not an object", pageBody([ROW, "[]"]), "`data[1]` is not an object (request req-1)"],
    [
      "with a request id that is no string",
      pageBody([], {}, { ...META, request_id: 7 }),
      "`meta.request_id` is not a string",
    ],
    [
      "with a summary that does not count",
      pageBody([], {}, { ...META, coverage: { ...META.coverage, matching_rows: "2" } }),
      "`meta.coverage.matching_rows` is not an integer from 0 (request req-1)",
    ],
  ])("%s is refused", (_, body, message) => {
    expect(pageRefusal(body)).toBe(message);
  });

  test.each<[string, string, string]>([
    ...PRODUCT_COLUMNS.map((name): [string, string, string] => [
      `without ${name}`,
      productRow({ [name]: undefined }),
      `\`data[1].${name}\` is missing${name === "product_id" ? "" : ' (product_id "p1")'}`,
    ]),
    ["whose title is a number", productRow({ title: "7" }), '`data[1].title` is not a string (product_id "p1")'],
    ["whose brand is null", productRow({ brand: "null" }), '`data[1].brand` is not a string (product_id "p1")'],
    ["whose color is true", productRow({ color: "true" }), '`data[1].color` is not a string or null (product_id "p1")'],
    ["whose price is text", productRow({ mrp: '"25"' }), '`data[1].mrp` is not a number (product_id "p1")'],
    ["whose price is null", productRow({ mrp: "null" }), '`data[1].mrp` is not a number (product_id "p1")'],
    ["whose product_id is a number", productRow({ product_id: "7" }), "`data[1].product_id` is not a string"],
    [
      "whose price is a long text",
      productRow({ mrp: `"${"9".repeat(2000)}"` }),
      '`data[1].mrp` is not a number (product_id "p1")',
    ],
    [
      "of a long id",
      productRow({ product_id: `"${"x".repeat(2000)}"`, mrp: "null" }),
      `\`data[1].mrp\` is not a number (product_id "${"x".repeat(79)})`,
    ],
    ["whose sku is an array", productRow({ sku: "[1]" }), '`data[1].sku` is not a string (product_id "p1")'],
    [
      "of a day that does not exist",
      productRow({ crawl_date: '"2026-02-30"' }),
      '`data[1].crawl_date` is not a date (product_id "p1")',
    ],
    [
      "with a number of 200,000 digits",
      productRow({ selling_price: "9".repeat(200_000) }),
      '`data[1].selling_price` is a number with 200000 characters; at most 1000 are accepted (product_id "p1")',
    ],
  ])("with a row %s is refused, naming row and member", (_, row, message) => {
    expect(pageRefusal(pageBody([ROW, row]))).toBe(`${message} (request req-1)`);
    const sample = refusal((bytes) => readSample(bytes, {}), pageBody([ROW, row]));
    expect(sample).toBe(`${message} (request req-1)`);
  });

  const other = { crawl_date: '"2026-03-02"' };
  test.each<[string, ...Parameters<typeof productRow>[0][]]>([
    ["a number of 1000 characters", { mrp: "9".repeat(1000) }],
    ["a price in exponents", { mrp: "-1.5E+3" }],
    ["members that the contract does not name", { stock: "[null]" }],
    ["text with escapes", { title: '"\\u0041 \\"x\\""', crawl_date: '"2026\\u002d01-02"' }],
    ["a long text", { title: `"${"x".repeat(2000)}"` }],
    ["rows of the same day and of others", {}, {}, other, {}, other],
  ])("with %s is accepted", (_, ...raws) => {
    expect(pageRefusal(pageBody(raws.map((raw) => productRow(raw))))).toBeUndefined();
  });

  test("with more rows than requested is refused", () => {
    const message = "2 rows where at most 1 were asked for (request req-1)";
    expect(pageRefusal(pageBody([ROW, ROW]), {}, 1)).toBe(message);
  });

  test("with as many rows as requested is accepted", () => {
    expect(pageRefusal(pageBody([ROW]), {}, 1)).toBeUndefined();
  });

  test.each([
    ["no day, but has rows, is refused", { earliest_date: null, latest_date: null }, "earliest"],
    ["no first day, but has rows, is refused", { earliest_date: null }, "earliest"],
    ["no last day, but has rows, is refused", { latest_date: null }, "latest"],
    ["one day is accepted", { latest_date: "2026-01-01" }, undefined],
    ["no day and no row is accepted", { earliest_date: null, latest_date: null, matching_rows: 0 }, undefined],
  ])("whose summary has %s", (_, days, missing) => {
    const body = pageBody([ROW], {}, { ...META, coverage: { ...META.coverage, ...days } });
    const message = `\`meta.coverage.${missing}_date\` is null, but \`matching_rows\` is 2 (request req-1)`;
    expect(pageRefusal(body)).toBe(missing && message);
  });

  test("with fewer rows than requested is accepted", () => {
    expect(pageRefusal(pageBody([ROW], { has_more: true, next_cursor: "n" }), {}, 500)).toBeUndefined();
  });

  test("may have a cursor at the end of a walk, which is ignored", () => {
    const body = pageBody([ROW], { next_cursor: "left over" });
    expect(readCatalogPage(Buffer.from(body), {}, 100).pagination).toEqual({
      limit: 100,
      total_matching: 1,
      next_cursor: null,
      has_more: false,
    });
  });

  test("without a limit and a total is accepted, whether they are null or missing", () => {
    const body = pageBody([ROW], { limit: null, total_matching: undefined });
    expect(readCatalogPage(Buffer.from(body), {}, 100).pagination).toMatchObject({
      limit: null,
      total_matching: null,
    });
  });
});

describe("the filters that were applied", () => {
  const refusalOf = (filters: Filters, resolved: object) =>
    pageRefusal(pageBody([], {}, { ...META, resolved: { ...META.resolved, ...resolved } }), filters);
  const differ = (what: string) => `The service applied another filter than was sent: ${what} (request req-1)`;

  test.each<[string, Filters, object, string]>([
    [
      "a filter that was dropped",
      { start_date: "2026-01-01" },
      {},
      '`meta.resolved.start_date` is nothing, but "2026-01-01" was sent',
    ],
    [
      "a filter with another value",
      { retailer: "acme" },
      { retailer: "ACME" },
      '`meta.resolved.retailer` is "ACME", but "acme" was sent',
    ],
    [
      "a filter that nobody sent",
      {},
      { department: "home" },
      '`meta.resolved.department` is "home", but nothing was sent',
    ],
    ["a triple that nobody sent", {}, { rcd: "a:b:c" }, '`meta.resolved.rcd` is "a:b:c", but nothing was sent'],
    [
      "triples of which some are missing",
      { rcd: "acme:lamps:home,acme:rugs:home" },
      { rcd: "acme:lamps:home" },
      '`meta.resolved.rcd` is "acme:lamps:home", but "acme:lamps:home,acme:rugs:home" was sent',
    ],
    [
      "a triple of which a part is missing",
      { rcd: "acme:lamps:home" },
      { retailer: "acme", category: "lamps" },
      '`meta.resolved.rcd` is nothing, but "acme:lamps:home" was sent',
    ],
    [
      "the part of another triple instead of one",
      { rcd: "acme:lamps:home,acme:rugs:home" },
      { retailer: "acme", category: "lamps,chairs", department: "home" },
      '`meta.resolved.category` is "lamps,chairs", but nothing was sent',
    ],
    [
      "the part of another triple as well",
      { rcd: "acme:lamps:home" },
      { retailer: "acme", category: "lamps,rugs", department: "home" },
      '`meta.resolved.category` is "lamps,rugs", but nothing was sent',
    ],
    [
      "a part of another triple",
      { rcd: "acme:lamps:home" },
      { rcd: "acme:lamps:home", retailer: "bolt" },
      '`meta.resolved.retailer` is "bolt", but nothing was sent',
    ],
    [
      "a dropped retailer beside a triple",
      { retailer: "bolt", rcd: "acme:lamps:home" },
      { rcd: "acme:lamps:home" },
      '`meta.resolved.retailer` is nothing, but "bolt" was sent',
    ],
  ])("are refused with %s", (_, filters, resolved, what) => {
    expect(refusalOf(filters, resolved)).toBe(differ(what));
  });

  test.each<[string, Filters, object]>([
    ["a triple", { rcd: "a:b:c" }, { retailer: "a", category: "b", department: "c" }],
    ["a triple beside itself", { rcd: "a:b:c" }, { rcd: "a:b:c", retailer: "a", category: "b", department: "c" }],
    ["several triples", { rcd: "a:b:c,d:b:c" }, { retailer: "a,d", category: "b", department: "c" }],
    ["triples in another order", { rcd: "a:b:c,d:e:f" }, { rcd: "d:e:f,a:b:c" }],
  ])("are accepted with %s in its parts, and read as they were sent", (_, filters, resolved) => {
    const body = pageBody([], {}, { ...META, resolved: { ...META.resolved, ...resolved } });
    const { meta } = readCatalogPage(Buffer.from(body), filters, 100);
    expect(meta.resolved).toEqual({ ...META.resolved, ...filters });
  });

  test("are accepted if they are exactly those that were sent", () => {
    const filters = { rcd: "acme:lamps:home", start_date: "2026-01-01" };
    expect(refusalOf(filters, filters)).toBeUndefined();
  });
});

describe("a sample", () => {
  const sampleRefusal = (rows: readonly object[], filters: Filters = {}) => {
    const resolved = { ...META.resolved, ...filters };
    const body = pageBody(
      rows.map((row) => JSON.stringify(row)),
      {},
      { ...META, resolved },
    );
    return refusal((bytes) => readSample(bytes, filters), body);
  };
  const row = product({ product_id: "p1", crawl_date: "2026-01-02" });
  const outside = 'The service answered with row "p1", which is outside the filters that were sent (request req-1)';

  test("of more than 100 rows is refused", () => {
    const message = "101 rows where at most 100 were asked for (request req-1)";
    expect(sampleRefusal(Array.from({ length: 101 }, () => row))).toBe(message);
  });

  test.each<[string, Filters]>([
    ["another retailer", { retailer: "other" }],
    ["another combination", { rcd: "acme:rugs:home,acme:lamps:garden" }],
    ["a day before the first", { start_date: "2026-01-03" }],
    ["a day after the last", { end_date: "2026-01-01" }],
  ])("with a row of %s is refused", (_, filters) => {
    expect(sampleRefusal([row], filters)).toBe(outside);
  });

  test("whose rows match the filters is accepted", () => {
    expect(
      sampleRefusal([row], { retailer: "acme", start_date: "2026-01-02", end_date: "2026-01-02" }),
    ).toBeUndefined();
  });
});

describe("a coverage", () => {
  const coverageRefusal = (body: string, filters: Filters = {}) =>
    refusal((bytes) => readCoverage(JSON.parse(bytes.toString()), filters), body);

  test.each<[string, unknown[], string]>([
    ["an entry that is not an object", [7], "`data[0]` is not an object (request req-1)"],
    [
      "rows that are not an integer",
      [{ ...COMBINATION, matching_rows: 2.5 }],
      "`data[0].matching_rows` is not an integer from 0 (request req-1)",
    ],
    [
      "negative rows",
      [{ ...COMBINATION, corpus_rows: -1 }],
      "`data[0].corpus_rows` is not an integer from 0 (request req-1)",
    ],
    [
      "a date that does not exist",
      [{ ...COMBINATION, latest_date: "2026-02-30" }],
      "`data[0].latest_date` is not a date (request req-1)",
    ],
    [
      "an `rcd` of another combination",
      [{ ...COMBINATION, rcd: "acme:home:lamps" }],
      "`data[0].rcd` is not its retailer:category:department (request req-1)",
    ],
    [
      "dates in the wrong order",
      [{ ...COMBINATION, earliest_date: "2026-01-03" }],
      "`data[0].earliest_date` is after `data[0].latest_date` (request req-1)",
    ],
    ["a missing entry", [], "`meta.coverage.combinations` is 1, but the entries add up to 0 (request req-1)"],
    [
      "rows that do not add up",
      [{ ...COMBINATION, matching_rows: 1 }],
      "`meta.coverage.matching_rows` is 2, but the entries add up to 1 (request req-1)",
    ],
  ])("with %s is refused", (_, data, message) => {
    expect(coverageRefusal(coverageBody(data))).toBe(message);
  });

  test("with more rows than any service has is refused", () => {
    const bodyOf = (rows: number) => {
      const counts = { matching_rows: rows, corpus_rows: rows };
      return coverageBody([{ ...COMBINATION, ...counts }], { ...META, coverage: { ...META.coverage, ...counts } });
    };
    expect([100_000_000_000, 100_000_000_001].map((rows) => coverageRefusal(bodyOf(rows)))).toEqual([
      undefined,
      "`meta.coverage.matching_rows` is 100000000001, more than 100000000000 (request req-1)",
    ]);
  });

  test("with dates of no rows in any order is read", () => {
    const none = { ...COMBINATION, rcd: "acme:sofas:home", category: "sofas", matching_rows: 0, corpus_rows: 0 };
    const coverage = { ...META.coverage, combinations: 2 };
    const data = [COMBINATION, { ...none, earliest_date: "2026-01-03", latest_date: "2026-01-01" }];
    expect(readCoverage(JSON.parse(coverageBody(data, { ...META, coverage })), {}).data).toEqual(data);
  });

  test("whose summary has its dates in the wrong order is refused", () => {
    const coverage = { ...META.coverage, earliest_date: "2026-01-03" };
    const message = "`meta.coverage.earliest_date` is after `meta.coverage.latest_date` (request req-1)";
    expect(coverageRefusal(coverageBody([COMBINATION], { ...META, coverage }))).toBe(message);
  });

  test.each<[string, Filters, string]>([
    ["another retailer", { retailer: "other" }, 'coverage of "acme:lamps:home"'],
    ["days before the first", { start_date: "2026-01-02" }, 'rows of 2026-01-01 in "acme:lamps:home"'],
    ["days after the last", { end_date: "2026-01-01" }, 'rows of 2026-01-02 in "acme:lamps:home"'],
  ])("with an entry of %s is refused", (_, filters, what) => {
    const meta = { ...META, resolved: { ...META.resolved, ...filters } };
    const message = `The service answered with ${what}, which is outside the filters that were sent (request req-1)`;
    expect(coverageRefusal(coverageBody([COMBINATION], meta), filters)).toBe(message);
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
    expect(coverageRefusal(body)).toBe(
      "a coverage has no further page, but `pagination.has_more` is true (request req-1)",
    );
  });

  test("with several entries of one day each is accepted, and without matching rows their days do not matter", () => {
    const filters = { start_date: "2026-01-02" };
    const day = { earliest_date: "2026-01-02", latest_date: "2026-01-02" };
    const other = { ...COMBINATION, category: "rugs", rcd: "acme:rugs:home", matching_rows: 0 };
    const coverage = { ...META.coverage, combinations: 2, corpus_rows: 4, ...day };
    const meta = { ...META, coverage, resolved: { ...META.resolved, ...filters } };
    expect(coverageRefusal(coverageBody([{ ...COMBINATION, ...day }, other], meta), filters)).toBeUndefined();
  });

  test("without entries is accepted", () => {
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
