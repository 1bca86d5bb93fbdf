import { ApiError, type ContractError, isTemporary, type NetworkError } from "../../contract/errors.ts";
import { isProblemCode, PROBLEMS } from "../../contract/problems.ts";
import { backoff, LONGEST_WAIT } from "./retry-timing.ts";

/** How one attempt ended. */
export type Outcome<T> = { value: T } | { failure: AttemptFailure };

/** Why one attempt has no value. */
export interface AttemptFailure {
  /** Thrown if no other attempt follows; its message then gets the number of attempts. */
  error: ApiError | ContractError | NetworkError;
  /** Whether a retry is useless. Not set for an error response, whose problem decides. */
  permanent?: boolean;
  /** Milliseconds that an error response asks to wait. */
  asked?: number;
}

/** Whether to retry, and after how many milliseconds. `note` gives the reason for no retry, if it is not obvious. */
export type RetryDecision = { retry: true; delay: number } | { retry: false; note?: string };

export interface RetryRules {
  /** Maximum number of retries. */
  retries: number;
  /** A number from 0 up to 1. */
  random: () => number;
}

/** @param earlier the failures of the attempts before */
export function decideRetry(
  failure: AttemptFailure,
  earlier: readonly AttemptFailure[],
  { retries, random }: RetryRules,
): RetryDecision {
  if (earlier.length >= retries || !isRetryable(failure) || isSecondInternalError(failure, earlier)) {
    return { retry: false };
  }
  const { asked = 0 } = failure;
  if (asked > LONGEST_WAIT) {
    return { retry: false, note: `the service asks to wait ${Math.ceil(asked / 1000)} s` };
  }
  return { retry: true, delay: asked + backoff(earlier.length + 1, random()) };
}

function isRetryable({ error, permanent }: AttemptFailure): boolean {
  if (!(error instanceof ApiError)) {
    return permanent !== true;
  }
  const { status, problem } = error;
  if (problem.retryable !== undefined) {
    return problem.retryable;
  }
  if (isProblemCode(problem.code)) {
    return PROBLEMS[problem.code].retryable;
  }
  return isTemporary(status);
}

/** Contract section 7: "retry once with backoff". */
function isSecondInternalError(failure: AttemptFailure, earlier: readonly AttemptFailure[]): boolean {
  return codeOf(failure) === "internal_error" && earlier.some((other) => codeOf(other) === "internal_error");
}

/** The code of a problem document. */
function codeOf({ error }: AttemptFailure): string | undefined {
  return error instanceof ApiError ? error.problem.code : undefined;
}

export interface RetryLoop extends RetryRules {
  /** Of the call; its reason is thrown when it is aborted. */
  signal: AbortSignal;
  sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  onWait: (milliseconds: number, code: string | undefined) => void;
}

/**
 * Runs `attempt`, numbered from 1, until it has a value or the contract allows no further attempt.
 *
 * @throws ApiError, ContractError or NetworkError of the last attempt.
 */
export async function withRetries<T>(
  attempt: (number: number) => Promise<Outcome<T>>,
  { signal, sleep, onWait, ...rules }: RetryLoop,
): Promise<T> {
  const earlier: AttemptFailure[] = [];
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await attempt(attempts);
    if ("value" in outcome) {
      return outcome.value;
    }
    const { failure } = outcome;
    const decision = decideRetry(failure, earlier, rules);
    if (!decision.retry) {
      const { error } = failure;
      const counted = attempts > 1 ? ` (after ${attempts} attempts)` : "";
      error.message += counted + (decision.note === undefined ? "" : `; ${decision.note}`);
      throw error;
    }
    earlier.push(failure);
    onWait(decision.delay, codeOf(failure));
    await sleep(decision.delay, signal);
  }
}
