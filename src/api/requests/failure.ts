import type { Problem } from "../../contract/problems.ts";

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
