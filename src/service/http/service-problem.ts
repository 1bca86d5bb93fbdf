import { randomBytes } from "node:crypto";
import { PROBLEMS, type Problem, type ProblemCode } from "../../contract/problems.ts";
import type { Html } from "../../contract/values/html-tag.ts";
import { StoreTimeoutError, StoreUnavailableError } from "../store/store-types.ts";

export const PROBLEM_TYPE = "application/problem+json";

interface ProblemDetails {
  field?: string;
  validOptions?: readonly string[];
  /** Headers to add to the response. */
  headers?: Readonly<Record<string, string>>;
  /** What people get who sent a form. Default: a page with the message alone. */
  page?: Html | undefined;
  /** Status of that page. Default: that of the code. */
  pageStatus?: number;
}

/** Refuses a request with a problem of the contract. The message becomes `detail`. */
export class ServiceProblem extends Error {
  readonly code: ProblemCode;
  readonly details: ProblemDetails;

  constructor(code: ProblemCode, detail: string, details: ProblemDetails = {}) {
    super(detail);
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }
}

/** `Retry-After` in seconds while the database is unavailable. A restart takes a few, and clients retry about five times. */
const UNAVAILABLE_SECONDS = 5;

/** The problem for an error. Messages of unexpected errors stay secret: they may contain file names, queries or rows. */
export function problemFrom(error: unknown): ServiceProblem {
  if (error instanceof ServiceProblem) {
    return error;
  }
  if (error instanceof StoreUnavailableError) {
    return new ServiceProblem("service_unavailable", "The data cannot be read at the moment.", {
      headers: { "retry-after": String(UNAVAILABLE_SECONDS) },
    });
  }
  if (error instanceof StoreTimeoutError) {
    return new ServiceProblem("upstream_timeout", "The data query was cancelled because it took too long.");
  }
  const { statusCode } = error as { statusCode?: unknown };
  if (typeof statusCode === "number" && statusCode >= 400 && statusCode < 500) {
    // Fastify refuses a form that is too long or of the wrong type.
    return new ServiceProblem("invalid_request", "The form could not be read.", { pageStatus: statusCode });
  }
  return new ServiceProblem("internal_error", "The service failed on this request.");
}

/** The error body of contract section 2.7. */
export function problemDocument(problem: ServiceProblem, errorBase: string, requestId: string): Problem {
  const { status, title, retryable, recovery } = PROBLEMS[problem.code];
  const { field, validOptions } = problem.details;
  return {
    type: problemType(errorBase, problem.code),
    title,
    status,
    detail: problem.message,
    code: problem.code,
    retryable,
    recovery,
    request_id: requestId,
    ...(field !== undefined && { field }),
    ...(validOptions !== undefined && { valid_options: [...validOptions] }),
  };
}

/** A new request id: `req_` and 24 random characters (144 bits). */
export function newRequestId(): string {
  return `req_${randomBytes(18).toString("base64url")}`;
}

/** Stable URI of an error type: its entry in the public catalogue. */
export function problemType(errorBase: string, code: ProblemCode): string {
  return `${errorBase}/errors#${code}`;
}
