import { type IncomingMessage, type RequestListener, Server, type ServerOptions, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { GatedConnection } from "./gated-connection.ts";

/** Connections open at the same time; further ones are closed at once. */
export const MAX_CONNECTIONS = 1_000;
/** Requests in progress on all connections; above this, a request gets `service_unavailable`. */
export const MAX_REQUESTS_UNDER_WAY = 256;

/** An HTTP server that limits the requests in progress of each client and of all clients. */
export class GatedServer extends Server {
  readonly #connections = new Set<GatedConnection>();
  #underWay = 0;

  constructor(options: ServerOptions, listener: RequestListener) {
    super(options, listener);
    this.maxConnections = MAX_CONNECTIONS;
    // Any duplex stream may be passed to what serves connections (documentation of the event `connection`).
    const serve = this.listeners("connection");
    this.removeAllListeners("connection");
    this.on("connection", (socket: Socket) => {
      const connection = new GatedConnection(socket, (change) => {
        this.#underWay += change;
      });
      this.#connections.add(connection);
      connection.on("close", () => this.#connections.delete(connection));
      for (const listener of serve) {
        listener.call(this, connection);
      }
    });
    this.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
      connectionOf(request).addAnswer(response);
    });
  }

  /** Whether more requests are in progress than allowed. */
  get isOverloaded(): boolean {
    return this.#underWay > MAX_REQUESTS_UNDER_WAY;
  }

  /** Node.js would treat a connection as idle while its answer waits for the reader. */
  override closeIdleConnections(): void {
    for (const connection of this.#connections) {
      if (connection.isIdle) {
        connection.destroy();
      }
    }
  }

  /** Ends each connection after the answers to the requests already begun. */
  drain(): void {
    for (const connection of this.#connections) {
      connection.drain();
    }
  }
}

/** The connection of a request that a `GatedServer` received. */
export function connectionOf({ socket }: IncomingMessage): GatedConnection {
  return socket as unknown as GatedConnection;
}
