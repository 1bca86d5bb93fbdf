import type { OperationName } from "../contract/operations.ts";
import type { RateHeaders } from "./requests/rate-window.ts";

/** What a request is for: an operation of the contract, or the status feed. */
export type RequestPurpose = OperationName | "status";

/** The client's activity, for progress and `--verbose`. It never contains the key. */
export type ClientEvent = RequestEvent | ResponseEvent | FailureEvent | WaitEvent;

/** A request is sent. */
export interface RequestEvent {
  type: "request";
  operation: RequestPurpose;
  method: "GET";
  /** Path and query as sent. */
  target: string;
  /** From 1. */
  attempt: number;
}

/** A response was read completely, whatever its status. */
export interface ResponseEvent {
  type: "response";
  operation: RequestPurpose;
  target: string;
  attempt: number;
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
export interface FailureEvent {
  type: "failure";
  operation: RequestPurpose;
  target: string;
  attempt: number;
  milliseconds: number;
  message: string;
}

/** Requests pause: the window is spent, or a retry is due later. */
export interface WaitEvent {
  type: "wait";
  reason: "rate limit" | "retry";
  milliseconds: number;
  /** Code of the problem that is retried; undefined for network errors and for the rate limit. */
  code: string | undefined;
}
