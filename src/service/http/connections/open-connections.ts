import { createServer, type RequestListener, type Server, type ServerOptions, type ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Most connections that may be open. */
const MAX_CONNECTIONS = 1_000;
/** Most responses that a client may wait for on one connection. A client that asks for more is disconnected. */
const MAX_PIPELINED = 16;
/** Most requests that may be worked on, on all connections. Further ones get `service_unavailable`. */
const MAX_REQUESTS_UNDER_WAY = 256;

interface Connection {
  /** Responses that are not completely written, in the order of their requests. */
  open: Set<ServerResponse>;
  /** Bytes that were read when the last response ended. Further bytes are a request that has not arrived completely. */
  answeredBytes: number;
  /** Whether it ends after its open responses. */
  isEnding: boolean;
}

export type OpenConnections = ReturnType<typeof openConnections>;

/**
 * The connections of the HTTP servers of one application, with their open responses. A server that closes finishes the
 * responses that it began: Node.js itself would take a connection for idle while its response waits for the client.
 */
export function openConnections() {
  /** Those whose last response is the longest ago come first. */
  const connections = new Map<Socket, Connection>();

  function add(socket: Socket): void {
    if (connections.size >= MAX_CONNECTIONS && !makeRoom()) {
      socket.destroy();
      return;
    }
    connections.set(socket, { open: new Set(), answeredBytes: 0, isEnding: false });
    socket.once("close", () => connections.delete(socket));
  }

  /** Closes a connection that waits for its client, so that silent clients cannot take all. @returns whether there was one */
  function makeRoom(): boolean {
    const [idle] = [...connections].find(([, { open }]) => waitsForClient(open)) ?? [];
    idle?.destroy();
    return idle !== undefined && connections.delete(idle);
  }

  function addResponse(socket: Socket, connection: Connection, response: ServerResponse): void {
    connection.open.add(response);
    response.once("close", () => {
      connection.open.delete(response);
      connection.answeredBytes = socket.bytesRead;
      if (connections.delete(socket)) {
        connections.set(socket, connection);
      }
      if (connection.isEnding && connection.open.size === 0) {
        socket.destroySoon();
      }
    });
  }

  /** Ends all connections: those that wait for nothing at once, the others after the responses to complete requests. */
  function endAll(): void {
    for (const [socket, connection] of connections) {
      const { open, answeredBytes } = connection;
      connection.isEnding = true;
      const isArriving = open.size === 0 && socket.bytesRead !== answeredBytes;
      if (waitsForClient(open) && !isArriving) {
        socket.destroy();
      }
    }
  }

  return {
    createServer: (options: ServerOptions, listener: RequestListener): Server => {
      const server = createServer(options);
      server.on("connection", add);
      server.on("request", (request, response) => {
        const { socket } = request;
        const connection = connections.get(socket);
        // Node.js parses all requests of one read, also after the connection was destroyed.
        if (connection === undefined || socket.destroyed) {
          return;
        }
        if (connection.open.size >= MAX_PIPELINED) {
          socket.destroy();
          return;
        }
        addResponse(socket, connection, response);
        listener(request, response);
      });
      // Node.js and fastify call this when they close the server.
      server.closeIdleConnections = endAll;
      return server;
    },
    /**
     * Whether no more requests may begin. Only work counts: clients that never send their bodies, or never read their
     * responses, leave the service to the others.
     */
    isOverloaded: (): boolean => {
      let underWay = 0;
      for (const { open } of connections.values()) {
        for (const { req, writableEnded } of open) {
          underWay += req.complete && !writableEnded ? 1 : 0;
        }
      }
      return underWay >= MAX_REQUESTS_UNDER_WAY;
    },
    /** Whether this is the last response on its connection. */
    isLast: (response: ServerResponse): boolean => {
      const connection = connections.get(response.req.socket);
      return connection?.isEnding === true && [...connection.open].at(-1) === response;
    },
    /**
     * Ends a connection of which the next bytes cannot be read, after its open responses.
     *
     * @returns whether there are open responses; if not, the caller ends the connection
     */
    finish: (socket: Socket): boolean => {
      const connection = connections.get(socket);
      if (connection === undefined || connection.open.size === 0) {
        return false;
      }
      connection.isEnding = true;
      if ([...connection.open].some(lacksBody)) {
        // The body never comes. By then, a refusal that does not need it is written.
        setImmediate(() => socket.destroySoon());
      }
      return true;
    },
  };
}

/** Whether a client is to send its next request, or the rest of the body of its only one. */
function waitsForClient(open: ReadonlySet<ServerResponse>): boolean {
  return [...open].every(lacksBody);
}

function lacksBody({ req }: ServerResponse): boolean {
  return !req.complete;
}
