import { expect, onTestFinished, test } from "vitest";
import { startMetrics } from "../../../src/service/http/start-metrics.ts";

async function started(host = "127.0.0.1") {
  const metrics = await startMetrics(host, 0);
  onTestFinished(metrics.close);
  return metrics;
}

test("metrics have each response by route, method and status, in seconds, and the process", async () => {
  const { url, observe } = await started();
  observe({ route: "/v1/catalog", method: "GET", status: 200 }, 1.5);

  const answer = await fetch(url);
  const text = await answer.text();

  expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(text).toContain(
    "# HELP http_request_duration_seconds Time from the head of a request to the end of its response.\n",
  );
  expect(text).toContain('http_request_duration_seconds_sum{route="/v1/catalog",method="GET",status="200"} 1.5\n');
  expect(text).toMatch(/^process_cpu_seconds_total /m);
  expect(text).toMatch(/^nodejs_eventloop_lag_seconds /m);
});

test("the address of a host of IPv6 is in brackets, and nobody answers there after closing", async () => {
  const { url, close } = await started("::1");

  expect(url).toMatch(/^http:\/\/\[::1\]:\d+\/metrics$/);
  expect((await fetch(url)).status).toBe(200);
  close();
  await expect(fetch(url)).rejects.toThrow();
});
