import type { IncomingMessage } from "node:http";
import { ServiceProblem } from "./service-problem.ts";

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
