import type { FromSchema } from "json-schema-to-ts";

/** One entry of the public error catalogue. */
export interface ProblemDefinition {
  status: number;
  /** Whether to back off and retry; if false, fix the request first. */
  retryable: boolean;
  title: string;
  /** What the code means and what causes it. */
  meaning: string;
  /** Advice for people, the same in every problem document with this code. */
  recovery: string;
  /** Optional members of problem documents with this code. */
  extensions: readonly ("field" | "valid_options")[];
}

/** The error catalogue of contract section 7 as data. Codes may be added, but never removed or renamed. */
export const PROBLEMS = {
  invalid_request: {
    status: 400,
    retryable: false,
    title: "Invalid request",
    meaning: "A parameter is malformed, repeated, unknown or missing.",
    recovery: "Fix the parameter named in `field`, or else what `detail` says, and send the request again.",
    extensions: ["field", "valid_options"],
  },
  unknown_retailer: {
    status: 400,
    retryable: false,
    title: "Unknown retailer",
    meaning: "The retailer is not recognised: it was guessed or mistyped.",
    recovery: "Use one of `valid_options`, or list every retailer with a coverage request without filters.",
    extensions: ["field", "valid_options"],
  },
  unknown_category: {
    status: 400,
    retryable: false,
    title: "Unknown category",
    meaning: "The category is not recognised for the queried retailer; it may belong to another one.",
    recovery: "Use one of `valid_options`, or list the categories with a coverage request for the retailer.",
    extensions: ["field", "valid_options"],
  },
  unknown_department: {
    status: 400,
    retryable: false,
    title: "Unknown department",
    meaning: "The department is not recognised for the queried retailer.",
    recovery: "Use one of `valid_options`, or list the departments with a coverage request for the retailer.",
    extensions: ["field", "valid_options"],
  },
  invalid_date_range: {
    status: 400,
    retryable: false,
    title: "Invalid date range",
    meaning: "A date is not a calendar date written YYYY-MM-DD, or start_date is later than end_date.",
    recovery: "Write dates as YYYY-MM-DD and keep start_date on or before end_date.",
    extensions: ["field"],
  },
  invalid_cursor: {
    status: 400,
    retryable: false,
    title: "Invalid cursor",
    meaning: "The cursor is expired, malformed, edited, or was not issued by the service.",
    recovery: "Restart the walk from the first page, without a cursor.",
    extensions: ["field"],
  },
  missing_credentials: {
    status: 401,
    retryable: false,
    title: "Missing credentials",
    meaning: "No Bearer credential was presented.",
    recovery: "Send the API key in the header `Authorization: Bearer <API_KEY>`.",
    extensions: [],
  },
  invalid_credentials: {
    status: 401,
    retryable: false,
    title: "Invalid credentials",
    meaning: "The key is unknown or revoked. A doubled `Bearer` word and a truncated key are common causes.",
    recovery: "Check that the whole key of 43 characters was sent once, or create a new key in the developer portal.",
    extensions: [],
  },
  insufficient_scope: {
    status: 403,
    retryable: false,
    title: "Insufficient scope",
    meaning: "The key is valid but its team is not entitled to the operation.",
    recovery: "Ask the owner of the team for the scope named in `detail`.",
    extensions: [],
  },
  not_found: {
    status: 404,
    retryable: false,
    title: "Not found",
    meaning: "The path or resource does not exist, or is not visible to the team.",
    recovery: "Check the path against the description of the API.",
    extensions: [],
  },
  rate_limited: {
    status: 429,
    retryable: true,
    title: "Rate limit exceeded",
    meaning: "The team used up the requests of this endpoint group for the current window.",
    recovery: "Wait at least the seconds named in `Retry-After`, then send the request again.",
    extensions: [],
  },
  internal_error: {
    status: 500,
    retryable: true,
    title: "Internal error",
    meaning: "An unforeseen failure of the service.",
    recovery: "Retry once after a pause. If it persists, report the `request_id`.",
    extensions: [],
  },
  service_unavailable: {
    status: 503,
    retryable: true,
    title: "Service unavailable",
    meaning: "The service is down or degraded, for instance because a dependency is unavailable.",
    recovery: "Retry with exponential backoff and jitter.",
    extensions: [],
  },
  upstream_timeout: {
    status: 504,
    retryable: true,
    title: "Upstream timeout",
    meaning: "A data query exceeded an internal deadline; its outcome is indeterminate.",
    recovery: "Reads are safe to repeat: retry with backoff, or narrow the filters.",
    extensions: [],
  },
} as const satisfies Record<string, ProblemDefinition>;

export type ProblemCode = keyof typeof PROBLEMS;

/** All codes, in the order of the catalogue. */
export const PROBLEM_CODES = Object.keys(PROBLEMS) as readonly ProblemCode[];

/** Whether this version knows the code; the service may add codes. */
export function isProblemCode(code: unknown): code is ProblemCode {
  return typeof code === "string" && Object.hasOwn(PROBLEMS, code);
}

/** The error body, contract section 2.7 (RFC 9457 with extension members). */
export const problemSchema = {
  $id: "Problem",
  type: "object",
  description: "RFC 9457 problem document. Branch on `code` and `retryable`, never on `detail`.",
  additionalProperties: false,
  required: ["type", "title", "status", "detail", "code", "retryable", "recovery", "request_id"],
  properties: {
    type: { type: "string", format: "uri", description: "`{error_base}/errors#<code>`." },
    title: { type: "string", description: "Short summary, constant for a code." },
    status: { type: "integer", description: "HTTP status, repeated from the response line." },
    detail: { type: "string", description: "Explanation of this occurrence. Not for branching." },
    code: { type: "string", description: "Stable machine-readable code." },
    retryable: { type: "boolean", description: "Whether to back off and retry." },
    recovery: { type: "string", description: "Human guidance for the code." },
    request_id: { type: "string", description: "Id of the failing request." },
    field: { type: "string", description: "The request parameter at fault." },
    valid_options: {
      type: "array",
      items: { type: "string" },
      description: "The closest real values to what was sent, or the first few valid ones.",
    },
  },
} as const;

export type Problem = FromSchema<typeof problemSchema>;
