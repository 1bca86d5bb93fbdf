import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { sourceOf } from "./auth.ts";
import { PROBLEM_TYPE, problemDocument, ServiceProblem } from "./problems.ts";
import { type FixedWindow, rateLimitHeaders } from "./rate-limit.ts";
import { newRequestId } from "./request-id.ts";

/** Milliseconds in which a client has to read the answer and hang up. */
const LINGER = 5_000;

/** Ends a connection with a problem that is written by hand, because nothing else can answer there. */
export type SocketAnswer = (socket: Socket, problem: ServiceProblem) => void;

/**
 * How connections are ended with a problem. While an answer is under way on one nothing may be written into it: it is
 * dropped instead.
 */
export function socketAnswer(answers: OpenAnswers, failedAttempts: FixedWindow, errorBase: () => string): SocketAnswer {
  return (socket, problem) => {
    // Nobody else hears of a socket that Node.js has handed over, or ends it where its client does not.
    socket.on("error", () => socket.destroy());
    socket.setTimeout(LINGER, () => socket.destroy());
    if (!socket.writable || answers.isOpenOn(socket)) {
      socket.destroy();
      return;
    }
    const document = problemDocument(problem, errorBase(), newRequestId());
    const body = JSON.stringify(document);
    const headers = {
      "content-type": PROBLEM_TYPE,
      "content-length": String(Buffer.byteLength(body)),
      connection: "close",
      ...rateLimitHeaders(failedAttempts.peek(sourceOf(socket.remoteAddress ?? ""))),
      ...problem.headers,
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${document.status} ${STATUS_CODES[document.status]}\r\n${lines.join("")}\r\n${body}`);
  };
}

/**
 * Answers bytes that are no HTTP request (garbage, an oversized request line or header, a request that never ends) with a
 * problem.
 */
export function malformedRequestHandler(
  answerSocket: SocketAnswer,
): (error: NodeJS.ErrnoException, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === "ECONNRESET") {
      socket.destroy();
      return;
    }
    answerSocket(socket, new ServiceProblem("invalid_request", detailOf(error)));
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
