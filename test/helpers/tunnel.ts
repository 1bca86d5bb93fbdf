import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { join } from "node:path";
import { generate } from "selfsigned";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./cli.ts";
import { COMBINATION, coverageBody } from "./envelopes.ts";

export interface SecureService {
  /** An https URL of the host name `localhost`. */
  url: string;
  /** `Authorization` of each request. */
  authorizations: (string | undefined)[];
  /** File of the certificate, for `NODE_EXTRA_CA_CERTS`. */
  certificate: string;
}

let pair: ReturnType<typeof generate> | undefined;

/** A service over TLS that answers every request with one coverage entry. It is closed after the test. */
export async function startSecureService(): Promise<SecureService> {
  pair ??= generate([{ name: "commonName", value: "localhost" }], {
    extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: "localhost" }] }],
  });
  const pems = await pair;
  const certificate = join(await temporaryFolder(), "certificate.pem");
  await writeFile(certificate, pems.cert);
  const authorizations: (string | undefined)[] = [];
  const server = createSecureServer({ key: pems.private, cert: pems.cert }, (request, response) => {
    authorizations.push(request.headers.authorization);
    response.setHeader("content-type", "application/json").end(coverageBody([COMBINATION]));
  });
  const port = await listen(server);
  return { url: `https://localhost:${port}`, authorizations, certificate };
}

export interface Proxy {
  port: number;
  /** Method, target and `Proxy-Authorization` of each request. */
  requests: { method: string | undefined; target: string | undefined; credentials: string | undefined }[];
}

/** A proxy that opens tunnels and accepts plain requests. It refuses requests without the given `credentials`. */
export async function startProxy(credentials?: string): Promise<Proxy> {
  const requests: Proxy["requests"] = [];
  const expected = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
  const record = ({ method, url, headers }: IncomingMessage) => {
    const sent = headers["proxy-authorization"];
    requests.push({ method, target: url, credentials: sent });
    return expected === undefined || sent === expected;
  };
  const server = createServer((request, response) => {
    const isAllowed = record(request);
    response.statusCode = isAllowed ? 200 : 407;
    response.setHeader("content-type", "application/json").end(isAllowed ? coverageBody([COMBINATION]) : "");
  });
  server.on("connect", (request, socket: Socket) => {
    if (!record(request)) {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    const [host, port] = (request.url ?? "").split(":");
    const upstream = connect(Number(port), host, () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      socket.pipe(upstream).pipe(socket);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
  });
  return { port: await listen(server), requests };
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "localhost");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
