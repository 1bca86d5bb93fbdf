import { isProblemCode, PROBLEMS } from "../../contract/problems.ts";
import { type AttemptFailure, errorOf, type Outcome } from "./failure.ts";
import { askedDelay, LONGEST_WAIT, retryDelay } from "./retry-timing.ts";

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
  const facts = { ...(failure.kind === "refused" && failure), attempt: failures.length };
  const asked = askedDelay(facts, now());
  if (asked > LONGEST_WAIT) {
    return { retry: false, note: `the service asks to wait ${Math.ceil(asked / 1000)} s` };
  }
  return { retry: true, delay: retryDelay(facts, now(), random()) };
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
      throw errorOf(failure, failures.length, { note: decision.note, keyFlaw });
    }
    onWait(decision.delay, failure.kind === "refused" ? failure.problem.code : undefined);
    await sleep(decision.delay, signal);
  }
}
