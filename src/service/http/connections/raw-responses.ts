import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { rateLimitHeaders } from "../admission/rate-limit.ts";
import type { ServiceParts } from "../service-parts.ts";
import { newRequestId, PROBLEM_TYPE, problemDocument, ServiceProblem } from "../service-problem.ts";
import type { OpenConnections } from "./open-connections.ts";

/** Milliseconds that a client has to read the response and close the connection. */
const LINGER = 5_000;

/**
 * Creates a function that writes a problem directly to a socket without an HTTP response, and ends the connection. If a
 * response is already open, the connection ends after it, without the problem.
 */
export function createRefuseSocket(connections: OpenConnections, { budgets, budgetOf, errorBase }: ServiceParts) {
  /** @param path of the request, as far as it is known */
  return (socket: Socket, problem: ServiceProblem, path = ""): void => {
    // Node.js no longer handles errors of this socket.
    socket.on("error", () => socket.destroy());
    if (connections.finish(socket)) {
      return;
    }
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    socket.setTimeout(LINGER, () => socket.destroy());
    const document = problemDocument(problem, errorBase(), newRequestId());
    const body = JSON.stringify(document);
    const headers = {
      "content-type": PROBLEM_TYPE,
      "content-length": String(Buffer.byteLength(body)),
      connection: "close",
      ...rateLimitHeaders((budgetOf(path) ?? budgets.catalog).unused()),
      ...problem.details.headers,
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${document.status} ${STATUS_CODES[document.status]}\r\n${lines.join("")}\r\n${body}`);
  };
}

/** Characters of a request line and headers that a client may send. */
const HEAD_LENGTH = 16 * 1024;
const TOO_LONG = `The request line and headers have more than ${HEAD_LENGTH} characters.`;

/** The problem for bytes that are not a valid HTTP request: garbage, long headers, a request that never ends. */
export function malformedRequest({ code }: NodeJS.ErrnoException): ServiceProblem {
  const details: Readonly<Record<string, string>> = {
    HPE_HEADER_OVERFLOW: TOO_LONG,
    ERR_HTTP_REQUEST_TIMEOUT: "The request did not arrive in time.",
  };
  return new ServiceProblem("invalid_request", details[code ?? ""] ?? "The bytes received are not an HTTP request.");
}

/** Refuses requests that Node.js accepts, but HTTP/1.1 (RFC 9112) or the contract does not allow. */
export function checkRequest({ method, url = "", httpVersion, headers, rawHeaders }: IncomingMessage): void {
  if (httpVersion !== "1.0" && httpVersion !== "1.1") {
    throw new ServiceProblem("invalid_request", `The service supports HTTP/1.1, not HTTP/${httpVersion}.`);
  }
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host").length;
  if (hosts > 1 || (hosts === 0 && httpVersion === "1.1")) {
    throw new ServiceProblem(
      "invalid_request",
      hosts === 0 ? "The request has no Host header." : "The request has more than one Host header.",
      { field: "Host" },
    );
  }
  if (rawHeaders.reduce((length, text) => length + text.length, url.length) > HEAD_LENGTH) {
    const parameters = [...new URLSearchParams(url.split("?", 2)[1])];
    const [field] = parameters.sort((a, b) => b.join().length - a.join().length)[0] ?? [];
    const isOfUrl = field !== undefined && url.length > HEAD_LENGTH / 2;
    throw new ServiceProblem("invalid_request", TOO_LONG, isOfUrl ? { field } : {});
  }
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) !== 0;
  if (hasBody && (method === "GET" || method === "HEAD")) {
    throw new ServiceProblem("invalid_request", "A GET or HEAD request must not have a body.");
  }
}
