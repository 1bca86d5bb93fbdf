import { expect, test } from "vitest";
import { PROBLEM_CODES, PROBLEMS, type Problem, type ProblemCode } from "../../../src/contract/problems.ts";
import { StoreTimeoutError, StoreUnavailableError } from "../../../src/service/store/store-types.ts";
import { ERROR_CODES } from "../../helpers/contract-literals.ts";
import { oneRowEach } from "../../helpers/products.ts";
import { rowsFail, startTestService } from "../../helpers/service.ts";

/** One request for each code; those of the last three need a store that fails. */
const requests: Record<ProblemCode, string> = {
  invalid_request: "/v1/catalog?limit=0",
  unknown_retailer: "/v1/catalog?retailer=x",
  unknown_category: "/v1/catalog?category=x",
  unknown_department: "/v1/catalog?department=x",
  invalid_date_range: "/v1/catalog?start_date=x",
  invalid_cursor: "/v1/catalog?cursor=x",
  missing_credentials: "/v1/catalog",
  invalid_credentials: "/v1/catalog",
  insufficient_scope: "/v1/coverage",
  not_found: "/v1/x",
  rate_limited: "/v1/sample",
  internal_error: "/v1/catalog",
  service_unavailable: "/v1/catalog",
  upstream_timeout: "/v1/catalog",
};

test("each of the 14 codes is reached, with its status, title, retryable flag and recovery text", async () => {
  let failure: Error | undefined;
  const service = await startTestService({
    rows: oneRowEach("acme:lamps:home"),
    sampleRateLimit: 0,
    faults: rowsFail(() => failure),
  });
  const sampleOnly = await service.createKey({ name: "sample only", scopes: ["catalog:sample"] });
  const keys: Partial<Record<ProblemCode, string | null>> = {
    missing_credentials: null,
    invalid_credentials: "unknown",
    insufficient_scope: sampleOnly,
  };
  const failures: Partial<Record<ProblemCode, Error>> = {
    internal_error: new Error("unforeseen"),
    service_unavailable: new StoreUnavailableError("away"),
    upstream_timeout: new StoreTimeoutError("slow"),
  };

  const responses: Problem[] = [];
  for (const code of PROBLEM_CODES) {
    failure = failures[code];
    const key = keys[code];
    responses.push((await service.get(requests[code], key === undefined ? {} : { key })).body);
  }

  for (const { code, ...body } of responses) {
    const extensions = ["field", "valid_options"].filter((name) => name in body);
    expect(PROBLEMS[code as ProblemCode].extensions, code).toEqual(expect.arrayContaining(extensions));
  }
  expect(
    responses.map(({ code, status, title, retryable, recovery }) => ({ code, status, title, retryable, recovery })),
  ).toEqual(
    PROBLEM_CODES.map((code) => {
      const [status, retryable] = ERROR_CODES[code];
      const { title, recovery } = PROBLEMS[code];
      return { code, status, title, retryable, recovery };
    }),
  );
});
