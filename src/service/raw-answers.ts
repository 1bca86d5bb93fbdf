import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { sourceOf } from "./auth.ts";
import { PROBLEM_TYPE, problemDocument, ServiceProblem } from "./problems.ts";
import { type FixedWindow, rateLimitHeaders } from "./rate-limit.ts";
import { newRequestId } from "./request-id.ts";

type ClientErrorHandler = (error: NodeJS.ErrnoException, socket: Socket) => void;

/**
 * Answers bytes that are no HTTP request (garbage, an oversized request line or header, a request that never ends) with a
 * problem, written by hand because no request exists that could be answered. While an answer is under way on the
 * connection nothing may be written into it: the connection ends instead.
 */
export function malformedRequestHandler(
  answers: OpenAnswers,
  failedAttempts: FixedWindow,
  errorBase: () => string,
): ClientErrorHandler {
  return (error, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable || answers.isOpenOn(socket)) {
      socket.destroy();
      return;
    }
    const problem = new ServiceProblem("invalid_request", detailOf(error));
    const document = problemDocument(problem, errorBase(), newRequestId());
    const body = JSON.stringify(document);
    const headers = {
      "content-type": PROBLEM_TYPE,
      "content-length": String(Buffer.byteLength(body)),
      connection: "close",
      ...rateLimitHeaders(failedAttempts.peek(sourceOf(socket.remoteAddress ?? ""))),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${document.status} Bad Request\r\n${lines.join("")}\r\n${body}`);
  };
}

function detailOf({ code }: NodeJS.ErrnoException): string {
  if (code === "HPE_HEADER_OVERFLOW") {
    return "The request line and headers are too long.";
  }
  return code === "ERR_HTTP_REQUEST_TIMEOUT"
    ? "The request did not arrive in time."
    : "The bytes received are not an HTTP request.";
}

/** Knows on which connections a response is still to be finished. */
export class OpenAnswers {
  readonly #latest = new WeakMap<Socket, ServerResponse>();

  watch(server: Server): void {
    server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
      this.#latest.set(request.socket, response);
    });
  }

  /** Responses on one connection finish in order, so that the latest says it for all. */
  isOpenOn(socket: Socket): boolean {
    const response = this.#latest.get(socket);
    return response !== undefined && !response.writableFinished;
  }
}
