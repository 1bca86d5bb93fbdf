import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface ReceivedRequest {
  method: string;
  /** Path and query as received. */
  target: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
}

/** The reaction to one request. It may do anything with the socket. */
export type Behaviour = (socket: Socket, request: ReceivedRequest) => void;

export interface FaultServer {
  url: URL;
  /** A key as the service makes them; it is not looked at. */
  key: string;
  /** In order of arrival. */
  requests: readonly ReceivedRequest[];
  /** Connections accepted so far. */
  connections: () => number;
  /** May be called again. */
  close(): Promise<void>;
}

/** A list has one behaviour for each request, in order. A function chooses for each request. */
export type Script = readonly Behaviour[] | ((request: ReceivedRequest) => Behaviour);

/**
 * An HTTP/1.1 server on a free port with scripted responses, byte for byte if necessary. Requests after the end of a list
 * get a 418. It is closed after the test.
 */
export async function startFaultServer(script: Script): Promise<FaultServer> {
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    onRequest(socket, (request) => {
      requests.push(request);
      const behaviour = typeof script === "function" ? script(request) : script[requests.length - 1];
      (behaviour ?? answer({ status: 418, body: "the script is over" }))(socket, request);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const close = async () => {
    if (!server.listening) {
      return;
    }
    for (const socket of sockets) {
      socket.destroy();
    }
    server.close();
    await once(server, "close");
  };
  onTestFinished(close);
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    key: "k".repeat(43),
    requests,
    connections: () => connections,
    close,
  };
}

/** Calls back with each request head. These requests have no bodies. */
function onRequest(socket: Socket, received: (request: ReceivedRequest) => void): void {
  let pending = "";
  socket.on("data", (chunk) => {
    pending += chunk.toString("latin1");
    for (let end = pending.indexOf("\r\n\r\n"); end !== -1; end = pending.indexOf("\r\n\r\n")) {
      const [first = "", ...lines] = pending.slice(0, end).split("\r\n");
      pending = pending.slice(end + 4);
      const [method = "", target = ""] = first.split(" ");
      const headers = lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      });
      received({ method, target, headers: Object.fromEntries(headers) });
    }
  });
}

export interface ScriptedAnswer {
  status?: number;
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
}

/** The head of a response, as it is sent. */
export function head(status: number, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Scripted\r\n${lines.join("")}\r\n`;
}

/** A complete response. Its default type is `application/json`. */
export function answer({ status = 200, headers = {}, body = "" }: ScriptedAnswer): Behaviour {
  const bytes = Buffer.from(body);
  return (socket) => {
    socket.write(head(status, { "content-type": "application/json", "content-length": bytes.length, ...headers }));
    socket.write(bytes);
  };
}

/** A response whose connection closes after the first `sent` bytes of the body. */
export function cutBody(body: string, sent: number): Behaviour {
  return (socket) => {
    socket.write(head(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) }));
    socket.end(Buffer.from(body).subarray(0, sent));
  };
}

/** Resets the connection (TCP RST) instead of responding. */
export const resetConnection: Behaviour = (socket) => {
  socket.resetAndDestroy();
};

/** Never responds. */
export const stallBeforeHeaders: Behaviour = () => {};

/** Sends a head that never ends. */
export const stallInHeaders: Behaviour = (socket) => {
  socket.write("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-slow: ");
};

/** Sends the head and the first part of the body, then nothing. */
export function stallInBody(status = 200, part = '{"data":['): Behaviour {
  return (socket) => {
    socket.write(head(status, { "content-type": "application/json", "content-length": 100_000 }));
    socket.write(part);
  };
}

/** Sends bytes that are not HTTP. */
export const garbage: Behaviour = (socket) => {
  socket.end("\u0000\u0001 not a status line \r\n\r\n");
};

/** Sends a body until the client closes the connection. */
export function endlessBody(status: number): Behaviour {
  return (socket) => {
    socket.write(head(status, { "content-type": "text/plain" }));
    const chunk = "x".repeat(16 * 1024);
    const more = () => {
      while (!socket.destroyed && socket.write(chunk)) {
        // Until the buffer of the socket is full.
      }
    };
    socket.on("drain", more);
    more();
  };
}
