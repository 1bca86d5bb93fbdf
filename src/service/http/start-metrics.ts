import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { collectDefaultMetrics, Histogram, Registry } from "prom-client";
import type { SentResponse } from "./service-options.ts";

/**
 * Serves the metrics of this process for Prometheus: durations by route, method and status, and figures of Node.js. They have a
 * port of their own, because clients of the API must not read them.
 */
export async function startMetrics(host: string, port: number) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: "http_request_duration_seconds",
    help: "Time from the head of a request to the end of its response.",
    labelNames: ["route", "method", "status"],
    registers: [registry],
  });
  const server = createServer(async ({ url }, response) => {
    if (url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    response.setHeader("content-type", registry.contentType).end(await registry.metrics());
  });
  await once(server.listen(port, host), "listening");
  const { address, family, port: chosen } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${chosen}/metrics`,
    observe: ({ route, method, status, duration }: SentResponse): void =>
      durations.observe({ route: route ?? "none", method, status }, duration / 1_000),
    close: (): void => {
      server.close();
      server.closeAllConnections();
    },
  };
}
