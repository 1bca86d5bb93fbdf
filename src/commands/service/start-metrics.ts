import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { collectDefaultMetrics, Histogram, Registry } from "prom-client";

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
  const server = createServer(({ url }, response) => {
    if (url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (text) => response.setHeader("content-type", registry.contentType).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await once(server.listen(port, host), "listening");
  const { address, family, port: chosen } = server.address() as AddressInfo;
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${chosen}/metrics`,
    observe: (labels: Record<"route" | "method" | "status", string | number>, seconds: number): void =>
      durations.observe(labels, seconds),
    close: (): void => {
      server.close();
      server.closeAllConnections();
    },
  };
}
