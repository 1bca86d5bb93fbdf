import { Registry } from "prom-client";
import { expect, onTestFinished, test, vi } from "vitest";
import { startMetrics } from "../../src/commands/service/start-metrics.ts";

async function started(host = "127.0.0.1") {
  const metrics = await startMetrics(host, 0);
  onTestFinished(metrics.close);
  return metrics;
}

test("the address of a host of IPv6 is in brackets, and nobody answers there after closing", async () => {
  const { url, close } = await started("::1");

  expect(url).toMatch(/^http:\/\/\[::1\]:\d+\/metrics$/);
  expect((await fetch(url)).status).toBe(200);
  close();
  await expect(fetch(url)).rejects.toThrow();
});

test("metrics that cannot be read are a failed response, and the service goes on", async () => {
  const { url } = await started();
  vi.spyOn(Registry.prototype, "metrics").mockRejectedValueOnce(new Error("too many open files"));

  expect((await fetch(url)).status).toBe(500);
  expect((await fetch(url)).status).toBe(200);
});
