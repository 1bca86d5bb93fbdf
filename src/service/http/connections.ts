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
import { newRequestId, PROBLEM_TYPE, problemDocument, type ServiceProblem } from "./service-problem.ts";

/** Connections that may be open. Node.js closes further ones at once. */
const MAX_CONNECTIONS = 1_000;

/** Responses that a client may wait for on one connection. A client that asks for more is disconnected. */
const MAX_PIPELINED = 16;

/** Milliseconds that a client has to read a problem and close its connection. */
const LINGER = 5_000;

/**
 * The connections of the servers of one application, with their open responses. Node.js itself takes a connection for idle
 * while the client has not read its response yet, and would cut that response when the server closes.
 */
export function createConnections({ budgets, budgetOf, errorBase }: ServiceParts) {
  const connections = new Map<Socket, Set<ServerResponse>>();
  let isClosing = false;

  /** @returns whether the response may be worked on. Node.js parses all requests of one read, also on a closed connection. */
  function addResponse(socket: Socket, response: ServerResponse): boolean {
    const open = connections.get(socket);
    if (open === undefined || open.size >= MAX_PIPELINED || socket.destroyed) {
      socket.destroy();
      return false;
    }
    open.add(response);
    response.once("close", () => {
      open.delete(response);
      if (isClosing && open.size === 0) {
        socket.destroySoon();
      }
    });
    return true;
  }

  function closeIdle(): void {
    isClosing = true;
    for (const [socket, open] of connections) {
      if ([...open].every(lacksBody)) {
        socket.destroy();
      }
    }
  }

  return {
    createServer: (options: ServerOptions, listener: RequestListener): Server => {
      const server = createServer(options);
      server.maxConnections = MAX_CONNECTIONS;
      server.on("connection", (socket) => {
        connections.set(socket, new Set());
        socket.once("close", () => connections.delete(socket));
      });
      const answer = (request: IncomingMessage, response: ServerResponse) => {
        if (addResponse(request.socket, response)) {
          listener(request, response);
        }
      };
      server.on("request", answer);
      // Without a listener, Node.js would refuse an unknown `Expect` header itself.
      server.on("checkExpectation", answer);
      // Node.js and fastify call this when they close the server.
      server.closeIdleConnections = closeIdle;
      return server;
    },
    /** Whether the service is closing and this is the last response on its connection. */
    isLast: ({ req }: ServerResponse): boolean => isClosing && connections.get(req.socket)?.size === 1,
    /**
     * Writes a problem to a socket without an HTTP response, and ends the connection. It ends without the problem if another
     * response is open, because a client would take the problem for that response.
     *
     * @param path of the request, as far as it is known
     */
    refuse: (socket: Socket, problem: ServiceProblem, path = ""): void => {
      // Node.js no longer handles errors of this socket.
      socket.on("error", () => socket.destroy());
      const open = [...(connections.get(socket) ?? [])];
      if (!socket.writable || open.length > 1 || !open.every((one) => lacksBody(one) && !one.headersSent)) {
        socket.destroySoon();
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
    },
  };
}

/** Whether the client has not sent the body of a request completely. */
function lacksBody({ req }: ServerResponse): boolean {
  return !req.complete;
}
