import { VERSION_HEADER } from "../../contract/data-version.ts";
import { ContractError, NetworkError } from "../../errors.ts";
import type { ClientEvent, RequestPurpose } from "../events.ts";
import { bodyBound, readBody } from "../responses/body.ts";
import { plainText } from "../responses/plain-text.ts";
import {
  type Identified,
  isProblem,
  type Origin,
  type Reader,
  readProblem,
  readSuccess,
} from "../responses/read-response.ts";
import type { Budget, Permit } from "./budget.ts";
import type { Connections, HttpResponse } from "./connections.ts";
import type { BrokenFailure, Outcome } from "./failure.ts";
import { networkFailure } from "./network-failure.ts";
import { type RateHeaders, readRateHeaders } from "./rate-window.ts";
import { startDeadline } from "./request-deadline.ts";
import { LONGEST_WAIT, readRetryAfter } from "./retry-timing.ts";

export interface AttemptOptions {
  /** Milliseconds for one attempt, from connecting to the end of the body. */
  requestTimeout: number;
  /** Maximum of bytes in one response, decompressed (default: by the number of rows). */
  maxBody?: number | undefined;
  /** Milliseconds since the epoch, for dates in headers. */
  now: () => number;
  /** Milliseconds of a monotonic clock, for pacing and measuring. */
  elapsed: () => number;
}

/** Shared by all attempts of one requester. */
export interface AttemptContext extends AttemptOptions, Origin {
  connections: Connections;
  /** Sent with each request. */
  headers: Readonly<Record<string, string>>;
  onEvent: (event: ClientEvent) => void;
  /** Whether the origin has answered before. */
  reached: boolean;
}

/** One GET, and `read` for its response. */
export interface Request<T extends Identified> {
  operation: RequestPurpose;
  /** Path and query. */
  target: string;
  /** Rows that the response has at most; undefined if that is not known. */
  rows?: number | undefined;
  read: Reader<T>;
  signal?: AbortSignal | undefined;
  /** Version of the data to answer from, if the service has it; default: the newest. */
  version?: string | undefined;
}

interface PermittedRequest<T extends Identified> extends Request<T> {
  /** From 1. */
  number: number;
  budget: Budget;
  /** Of the call; its reason is thrown when it is aborted. */
  signal: AbortSignal;
}

/**
 * Waits for a permit, sends one request and reads its response.
 *
 * @throws NetworkError if the rate limit blocks requests for too long, or the reason of `attempt.signal`; every other
 * failure is an outcome.
 */
export async function runAttempt<T extends Identified>(
  context: AttemptContext,
  attempt: PermittedRequest<T>,
): Promise<Outcome<T>> {
  const { elapsed, headers, onEvent, origin, requestTimeout } = context;
  const { operation, target, number, signal } = attempt;
  const permit = await attempt.budget.acquire(signal);
  const expired = () =>
    new NetworkError(`No complete response from ${origin} within the ${requestTimeout / 1000} s of one request`);
  const deadline = startDeadline([signal], requestTimeout, expired);
  const started = elapsed();
  const facts = { operation, target, attempt: number };
  try {
    onEvent({ type: "request", method: "GET", ...facts });
    const sent = attempt.version === undefined ? headers : { ...headers, [VERSION_HEADER]: attempt.version };
    const response = await context.connections.get(target, sent, deadline.signal);
    context.reached = true;
    const rate = reportHeaders(response, permit, context.now());
    const body = await readBody(response, context.maxBody ?? bodyBound(attempt.rows));
    signal.throwIfAborted();
    const reportResponse = (requestId: string | undefined) => {
      const [milliseconds, bytes] = [elapsed() - started, body.bytes.length];
      onEvent({ type: "response", ...facts, status: response.status, milliseconds, bytes, requestId, rate });
    };
    if (isProblem(response)) {
      const failure = readProblem(response, body, context);
      reportResponse(failure.problem.request_id);
      return { failure };
    }
    const value = readSuccess(response, body, context, attempt.read);
    reportResponse(value.meta?.request_id);
    return { value };
  } catch (error) {
    signal.throwIfAborted();
    const failure = brokenBy(error, context);
    onEvent({
      type: "failure",
      ...facts,
      milliseconds: elapsed() - started,
      message: plainText(failure.message),
    });
    return { failure };
  } finally {
    permit.release();
    deadline.release();
  }
}

/** @returns the rate limit that the response reports, if any. */
function reportHeaders({ status, header }: HttpResponse, permit: Permit, now: number): RateHeaders | undefined {
  const rate = readRateHeaders(header);
  const asked = status === 429 ? readRetryAfter(header("retry-after"), now) : undefined;
  // A request that must wait longer gives up; it must not block the others.
  const retryAfter = asked !== undefined && asked <= LONGEST_WAIT ? asked : undefined;
  permit.answered({ status, rate, retryAfter });
  return rate;
}

/** @throws `error` itself if it is a programming error. */
function brokenBy(error: unknown, { origin, reached }: AttemptContext): BrokenFailure {
  if (error instanceof ContractError || error instanceof NetworkError) {
    const permanent = error instanceof ContractError && !error.damaged;
    return { kind: "broken", message: error.message, permanent, cause: error };
  }
  return networkFailure(error, origin, reached);
}
