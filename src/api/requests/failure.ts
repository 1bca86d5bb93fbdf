import type { Problem } from "../../contract/problems.ts";
import { ApiError, ContractError, NetworkError } from "../../errors.ts";

/** How one attempt ended. */
export type Outcome<T> = { value: T } | { failure: AttemptFailure };

export type AttemptFailure = RefusedFailure | BrokenFailure;

/** The service, or a gateway before it, answered with an error status. */
export interface RefusedFailure {
  kind: "refused";
  message: string;
  status: number;
  problem: Partial<Problem>;
  /** Headers of the response, as sent. */
  retryAfter: string | undefined;
  rateLimitReset: string | undefined;
}

/** There was no complete response, or its content was damaged. */
export interface BrokenFailure {
  kind: "broken";
  message: string;
  /** A retry would not help. */
  permanent: boolean;
  cause: unknown;
}

/** The error after the last attempt. `note` gives the reason for no retry, if it is not obvious. */
export function errorOf(
  failure: AttemptFailure,
  attempts: number,
  details: { note?: string | undefined; keyFlaw?: string | undefined } = {},
): ApiError | ContractError | NetworkError {
  const counted = attempts > 1 ? `${failure.message} (after ${attempts} attempts)` : failure.message;
  const message = details.note === undefined ? counted : `${counted}; ${details.note}`;
  if (failure.kind === "broken" && failure.cause instanceof ContractError) {
    return new ContractError(message, failure.cause.requestId, true);
  }
  if (failure.kind === "broken") {
    return new NetworkError(message, { attempts, cause: failure.cause });
  }
  const { status, problem } = failure;
  return new ApiError(message, {
    status,
    problem,
    attempts,
    keyFlaw: status === 401 || status === 431 ? details.keyFlaw : undefined,
  });
}
