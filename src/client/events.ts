import type { OperationName } from "../contract/operations.ts";
import type { RateHeaders } from "./requests/rate-window.ts";

/** What a request is for: an operation of the contract, or a public document (`status`): the status feed or the OpenAPI description. */
export type RequestPurpose = OperationName | "status";

/** The client's activity, for progress and `--verbose`. It never contains the key. */
export type ClientEvent = RequestEvent | ResponseEvent | FailureEvent | WaitEvent;

/** One attempt of a request. */
interface AttemptEvent {
  operation: RequestPurpose;
  /** Path and query as sent. */
  target: string;
  /** From 1. */
  attempt: number;
}

interface RequestEvent extends AttemptEvent {
  type: "request";
}

/** A response was read completely, whatever its status. */
interface ResponseEvent extends AttemptEvent {
  type: "response";
  status: number;
  /** From the permit of the request to the end of the body. */
  milliseconds: number;
  /** Of the body, decompressed. */
  bytes: number;
  requestId: string | undefined;
  /** The rate limit of the endpoint group, if the service reports it. */
  rate: RateHeaders | undefined;
}

/** A request ended without a complete response. */
interface FailureEvent extends AttemptEvent {
  type: "failure";
  milliseconds: number;
  message: string;
}

/** Requests pause: the window is spent, or a retry is due later. */
interface WaitEvent {
  type: "wait";
  reason: "rate limit" | "retry";
  milliseconds: number;
  /** Code of the problem that is retried; undefined for network errors and for the rate limit. */
  code: string | undefined;
}
