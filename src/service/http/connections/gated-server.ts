import { type IncomingMessage, type RequestListener, Server, type ServerOptions, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { GatedConnection } from "./gated-connection.ts";

/** Most connections that may be open. Further ones are closed at once. */
const MAX_CONNECTIONS = 1_000;
/** Most requests in progress on all connections. Further ones get `service_unavailable`. */
const MAX_REQUESTS_UNDER_WAY = 256;

/** An HTTP server that limits the requests in progress, for each connection and in total. */
export class GatedServer extends Server {
  readonly #connections = new Set<GatedConnection>();
  #underWay = 0;

  constructor(options: ServerOptions, listener: RequestListener) {
    super(options, listener);
    this.maxConnections = MAX_CONNECTIONS;
    // Node.js allows any duplex stream here (documentation of the event `connection`).
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
      connectionOf(request).addResponse(response);
    });
  }

  /** Whether more requests are in progress than allowed. */
  get isOverloaded(): boolean {
    return this.#underWay > MAX_REQUESTS_UNDER_WAY;
  }

  /** Node.js itself would take a connection for idle while its response waits for the client. */
  override closeIdleConnections(): void {
    for (const connection of this.#connections) {
      if (connection.isIdle) {
        connection.destroy();
      }
    }
  }

  /** Ends each connection after the responses to the requests in progress. */
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
