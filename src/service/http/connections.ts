import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from "node:http";
import type { Socket } from "node:net";
import { rateLimitHeaders } from "./admission/rate-limit.ts";
import type { ServiceParts } from "./service-parts.ts";
import { newRequestId, PROBLEM_TYPE, problemDocument, ServiceProblem } from "./service-problem.ts";

/** Connections that may be open. Node.js closes further ones at once. */
const MAX_CONNECTIONS = 1_000;

/** Responses that a client may wait for on one connection. A client that asks for more is disconnected. */
const MAX_PIPELINED = 16;

/** Milliseconds that a client has to read a problem and close its connection. */
const LINGER = 5_000;

/**
 * Tracks the connections of an application and their unfinished responses. Node.js alone would cut a response that its client
 * has not read yet when the server closes, and would wait for a client that has sent half a request.
 */
export function createConnections({ rateLimits, rateLimitOf, errorBase }: ServiceParts) {
  const connections = new Map<Socket, Set<ServerResponse>>();
  let isClosing = false;

  return {
    createServer: (options: ServerOptions, listener: RequestListener): Server => {
      const server = createServer(options);
      server.maxConnections = MAX_CONNECTIONS;
      server.on("connection", (socket) => {
        connections.set(socket, new Set());
        socket.once("close", () => connections.delete(socket));
      });
      const answer = (request: IncomingMessage, response: ServerResponse): void => {
        const { socket } = request;
        const unfinished = connections.get(socket);
        // Node.js may still emit requests after their connection was closed.
        if (unfinished === undefined || unfinished.size >= MAX_PIPELINED || socket.destroyed) {
          socket.destroy();
          return;
        }
        unfinished.add(response);
        response.once("close", () => {
          unfinished.delete(response);
          if (isClosing && unfinished.size === 0) {
            socket.destroySoon();
          }
        });
        listener(request, response);
      };
      server.on("request", answer);
      // Without a listener, Node.js would refuse an unknown `Expect` header itself.
      server.on("checkExpectation", answer);
      // Node.js and fastify call this when they close the server.
      server.closeIdleConnections = () => {
        isClosing = true;
        for (const [socket, unfinished] of connections) {
          const last = [...unfinished].at(-1);
          if (last === undefined || [...unfinished].every(awaitsBody)) {
            socket.destroy();
          } else {
            last.shouldKeepAlive = false;
          }
        }
      };
      return server;
    },
    /**
     * Answers with a problem on a socket for which Node.js has no response object, and closes it. If another response is unfinished, it
     * closes the socket only: the client would read the problem as part of that response.
     */
    refuse: (socket: Socket, problem: ServiceProblem, path = ""): void => {
      // Node.js no longer handles errors of this socket.
      socket.on("error", () => socket.destroy());
      const isBusy = [...(connections.get(socket) ?? [])].some((one) => one.headersSent || !awaitsBody(one));
      if (isBusy || !socket.writable) {
        socket.destroySoon();
        return;
      }
      socket.setTimeout(LINGER, () => socket.destroy());
      const document = problemDocument(problem, errorBase(), newRequestId());
      const body = JSON.stringify(document);
      const headers = {
        date: new Date().toUTCString(),
        "cache-control": "no-store",
        "content-type": PROBLEM_TYPE,
        "content-length": String(Buffer.byteLength(body)),
        connection: "close",
        ...rateLimitHeaders((rateLimitOf(path) ?? rateLimits.catalog).whole()),
        ...problem.details.headers,
      };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.end(`HTTP/1.1 ${document.status} ${STATUS_CODES[document.status]}\r\n${lines.join("")}\r\n${body}`);
    },
  };
}

/** Whether the client has not sent the body of a request completely. */
function awaitsBody({ req }: ServerResponse): boolean {
  return !req.complete;
}

/** The problem for bytes that are not a valid HTTP request: garbage, long headers, a request that never ends. */
export function malformedRequest({ code }: NodeJS.ErrnoException): ServiceProblem {
  const details: Readonly<Record<string, string>> = {
    HPE_HEADER_OVERFLOW: "The request line and headers are longer than 16 KiB.",
    ERR_HTTP_REQUEST_TIMEOUT: "The request did not arrive in time.",
  };
  return new ServiceProblem("invalid_request", details[code ?? ""] ?? "The bytes received are not an HTTP request.");
}

/** Refuses requests that Node.js accepts although HTTP/1.1 (RFC 9112) or the contract forbids them. */
export function checkRequest({ method, httpVersion, headers, rawHeaders }: IncomingMessage): void {
  if (httpVersion !== "1.0" && httpVersion !== "1.1") {
    throw new ServiceProblem("invalid_request", `The service supports HTTP/1.1, not HTTP/${httpVersion}.`);
  }
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host").length;
  if (hosts > 1 || (hosts === 0 && httpVersion === "1.1")) {
    const detail = hosts === 0 ? "The request has no Host header." : "The request has more than one Host header.";
    throw new ServiceProblem("invalid_request", detail, { field: "Host" });
  }
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) !== 0;
  if (hasBody && (method === "GET" || method === "HEAD")) {
    throw new ServiceProblem("invalid_request", "A GET or HEAD request must not have a body.");
  }
}
