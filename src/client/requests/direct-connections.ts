import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { urlToHttpOptions } from "node:url";
import { onAbort } from "../../contract/values/timer.ts";
import { http } from "./node-http.ts";

/** More than `MAX_IN_FLIGHT`, so that no request waits for a socket while its timeout runs. */
export const CONNECTIONS = 128;

/** Milliseconds after which an unused connection is closed: less than the 5 s of most servers. */
const IDLE_TIME = 4_000;

/** A response whose headers have arrived. The body must be read or destroyed. */
export interface HttpResponse {
  status: number;
  /** One header's value, "" if it is absent, joined with commas if it is repeated (RFC 9110 section 5.3). */
  header: (name: string) => string;
  body: Readable;
}

/** The values of headers by their names in small letters. */
export function headersOf(values: Readonly<Record<string, string | string[] | undefined>>): HttpResponse["header"] {
  return (name) => [values[name] ?? ""].flat().join(", ");
}

/** A proxy, without its password. */
export interface ProxyAddress {
  origin: string;
  /** The environment variable that names it. */
  variable: string;
}

/** Connections to one origin, kept open between requests. */
export interface Connections {
  /** The proxy between, if there is one. */
  proxy?: ProxyAddress;
  /**
   * Sends one GET; redirects are not followed, because the key is only for this origin.
   *
   * @param target path and query
   * @param signal ends the request and the body with its reason
   */
  get(target: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<HttpResponse>;
  /** Aborts open requests and closes all connections. */
  close(): Promise<void>;
}

/** Connections without a proxy. */
export function directConnections(url: URL): Connections {
  let loading: ReturnType<typeof load> | undefined;
  const load = async () => {
    const { Agent, request } = url.protocol === "https:" ? await import("node:https") : http;
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS, timeout: IDLE_TIME });
    const { protocol, hostname, port } = urlToHttpOptions(url);
    return { options: { agent, protocol, hostname, port }, request };
  };
  return {
    get: async (target, headers, signal) => {
      loading ??= load();
      const { options, request } = await loading;
      return await new Promise((resolve, reject) => {
        let received: IncomingMessage | undefined;
        const sent = request({ ...options, path: target, headers });
        sent.on("error", (error) => {
          // Without this the body would only report a reset connection.
          received?.destroy(error);
          reject(error);
        });
        const receive = (response: IncomingMessage) => {
          received = response;
          const { statusCode = 0, headersDistinct } = response;
          resolve({ status: statusCode, header: headersOf(headersDistinct), body: response });
        };
        sent.on("response", receive);
        // For status 101, Node emits no `response`, and without this listener no error either.
        sent.on("upgrade", receive);
        sent.end();
        onAbort(signal, () => (received ?? sent).destroy(signal.reason));
      });
    },
    close: async () => (await loading)?.options.agent.destroy(),
  };
}
