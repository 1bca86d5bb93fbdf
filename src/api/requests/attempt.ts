import { isVersion, VERSION_HEADER } from "../../contract/data-version.ts";
import { ContractError } from "../../errors.ts";
import type { ClientEvent, RequestPurpose } from "../events.ts";
import { bodyBound } from "../responses/body.ts";
import { plainText } from "../responses/plain-text.ts";
import {
  type Identified,
  type Origin,
  type Reader,
  type ReadResponse,
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

/** Shared by all attempts of one requester. */
export interface AttemptContext extends Origin {
  connections: Connections;
  /** Sent with each request. */
  headers: Readonly<Record<string, string>>;
  /** Milliseconds that one attempt may take, from connecting to the end of the body. */
  requestTimeout: number;
  maxBody?: number | undefined;
  now: () => number;
  elapsed: () => number;
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

/** The time of one attempt is over, not that of the whole call. */
class AttemptTimeoutError extends Error {
  override readonly name = "AttemptTimeoutError";
}

/**
 * Waits for a permit, sends one request and reads its response.
 *
 * @throws ContractError if a retry would not help, NetworkError if the rate limit blocks requests for too long, or the
 * reason of `attempt.signal`; every other failure is an outcome.
 */
export async function runAttempt<T extends Identified>(
  context: AttemptContext,
  attempt: PermittedRequest<T>,
): Promise<Outcome<T>> {
  const { connections, elapsed, headers, onEvent, origin, requestTimeout } = context;
  const { operation, target, number, signal } = attempt;
  const permit = await attempt.budget.acquire(signal);
  const deadline = startDeadline([signal], requestTimeout, () => new AttemptTimeoutError());
  const started = elapsed();
  const facts = { operation, target, attempt: number };
  const reportFailure = (message: string) =>
    onEvent({ type: "failure", ...facts, milliseconds: elapsed() - started, message: plainText(message) });
  try {
    onEvent({ type: "request", method: "GET", ...facts });
    const sent = attempt.version === undefined ? headers : { ...headers, [VERSION_HEADER]: attempt.version };
    const response = await connections.get(target, sent, deadline.signal);
    context.reached = true;
    const rate = reportHeaders(response, permit, context.now());
    const { outcome, bytes, requestId } = await readResponse(context, attempt, response);
    signal.throwIfAborted();
    if ("value" in outcome) {
      Object.assign(outcome.value, versionIn(response));
    }
    const { status } = response;
    onEvent({ type: "response", ...facts, status, milliseconds: elapsed() - started, bytes, requestId, rate });
    return outcome;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ContractError) {
      reportFailure(error.message);
      if (!error.damaged) {
        throw error;
      }
      return { failure: { kind: "broken", message: error.message, permanent: false, cause: error } };
    }
    const failure =
      error instanceof AttemptTimeoutError
        ? timeoutFailure(context, error)
        : networkFailure(error, origin, context.reached);
    reportFailure(failure.message);
    return { failure };
  } finally {
    permit.release();
    deadline.release();
  }
}

function versionIn({ header }: HttpResponse): Pick<Identified, "version"> {
  const version = header(VERSION_HEADER);
  return isVersion(version) ? { version } : {};
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

function readResponse<T extends Identified>(
  context: AttemptContext,
  { read, rows }: PermittedRequest<T>,
  response: HttpResponse,
): Promise<ReadResponse<T>> {
  const { status, body, header } = response;
  const bound = context.maxBody ?? bodyBound(rows);
  if (status === 200 && !header("content-type").toLowerCase().includes("problem+json")) {
    return readSuccess(response, context, bound, read);
  }
  if (status > 200 && status < 300) {
    body.on("error", () => {}).destroy();
    throw new ContractError(`${context.origin} answered ${status}; the contract has no success but 200.`);
  }
  return readProblem(response, context, bound);
}

function timeoutFailure({ requestTimeout, origin }: AttemptContext, cause: Error): BrokenFailure {
  const message = `No complete response from ${origin} within the ${requestTimeout / 1000} s of one request`;
  return { kind: "broken", message, permanent: false, cause };
}
