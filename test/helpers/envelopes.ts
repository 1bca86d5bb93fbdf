import type { Coverage } from "../../src/contract/coverage.ts";
import type { Problem } from "../../src/contract/problems.ts";

/** `meta` of a response to a request without filters. */
export const META = {
  request_id: "req-1",
  resolved: { retailer: null, category: null, department: null, rcd: null, start_date: null, end_date: null },
  coverage: {
    combinations: 1,
    matching_rows: 2,
    corpus_rows: 2,
    earliest_date: "2026-01-01",
    latest_date: "2026-01-02",
  },
};

/** The body of a page whose rows are raw JSON text. */
export function pageBody(
  rows: readonly string[],
  pagination: Readonly<Record<string, unknown>> = {},
  meta: Readonly<Record<string, unknown>> = META,
): string {
  const position = { limit: 100, total_matching: rows.length, next_cursor: null, has_more: false, ...pagination };
  return `{"data":[${rows.join(",")}],"pagination":${JSON.stringify(position)},"meta":${JSON.stringify(meta)}}`;
}

export const COMBINATION: Coverage = {
  retailer: "acme",
  department: "home",
  category: "lamps",
  rcd: "acme:lamps:home",
  corpus_rows: 2,
  matching_rows: 2,
  earliest_date: "2026-01-01",
  latest_date: "2026-01-02",
};

export function coverageBody(data: readonly unknown[], meta: Readonly<Record<string, unknown>> = META): string {
  return JSON.stringify({ data, pagination: { next_cursor: null, has_more: false }, meta });
}

/** A problem document with the required members. */
export function problemBody(problem: Partial<Problem>): string {
  return JSON.stringify({
    type: `https://errors.example/errors#${problem.code}`,
    title: "Title",
    status: 500,
    detail: "Detail.",
    recovery: "Recovery.",
    request_id: "req-9",
    ...problem,
  });
}
