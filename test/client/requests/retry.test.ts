import { describe, expect, test } from "vitest";
import { type AttemptFailure, decideRetry, type RetryDecision } from "../../../src/client/requests/retry.ts";
import { askedDelay } from "../../../src/client/requests/retry-timing.ts";
import { ApiError, NetworkError } from "../../../src/contract/errors.ts";
import type { Problem } from "../../../src/contract/problems.ts";

const NOW = Date.UTC(2026, 0, 1);

function decide(
  failure: AttemptFailure,
  { earlier = [] as AttemptFailure[], random = 0.5, retries = 5 } = {},
): RetryDecision {
  return decideRetry(failure, earlier, { retries, random: () => random });
}

interface Refusal {
  status?: number;
  problem?: Partial<Problem>;
  retryAfter?: string;
  rateLimitReset?: string;
}

function refused({ status = 503, problem = {}, retryAfter = "", rateLimitReset = "" }: Refusal): AttemptFailure {
  const header = (name: string) => ({ "retry-after": retryAfter, "ratelimit-reset": rateLimitReset })[name] ?? "";
  return { error: new ApiError("refused", { status, problem }), asked: askedDelay({ status, header }, NOW) };
}

const broken: AttemptFailure = { error: new NetworkError("broken") };
const internal = refused({ status: 500, problem: { code: "internal_error", retryable: true } });

describe("whether to retry", () => {
  test.each<[string, AttemptFailure, boolean]>([
    ["with `retryable: false`, any status is final", refused({ problem: { retryable: false } }), false],
    ["with `retryable: true`, any status is retried", refused({ status: 400, problem: { retryable: true } }), true],
    ["for an unknown code, `retryable` decides", refused({ problem: { code: "new_code", retryable: false } }), false],
    [
      "for a known code without `retryable`, the contract decides",
      refused({ problem: { code: "invalid_cursor" } }),
      false,
    ],
    [
      "for an unknown code without `retryable`, the status decides",
      refused({ status: 400, problem: { code: "new_code" } }),
      false,
    ],
    ["a 408 without a body is retried", refused({ status: 408 }), true],
    ["a 429 without a body is retried", refused({ status: 429 }), true],
    ["a 500 without a body is retried", refused({ status: 500 }), true],
    ["a 302 is not retried", refused({ status: 302 }), false],
    ["a 404 without a body is not retried", refused({ status: 404 }), false],
    ["a failure of the network is retried", broken, true],
    ["a permanent failure is not retried", { ...broken, permanent: true }, false],
  ])("%s", (_, failure, retry) => {
    expect(decide(failure).retry).toBe(retry);
  });

  test("stops after the number of retries", () => {
    const decisions = [0, 1, 2].map(
      (count) => decide(broken, { earlier: Array(count).fill(broken), retries: 2 }).retry,
    );
    expect(decisions).toEqual([true, true, false]);
  });

  test("retries an internal error once, even after other errors", () => {
    const failuresBefore = [[], [broken], [internal], [internal, broken]];
    expect(failuresBefore.map((earlier) => decide(internal, { earlier }).retry)).toEqual([true, true, false, false]);
  });

  test("waits for a quarter of an hour, but not longer", () => {
    expect([
      decide(refused({ retryAfter: "900" }), { random: 0 }),
      decide(refused({ retryAfter: "900.5" }), { random: 0 }),
    ]).toEqual([
      { retry: true, delay: 900_000 },
      { retry: false, note: "the service asks to wait 901 s" },
    ]);
  });
});

describe("the delay", () => {
  test("doubles its ceiling from 500 ms up to 30 s", () => {
    const delays = [0, 1, 2, 5, 6, 7, 39].map((count) =>
      decide(broken, { earlier: Array(count).fill(broken), random: 0.999_999, retries: 100 }),
    );
    expect(delays.map((decision) => decision.retry && decision.delay)).toEqual([
      499, 999, 1999, 15_999, 29_999, 29_999, 29_999,
    ]);
  });

  test("has full jitter: its minimum is zero", () => {
    expect(decide(broken, { earlier: [broken, broken], random: 0 })).toEqual({ retry: true, delay: 0 });
  });

  test.each<[string, Refusal, number]>([
    ["seconds", { retryAfter: "7" }, 7000],
    ["an HTTP-date", { retryAfter: "Thu, 01 Jan 2026 00:00:09 GMT" }, 9000],
    ["an HTTP-date of asctime, which is UTC", { retryAfter: "Thu Jan  1 00:00:09 2026" }, 9000],
    ["an HTTP-date in the past", { retryAfter: "Wed, 31 Dec 2025 23:00:00 GMT" }, 0],
    ["the longest of several", { retryAfter: "2, 7, soon, 0" }, 7000],
    [
      "the longest, with dates",
      { retryAfter: "5, Thu, 01 Jan 2026 00:00:09 GMT, Thursday, 01-Jan-26 00:00:08 GMT" },
      9000,
    ],
    ["a negative number, which is invalid", { retryAfter: "-5" }, 0],
    ["white space around it", { retryAfter: " 7 " }, 7000],
    ["fractions of a second, rounded up", { retryAfter: "1.2345" }, 1235],
    ["a number before other text, which is invalid", { retryAfter: "7 seconds" }, 0],
    ["a number after other text, which is invalid", { retryAfter: "in 7" }, 0],
    ["a date after other text, which is invalid", { retryAfter: "after Thu, 01 Jan 2026 00:00:09 GMT" }, 0],
    ["a reset with other text, which is invalid", { status: 429, rateLimitReset: "12s" }, 0],
    ["a reset after other text, which is invalid", { status: 429, rateLimitReset: "in 12" }, 0],
    ["nothing, with a 429", { status: 429 }, 0],
    ["words", { retryAfter: "soon" }, 0],
    ["nothing", { retryAfter: "" }, 0],
    ["the reset of a 429 without Retry-After", { status: 429, rateLimitReset: "12" }, 12_000],
    ["the reset of a 429 with an invalid one", { status: 429, retryAfter: "soon", rateLimitReset: "12" }, 12_000],
    ["Retry-After of a 429 rather than its reset", { status: 429, retryAfter: "3", rateLimitReset: "12" }, 3000],
    ["not the reset of a 503", { rateLimitReset: "12" }, 0],
  ])("is at least the requested delay: %s", (_, facts, least) => {
    expect([decide(refused(facts), { random: 0 }), decide(refused(facts))]).toEqual([
      { retry: true, delay: least },
      { retry: true, delay: least + 250 },
    ]);
  });
});
