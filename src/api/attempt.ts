import type { Meta } from "../contract/envelope.ts";
import type { OperationName } from "../contract/operations.ts";
import { ContractError } from "../errors.ts";
import { type ReadAnswer, type Reader, readRefusal, readSuccess } from "./answer.ts";
import type { Budget, Permit } from "./budget.ts";
import { startDeadline } from "./deadline.ts";
import type { ClientEvent } from "./events.ts";
import type { BrokenFailure, Outcome } from "./failure.ts";
import { networkFault } from "./network-fault.ts";
import { plainText } from "./plain-text.ts";
import { type RateHeaders, readRateHeaders } from "./rate-window.ts";
import { LONGEST_RETRY_AFTER, readRetryAfter } from "./retry-after.ts";
import { type Answer, type Sender, send } from "./transport.ts";

/** What the attempts of one client share. */
export interface AttemptContext {
  sender: Sender;
  /** Milliseconds that one attempt may take, from connecting to the end of the body. */
  requestTimeout: number;
  now: () => number;
  onEvent: (event: ClientEvent) => void;
  /** Whether the origin has answered before. */
  reached: boolean;
}

export interface Attempt<T extends { meta: Meta }> {
  operation: OperationName;
  target: string;
  /** From 1. */
  number: number;
  budget: Budget;
  read: Reader<T>;
  /** Of the call; its reason is thrown when it is aborted. */
  signal: AbortSignal;
}

/** One attempt's own time is over, as opposed to the call's. */
class AttemptTimeoutError extends Error {
  override readonly name = "AttemptTimeoutError";
}

/**
 * Waits for leave, sends one request and reads its answer.
 *
 * @throws a ContractError that another attempt would not change, or the reason of `attempt.signal`; every other end is
 * an outcome.
 */
export async function runAttempt<T extends { meta: Meta }>(
  context: AttemptContext,
  attempt: Attempt<T>,
): Promise<Outcome<T>> {
  const { now, onEvent, requestTimeout, sender } = context;
  const { operation, target, number, signal } = attempt;
  const permit = await attempt.budget.acquire(signal);
  const deadline = startDeadline([signal], requestTimeout, () => new AttemptTimeoutError());
  const started = now();
  const facts = { operation, target, attempt: number };
  const fault = (message: string) =>
    onEvent({ type: "fault", ...facts, milliseconds: now() - started, message: plainText(message) });
  try {
    onEvent({ type: "request", method: "GET", ...facts });
    const answer = await send(sender, target, deadline.signal);
    context.reached = true;
    const rate = observe(answer, permit, now());
    const { outcome, bytes, requestId } = await readAnswer(context, attempt, answer);
    signal.throwIfAborted();
    onEvent({
      type: "answer",
      ...facts,
      status: answer.status,
      milliseconds: now() - started,
      bytes,
      requestId,
      rate,
    });
    return outcome;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ContractError) {
      fault(error.message);
      if (!error.damaged) {
        throw error;
      }
      return { failure: { kind: "broken", message: error.message, permanent: false, cause: error } };
    }
    const failure =
      error instanceof AttemptTimeoutError
        ? timeoutFailure(context, error)
        : networkFault(error, sender.origin, context.reached);
    fault(failure.message);
    return { failure };
  } finally {
    permit.release();
    deadline.release();
  }
}

/** @returns what the answer says of the rate limit, where it says so. */
function observe({ status, header }: Answer, permit: Permit, now: number): RateHeaders | undefined {
  const rate = readRateHeaders(header);
  const asked = status === 429 ? readRetryAfter(header("retry-after"), now) : undefined;
  // Whoever is asked to wait for longer gives up; the others need not stand still for it.
  const retryAfter = asked !== undefined && asked <= LONGEST_RETRY_AFTER ? asked : undefined;
  permit.answered({ status, rate, retryAfter });
  return rate;
}

function readAnswer<T extends { meta: Meta }>(
  { sender }: AttemptContext,
  { read }: Attempt<T>,
  answer: Answer,
): Promise<ReadAnswer<T>> {
  const { status, body } = answer;
  if (status === 200) {
    return readSuccess(answer, sender.origin, read);
  }
  if (status >= 200 && status < 300) {
    body.on("error", () => {}).destroy();
    throw new ContractError(`${sender.origin} answered ${status}; the contract has no success but 200.`);
  }
  return readRefusal(answer, sender.origin, sender.apiKey);
}

function timeoutFailure({ requestTimeout, sender }: AttemptContext, cause: Error): BrokenFailure {
  const message = `No complete answer from ${sender.origin} within the ${requestTimeout / 1000} s of one request`;
  return { kind: "broken", message, permanent: false, cause };
}
