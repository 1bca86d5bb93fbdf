import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Context } from "../../src/cli/context.ts";
import type { GlobalOptions } from "../../src/cli/flags/global.ts";
import { showProgress } from "../../src/cli/pull-progress.ts";
import { createReporter } from "../../src/cli/reporter.ts";
import type { ClientEvent } from "../../src/client/events.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"], now: 0 });
});

afterEach(() => {
  vi.useRealTimers();
});

function plainReporter() {
  const stderr = new PassThrough();
  const context = { stdout: new PassThrough(), stderr, env: {}, now: Date.now } as unknown as Context;
  const reporter = createReporter({ progress: "plain" } as GlobalOptions, context);
  const lines = () =>
    String(stderr.read() ?? "")
      .split("\n")
      .slice(0, -1);
  return { reporter, context, lines };
}

const page = (remaining: number): ClientEvent => ({
  type: "response",
  operation: "catalog",
  target: "/v1/catalog",
  attempt: 1,
  status: 200,
  milliseconds: 100,
  bytes: 1_000,
  requestId: undefined,
  rate: { limit: 10, remaining, resetSeconds: 40 },
});

test("the time left includes the rate-limit windows of the remaining requests", async () => {
  const { reporter, context, lines } = plainReporter();
  const progress = showProgress(reporter, context, {});
  progress.update({ total: 12_500, rows: 0 });
  for (let remaining = 9; remaining >= 0; remaining -= 1) {
    await vi.advanceTimersByTimeAsync(100);
    reporter.onEvent(page(remaining));
    progress.update({ rows: (10 - remaining) * 500 });
  }
  reporter.onEvent({ type: "wait", reason: "rate limit", milliseconds: 40_000, code: undefined });
  await vi.advanceTimersByTimeAsync(9_000);
  progress.done();
  progress[Symbol.dispose]();
  // 15 requests are left: ten after the pause of 40 s, five after a window of 40 s more, which the first page saw whole.
  expect(lines()).toEqual([
    "00:00:10Z 5,000 of 12,500 rows · 40 % · 1 min 12 s left · waiting 31 s for the rate limit · 500 rows/s · 0 requests left",
    "00:00:10Z done: 5,000 rows in 10 s",
  ]);
});

test("rows of an earlier run are neither in the time left nor in the speed", async () => {
  const { reporter, context, lines } = plainReporter();
  const progress = showProgress(reporter, context, {});
  progress.update({ total: 10_000, requests: 20, stored: 9_000 });
  progress.update({ rows: 9_000 });
  await vi.advanceTimersByTimeAsync(9_500);
  reporter.onEvent(page(9));
  progress.update({ rows: 9_500 });
  await vi.advanceTimersByTimeAsync(500);
  progress.done();
  progress[Symbol.dispose]();
  expect(lines()[0]).toMatch(/^00:00:10Z 9,500 of 10,000 rows · 95 % · 9 s left · 50 rows\/s /);
});

test("an error is also the last line of a log", async () => {
  const { reporter, context, lines } = plainReporter();
  const progress = showProgress(reporter, context, {});
  progress.update({ rows: 1 });
  await vi.advanceTimersByTimeAsync(2_000);
  progress[Symbol.dispose]();
  expect(lines()).toEqual(["00:00:02Z stopped: 1 row in 2 s"]);
});

test("a retry is shown with its reason before any row has arrived", async () => {
  const { reporter, lines } = plainReporter();
  reporter.onEvent({ type: "request", operation: "coverage", target: "/v1/coverage", attempt: 1 });
  await vi.advanceTimersByTimeAsync(8_000);
  reporter.onEvent({ type: "wait", reason: "retry", milliseconds: 8_000, code: "service_unavailable" });
  await vi.advanceTimersByTimeAsync(2_000);
  expect(lines()).toEqual([
    "00:00:10Z reading the coverage · 10 s · waiting 6 s to try again after service_unavailable",
  ]);
});

test("a dumb terminal gets whole lines instead of one that is redrawn", () => {
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const context = { stdout: new PassThrough(), stderr, env: { TERM: "dumb" }, now: Date.now } as unknown as Context;
  const { progress } = createReporter({ progress: "auto" } as GlobalOptions, context);
  progress.update({ doing: "reading" });
  progress.clear("done");
  expect(String(stderr.read())).toMatch(/^[\d:]{8}Z done\n$/);
});
