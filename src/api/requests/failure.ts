import type { ApiError, ContractError, NetworkError } from "../../errors.ts";

/** How one attempt ended. */
export type Outcome<T> = { value: T } | { failure: AttemptFailure };

/** Why one attempt has no value. */
export interface AttemptFailure {
  /** What is thrown if no other attempt follows; then its message gets the number of attempts. */
  error: ApiError | ContractError | NetworkError;
  /** A retry would not help. Of an error response, its problem says whether one would. */
  permanent?: boolean;
  /** Headers of an error response, as sent. */
  retryAfter?: string;
  rateLimitReset?: string;
}
