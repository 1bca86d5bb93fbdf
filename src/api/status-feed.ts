import type { StatusFeed } from "../contract/status.ts";
import { ContractError } from "../errors.ts";
import { readRefusal, readSuccess } from "./answer.ts";
import { startDeadline } from "./deadline.ts";
import type { Outcome } from "./failure.ts";
import { networkFault } from "./network-fault.ts";
import { createDispatcher } from "./proxy.ts";
import { withRetries } from "./retry.ts";
import { readStatusFeed } from "./status-answer.ts";
import { type Sender, send } from "./transport.ts";

export interface StatusOptions {
  userAgent: string;
  /** Milliseconds for one attempt, from connecting to the end of the body. */
  requestTimeout: number;
  /** Attempts after the first, at most. */
  retries: number;
  /** `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are read from it. */
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
  /** Milliseconds since the epoch. */
  now: () => number;
  sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** A number from 0 up to 1. */
  random: () => number;
}

/** The status feed, contract section 4.5, and the document that it was read from. */
export interface StatusAnswer {
  feed: StatusFeed;
  document: unknown;
}

/**
 * Reads the status feed at `url`. It is public and may be of another origin than the service: no key is sent.
 *
 * @throws ApiError, NetworkError or ContractError, or the reason of the signal.
 */
export async function fetchStatus(url: URL, options: StatusOptions): Promise<StatusAnswer> {
  const { requestTimeout, env, userAgent, signal } = options;
  const dispatcher = createDispatcher(url, env, requestTimeout);
  const sender: Sender = { dispatcher, origin: url.origin, apiKey: undefined, userAgent };
  try {
    return await withRetries(() => attempt(sender, url, requestTimeout, signal), {
      ...options,
      giveUpAt: Infinity,
      keyFlaw: undefined,
      onWait: () => {},
    });
  } finally {
    await dispatcher.destroy();
  }
}

async function attempt(
  sender: Sender,
  url: URL,
  requestTimeout: number,
  signal: AbortSignal,
): Promise<Outcome<StatusAnswer>> {
  const { origin } = sender;
  const late = new Error(`No complete answer from ${origin} within the ${requestTimeout / 1000} s of one request`);
  const deadline = startDeadline([signal], requestTimeout, () => late);
  try {
    const answer = await send(sender, url.pathname + url.search, deadline.signal);
    if (answer.status !== 200) {
      return (await readRefusal(answer, origin, undefined)).outcome;
    }
    const read = (document: unknown) => ({ feed: readStatusFeed(document), document, meta: undefined });
    return (await readSuccess(answer, origin, read)).outcome;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ContractError) {
      throw error;
    }
    const broken = { kind: "broken", message: late.message, permanent: false, cause: late } as const;
    return { failure: error === late ? broken : networkFault(error, origin, false) };
  } finally {
    deadline.release();
  }
}
