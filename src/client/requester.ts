import { VERSION_HEADER } from "../contract/data-version.ts";
import { ContractError, NetworkError } from "../contract/errors.ts";
import type { EndpointGroup } from "../contract/limits.ts";
import { OPERATIONS } from "../contract/operations.ts";
import { startDeadline } from "../contract/values/timer.ts";
import type { ClientEvent, RequestPurpose } from "./events.ts";
import { createRedact } from "./redaction.ts";
import { type Budget, createBudget } from "./requests/budget.ts";
import type { ProxyAddress } from "./requests/direct-connections.ts";
import { networkFailure } from "./requests/network-failure.ts";
import { connectionsTo } from "./requests/proxy.ts";
import { readRateHeaders } from "./requests/rate-window.ts";
import { type AttemptFailure, type Outcome, type RetryRules, withRetries } from "./requests/retry.ts";
import { askedDelay, LONGEST_WAIT } from "./requests/retry-timing.ts";
import { ACCEPTED_ENCODINGS, bodyBound, readBody } from "./responses/body.ts";
import { plainText } from "./responses/plain-text.ts";
import { isProblem, type Origin, readProblem } from "./responses/problem-body.ts";
import { type Identified, type Reader, readSuccess } from "./responses/read-response.ts";

export interface RequesterOptions extends RetryRules {
  userAgent: string;
  /** Milliseconds for one attempt, from connecting to the end of the body. */
  requestTimeout: number;
  /** Maximum requests a minute in each group, to leave room for the rest of the team. */
  maxRate?: number | undefined;
  /** Maximum bytes of one response, decompressed (default: by the number of rows). */
  maxBody?: number | undefined;
  /** Holds `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. */
  env: Readonly<Record<string, string | undefined>>;
  /** Ends every request with its reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds of a monotonic clock, for pacing and measuring. */
  elapsed: () => number;
  /** Milliseconds since the epoch. */
  now: () => number;
  sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  onEvent?: ((event: ClientEvent) => void) | undefined;
}

/** One GET, and how its response is read. */
interface Request<T extends Identified> {
  operation: RequestPurpose;
  /** Path and query. */
  target: string;
  /** Maximum rows of the response; undefined if unknown. */
  rows?: number | undefined;
  read: Reader<T>;
  signal?: AbortSignal | undefined;
  /** Version of the data to answer from, if the service has it; default: the newest. */
  version?: string | undefined;
}

/** The key that requests carry; none for public resources. */
interface Key {
  apiKey?: string;
  keySource?: string | undefined;
}

/**
 * Sends requests to one origin. Paces, retries and measures them, and removes the key from events, errors and `meta`.
 *
 * @param url any address of the origin
 * @throws UsageError for a proxy variable that is not a URL.
 */
export function createRequester(url: URL, { apiKey, keySource }: Key, options: RequesterOptions) {
  const { elapsed, maxBody, maxRate, now, requestTimeout, sleep } = options;
  const { origin } = url;
  const connections = connectionsTo(url, options.env, requestTimeout);
  const redact = createRedact(apiKey);
  const whose: Origin = { origin, path: url.pathname, apiKey, keySource, redact };
  const headers = {
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    accept: "application/json, application/problem+json",
    "accept-encoding": ACCEPTED_ENCODINGS,
    "user-agent": options.userAgent,
  };
  const onEvent = (event: ClientEvent) => options.onEvent?.(redact(event));
  const onPause = (milliseconds: number) =>
    onEvent({ type: "wait", reason: "rate limit", milliseconds, code: undefined });
  const budget = () => createBudget({ now: elapsed, sleep, maxRate, onWait: onPause });
  const budgets: Record<EndpointGroup | "status", Budget> = { catalog: budget(), sample: budget(), status: budget() };
  /** Whether the origin has answered before. */
  let reached = false;
  return { get, close: connections.close };

  /** @throws ApiError, NetworkError or ContractError, or the reason of a signal. */
  async function get<T extends Identified>(request: Request<T>): Promise<T> {
    // Unlike `AbortSignal.any`, this signal is released with its request.
    const call = startDeadline([options.signal, request.signal]);
    try {
      const response = await withRetries((number) => attempt(request, number, call.signal), {
        ...options,
        signal: call.signal,
        onWait: (milliseconds, code) => onEvent({ type: "wait", reason: "retry", milliseconds, code }),
      });
      return { ...response, meta: redact(response.meta) };
    } catch (error) {
      throw call.signal.aborted ? error : redact(error);
    } finally {
      call.release();
    }
  }

  /**
   * Waits for a permit, sends the request once and reads its response.
   *
   * @param number of the attempt, from 1
   * @throws NetworkError if the rate limit blocks requests for too long, or the reason of `signal`; every other failure is
   * an outcome.
   */
  async function attempt<T extends Identified>(
    { operation, target, rows, read, version }: Request<T>,
    number: number,
    signal: AbortSignal,
  ): Promise<Outcome<T>> {
    const group = operation === "status" ? operation : OPERATIONS[operation].group;
    const permit = await budgets[group].acquire(signal);
    const deadline = startDeadline([signal], requestTimeout, () => {
      const through = connections.proxy === undefined ? "" : ` through the proxy ${connections.proxy.origin}`;
      return new NetworkError(
        `No complete response from ${origin}${through} within the ${requestTimeout / 1000} s of one request`,
      );
    });
    const started = elapsed();
    const facts = { operation, target, attempt: number };
    try {
      onEvent({ type: "request", ...facts });
      const sent = version === undefined ? headers : { ...headers, [VERSION_HEADER]: version };
      const response = await connections.get(target, sent, deadline.signal);
      reached = true;
      const { status, header } = response;
      const rate = readRateHeaders(header);
      const asked = askedDelay(response, now());
      // A request that would have to wait longer gives up; the others must not wait for it.
      permit.answered({ status, rate, asked: status === 429 && asked <= LONGEST_WAIT ? asked : 0 });
      const body = await readBody(response, maxBody ?? bodyBound(rows));
      signal.throwIfAborted();
      const reportResponse = (requestId: string | undefined) => {
        const [milliseconds, bytes] = [elapsed() - started, body.bytes.length];
        onEvent({ type: "response", ...facts, status, milliseconds, bytes, requestId, rate });
      };
      if (isProblem(response)) {
        const error = readProblem(response, body, whose);
        reportResponse(error.problem.request_id);
        return { failure: { error, asked } };
      }
      const value = readSuccess(response, body, whose, read);
      reportResponse(value.meta?.request_id);
      return { value };
    } catch (error) {
      signal.throwIfAborted();
      const failure = failureOf(error, origin, reached, connections.proxy);
      const message = plainText(failure.error.message);
      onEvent({ type: "failure", ...facts, milliseconds: elapsed() - started, message });
      return { failure };
    } finally {
      permit.release();
      deadline.release();
    }
  }
}

/** @throws what `networkFailure` throws */
function failureOf(error: unknown, origin: string, reached: boolean, proxy: ProxyAddress | undefined): AttemptFailure {
  if (error instanceof ContractError) {
    return { error, permanent: !error.damaged };
  }
  return error instanceof NetworkError ? { error } : networkFailure(error, origin, reached, proxy);
}
