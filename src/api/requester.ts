import type { EndpointGroup } from "../contract/limits.ts";
import { OPERATIONS } from "../contract/operations.ts";
import type { ClientEvent } from "./events.ts";
import { keyFlaw } from "./key.ts";
import { createRedact } from "./redaction.ts";
import { type AttemptContext, type AttemptOptions, type Request, runAttempt } from "./requests/attempt.ts";
import { type Budget, createBudget } from "./requests/budget.ts";
import { createConnections } from "./requests/proxy.ts";
import { startDeadline } from "./requests/request-deadline.ts";
import { type RetryRules, withRetries } from "./requests/retry.ts";
import { ACCEPTED_ENCODINGS } from "./responses/body.ts";
import type { Identified } from "./responses/read-response.ts";

export interface RequesterOptions extends AttemptOptions, RetryRules {
  userAgent: string;
  /** Maximum of requests a minute in each group, to leave room for the rest of the team. */
  maxRate?: number | undefined;
  /** Holds `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. */
  env: Readonly<Record<string, string | undefined>>;
  /** Ends every request with its reason. */
  signal?: AbortSignal | undefined;
  sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  onEvent?: ((event: ClientEvent) => void) | undefined;
}

/** Sends requests to one origin. Paces, retries and measures them, and removes the key from events, errors and `meta`. */
export interface Requester {
  /** @throws ApiError, NetworkError or ContractError, or the reason of a signal. */
  get<T extends Identified>(request: Request<T>): Promise<T>;
  /** Aborts open requests and closes all connections. */
  close(): Promise<void>;
}

/** @throws InputError for a proxy variable that is not a URL. */
export function createRequester(
  { origin, apiKey }: { origin: URL; apiKey: string | undefined },
  options: RequesterOptions,
): Requester {
  const { elapsed, maxRate, requestTimeout, sleep } = options;
  const connections = createConnections(origin, options.env, requestTimeout);
  const redact = createRedact(apiKey);
  const onEvent = (event: ClientEvent) => options.onEvent?.(redact(event));
  const context: AttemptContext = {
    ...options,
    ...{ connections, origin: origin.origin, apiKey, redact },
    headers: {
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      accept: "application/json, application/problem+json",
      "accept-encoding": ACCEPTED_ENCODINGS,
      "user-agent": options.userAgent,
    },
    onEvent,
    reached: false,
  };
  const onPause = (milliseconds: number) =>
    onEvent({ type: "wait", reason: "rate limit", milliseconds, code: undefined });
  const budget = () => createBudget({ now: elapsed, sleep, maxRate, onWait: onPause });
  const budgets: Record<EndpointGroup | "status", Budget> = { catalog: budget(), sample: budget(), status: budget() };
  return {
    async get({ signal, ...request }) {
      const { operation } = request;
      const group = operation === "status" ? operation : OPERATIONS[operation].group;
      // Unlike `AbortSignal.any`, this signal is released with its request.
      const combined = startDeadline([options.signal, signal]);
      try {
        const attempt = (number: number) =>
          runAttempt(context, { ...request, number, budget: budgets[group], signal: combined.signal });
        const response = await withRetries(attempt, {
          ...options,
          signal: combined.signal,
          keyFlaw: apiKey === undefined ? undefined : keyFlaw(apiKey),
          onWait: (milliseconds, code) => onEvent({ type: "wait", reason: "retry", milliseconds, code }),
        });
        return { ...response, meta: redact(response.meta) };
      } catch (error) {
        throw combined.signal.aborted ? error : redact(error);
      } finally {
        combined.release();
      }
    },
    close: connections.close,
  };
}
