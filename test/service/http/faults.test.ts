import { expect, test } from "vitest";
import { StoreTimeoutError, StoreUnavailableError } from "../../../src/service/store/store.ts";
import { products } from "../../helpers/products.ts";
import type { TestServiceOptions } from "../../helpers/service.ts";
import { startTestService, withoutKeys } from "../../helpers/service.ts";

const operations = ["/v1/sample", "/v1/catalog", "/v1/coverage"];
const secret = "SQLITE_CORRUPT at /var/lib/catalog.db: SELECT hash FROM api_key";

async function codes(faults: TestServiceOptions["faults"], options: TestServiceOptions = {}): Promise<unknown[]> {
  const service = await startTestService({ rows: products(3), ...options, ...(faults && { faults }) });
  const responses = [];
  for (const path of operations) {
    const { status, body, text } = await service.get(path);
    expect(text).not.toMatch(/SQLITE|\/var|SELECT/);
    responses.push([status, body.code, body.retryable]);
  }
  return responses;
}

test("an unreachable database is service_unavailable, and the response has no details of it", async () => {
  const away = async () => Promise.reject(new StoreUnavailableError(secret));

  expect(await codes((store) => ({ windows: withoutKeys(store, away) }))).toEqual(
    Array(3).fill([503, "service_unavailable", true]),
  );
  expect(await codes(() => ({ snapshot: away }))).toEqual(Array(3).fill([503, "service_unavailable", true]));
});

test("a query that passes its deadline is upstream_timeout", async () => {
  const slow = async () => Promise.reject(new StoreTimeoutError(secret));

  expect(await codes(() => ({ snapshot: slow }))).toEqual(Array(3).fill([504, "upstream_timeout", true]));
});

test("a store that never returns is abandoned at the deadline and receives the abort signal", async () => {
  const told: unknown[] = [];
  const silent = (deadline: AbortSignal) =>
    new Promise<never>(() => {
      deadline.addEventListener("abort", () => told.push(deadline.reason.name));
    });

  expect(await codes(() => ({ snapshot: silent }), { queryTimeout: 500 })).toEqual(
    Array(3).fill([504, "upstream_timeout", true]),
  );
  expect(told).toEqual(Array(3).fill("StoreTimeoutError"));
});

test("an unexpected error is internal_error: its details go to the operator, not to the client", async () => {
  const told: unknown[] = [];
  const broken = async () => Promise.reject(new TypeError(secret));
  const service = await startTestService({
    faults: () => ({ snapshot: broken }),
    onUnexpectedError: (error, requestId) => told.push([String(error), requestId]),
  });

  const { status, body, text } = await service.get("/v1/coverage");

  expect([status, body.code]).toEqual([500, "internal_error"]);
  expect(text).not.toContain("SQLITE");
  expect(told).toEqual([[`TypeError: ${secret}`, body.request_id]]);
});
