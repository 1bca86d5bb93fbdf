import { isProblemCode, PROBLEMS } from "../../contract/problems.ts";
import { ApiError, ContractError, NetworkError } from "../../errors.ts";
import type { AttemptFailure, Outcome } from "./failure.ts";
import { askedDelay, backoff, LONGEST_WAIT } from "./retry-timing.ts";

/** Contract section 7: "retry once with backoff". */
const INTERNAL_ERROR_RETRIES = 1;

/** Whether to retry, and after how many milliseconds. `note` gives the reason for no retry, if it is not obvious. */
export type RetryDecision = { retry: true; delay: number } | { retry: false; note?: string };

export interface RetryRules {
  /** Maximum of retries. */
  retries: number;
  /** A number from 0 up to 1. */
  random: () => number;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** Decides after a failure. `failures` are those of all attempts so far, in order. */
export function decideRetry(failures: readonly AttemptFailure[], { retries, random, now }: RetryRules): RetryDecision {
  const failure = failures.at(-1);
  if (failure === undefined || failures.length > retries || !isRetryable(failure) || internalErrorsSpent(failures)) {
    return { retry: false };
  }
  const asked = failure.kind === "refused" ? askedDelay(failure, now()) : 0;
  if (asked > LONGEST_WAIT) {
    return { retry: false, note: `the service asks to wait ${Math.ceil(asked / 1000)} s` };
  }
  return { retry: true, delay: asked + backoff(failures.length, random()) };
}

function isRetryable(failure: AttemptFailure): boolean {
  if (failure.kind === "broken") {
    return !failure.permanent;
  }
  const { code, retryable } = failure.problem;
  if (retryable !== undefined) {
    return retryable;
  }
  if (isProblemCode(code)) {
    return PROBLEMS[code].retryable;
  }
  return failure.status === 408 || failure.status === 429 || failure.status >= 500;
}

function internalErrorsSpent(failures: readonly AttemptFailure[]): boolean {
  const isInternal = (failure: AttemptFailure | undefined) =>
    failure?.kind === "refused" && failure.problem.code === "internal_error";
  return isInternal(failures.at(-1)) && failures.filter(isInternal).length > INTERNAL_ERROR_RETRIES;
}

export interface RetryLoop extends RetryRules {
  /** Of the call; its reason is thrown when it is aborted. */
  signal: AbortSignal;
  sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  keyFlaw: string | undefined;
  onWait: (milliseconds: number, code: string | undefined) => void;
}

/**
 * Runs `attempt`, numbered from 1, until it has a value or the contract allows no further attempt.
 *
 * @throws ApiError, ContractError or NetworkError of the last attempt.
 */
export async function withRetries<T>(
  attempt: (number: number) => Promise<Outcome<T>>,
  { signal, sleep, keyFlaw, onWait, ...rules }: RetryLoop,
): Promise<T> {
  const failures: AttemptFailure[] = [];
  for (;;) {
    const outcome = await attempt(failures.length + 1);
    if ("value" in outcome) {
      return outcome.value;
    }
    const { failure } = outcome;
    failures.push(failure);
    const decision = decideRetry(failures, rules);
    if (!decision.retry) {
      throw errorOf(failure, failures.length, decision.note, keyFlaw);
    }
    onWait(decision.delay, failure.kind === "refused" ? failure.problem.code : undefined);
    await sleep(decision.delay, signal);
  }
}

/** The error after the last attempt. */
function errorOf(
  failure: AttemptFailure,
  attempts: number,
  note: string | undefined,
  keyFlaw: string | undefined,
): ApiError | ContractError | NetworkError {
  const counted = attempts > 1 ? `${failure.message} (after ${attempts} attempts)` : failure.message;
  const message = note === undefined ? counted : `${counted}; ${note}`;
  if (failure.kind === "broken") {
    const { cause } = failure;
    return cause instanceof ContractError
      ? new ContractError(message, cause.requestId, cause.damaged)
      : new NetworkError(message, { cause });
  }
  const { status, problem } = failure;
  const isOfKey = status === 401 || status === 431;
  return new ApiError(message, { status, problem, keyFlaw: isOfKey ? keyFlaw : undefined });
}
