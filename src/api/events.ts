import type { OperationName } from "../contract/operations.ts";
import type { RateHeaders } from "./requests/rate-window.ts";

/** What a request is for: an operation of the contract, or the status feed. */
export type RequestPurpose = OperationName | "status";

/** What the client does, as it happens, for progress and `--verbose`. The key is in none of it. */
export type ClientEvent = RequestEvent | AnswerEvent | FaultEvent | WaitEvent;

/** A request leaves. */
export interface RequestEvent {
  type: "request";
  operation: RequestPurpose;
  method: "GET";
  /** Path and query as sent. */
  target: string;
  /** From 1. */
  attempt: number;
}

/** An answer was read to its end, whatever its status. */
export interface AnswerEvent {
  type: "answer";
  operation: RequestPurpose;
  target: string;
  attempt: number;
  status: number;
  /** From leave of the request to the end of the body. */
  milliseconds: number;
  /** Of the body, decompressed. */
  bytes: number;
  requestId: string | undefined;
  /** The rate limit of the endpoint group, where the service says so. */
  rate: RateHeaders | undefined;
}

/** A request ended without a complete answer. */
export interface FaultEvent {
  type: "fault";
  operation: RequestPurpose;
  target: string;
  attempt: number;
  milliseconds: number;
  message: string;
}

/** Nothing is sent for a while: the window is spent, or a retry is due later. */
export interface WaitEvent {
  type: "wait";
  reason: "rate limit" | "retry";
  milliseconds: number;
  /** Code of the problem that is retried; absent for a fault of the network and for the rate limit. */
  code: string | undefined;
}
