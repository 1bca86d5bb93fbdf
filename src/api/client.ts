import type { Meta } from "../contract/envelope.ts";
import type { Filters } from "../contract/filters.ts";
import { type EndpointGroup, LIMITS } from "../contract/limits.ts";
import { OPERATIONS, type OperationName } from "../contract/operations.ts";
import { NetworkError } from "../errors.ts";
import type { Reader } from "./answer.ts";
import { type AttemptContext, runAttempt } from "./attempt.ts";
import { Budget } from "./budget.ts";
import { type CoverageAnswer, readCoverage } from "./coverage-answer.ts";
import { startDeadline } from "./deadline.ts";
import type { ClientEvent } from "./events.ts";
import { assertSendable, keyFlaw } from "./key.ts";
import { createDispatcher } from "./proxy.ts";
import { type PageRequest, requestTarget } from "./request-target.ts";
import { withRetries } from "./retry.ts";
import { type CatalogPage, readCatalogPage, readSample, type SampleAnswer } from "./rows-answer.ts";

export interface ClientOptions {
  /** A path in it (`https://example.com/api`) is kept. */
  baseUrl: URL;
  apiKey: string;
  userAgent: string;
  /** Milliseconds for one attempt, from connecting to the end of the body. */
  requestTimeout: number;
  /** Milliseconds for one call of a method with all its attempts and waits; without it only attempts are limited. */
  totalTimeout?: number | undefined;
  /** Attempts after the first, at most. */
  retries: number;
  /** Requests a minute in each endpoint group, to leave room for the rest of the team. */
  maxRate?: number | undefined;
  /** `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are read from it. */
  env: Readonly<Record<string, string | undefined>>;
  /** Ends every call with its reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds since the epoch. */
  now: () => number;
  sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** A number from 0 up to 1. */
  random: () => number;
  onEvent?: ((event: ClientEvent) => void) | undefined;
}

/**
 * The three operations of contract section 4. Every method retries and paces as the contract asks and throws
 * ApiError, NetworkError or ContractError, or the reason of its signal or the client's.
 */
export interface CatalogClient {
  sample(filters: Filters, signal?: AbortSignal): Promise<SampleAnswer>;
  coverage(filters: Filters, signal?: AbortSignal): Promise<CoverageAnswer>;
  /** One page. The cursor belongs to the filters of its walk; the service does not notice others. */
  catalog(filters: Filters, page?: PageRequest, signal?: AbortSignal): Promise<CatalogPage>;
  /** Ends what is under way and releases every connection. */
  close(): Promise<void>;
}

/**
 * @throws CredentialsError for a key that no header can carry.
 * @throws UsageError for a proxy variable that is not a URL.
 */
export function createClient(options: ClientOptions): CatalogClient {
  const { apiKey, baseUrl, env, maxRate, now, onEvent = () => {}, random, requestTimeout, retries, sleep } = options;
  assertSendable(apiKey);
  const dispatcher = createDispatcher(baseUrl, env, requestTimeout);
  const context: AttemptContext = {
    sender: { dispatcher, origin: baseUrl.origin, apiKey, userAgent: options.userAgent },
    requestTimeout,
    now,
    onEvent,
    reached: false,
  };
  const budget = () =>
    new Budget({
      now,
      sleep,
      maxRate,
      onWait: (milliseconds) => onEvent({ type: "wait", reason: "rate limit", milliseconds, code: undefined }),
    });
  const budgets: Record<EndpointGroup, Budget> = { catalog: budget(), sample: budget() };

  async function call<T extends { meta: Meta }>(
    operation: OperationName,
    target: string,
    read: Reader<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const { totalTimeout } = options;
    let attempts = 0;
    const expired = () => totalTimeoutError(baseUrl.origin, totalTimeout, attempts);
    const deadline = startDeadline([options.signal, signal], totalTimeout, expired);
    const attempt = (number: number) => {
      attempts = number;
      const group = OPERATIONS[operation].group;
      return runAttempt(context, { operation, target, number, budget: budgets[group], read, signal: deadline.signal });
    };
    try {
      return await withRetries(attempt, {
        retries,
        random,
        now,
        sleep,
        signal: deadline.signal,
        giveUpAt: now() + (totalTimeout ?? Infinity),
        keyFlaw: keyFlaw(apiKey),
        onWait: (milliseconds, code) => onEvent({ type: "wait", reason: "retry", milliseconds, code }),
      });
    } finally {
      deadline.release();
    }
  }

  return {
    sample: (filters, signal) => {
      const target = requestTarget(baseUrl, "sample", filters);
      return call("sample", target, (document, text) => readSample(document, text, filters), signal);
    },
    coverage: (filters, signal) => {
      const target = requestTarget(baseUrl, "coverage", filters);
      return call("coverage", target, (document) => readCoverage(document, filters), signal);
    },
    catalog: (filters, page = {}, signal) => {
      const target = requestTarget(baseUrl, "catalog", filters, page);
      const limit = page.limit ?? LIMITS.pageSize.default;
      return call("catalog", target, (document, text) => readCatalogPage(document, text, filters, limit), signal);
    },
    close: () => dispatcher.destroy(),
  };
}

function totalTimeoutError(origin: string, totalTimeout: number | undefined, attempts: number): NetworkError {
  const message = `No answer from ${origin} within the total timeout of ${(totalTimeout ?? 0) / 1000} s`;
  return new NetworkError(`${message} (attempt ${attempts})`, { attempts });
}
