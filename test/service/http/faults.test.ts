import { expect, onTestFinished, test, vi } from "vitest";
import { StoreTimeoutError, StoreUnavailableError } from "../../../src/service/store/store-types.ts";
import { gate } from "../../helpers/gate.ts";
import { products } from "../../helpers/products.ts";
import type { TestServiceOptions } from "../../helpers/service.ts";
import { startTestService, withoutKeys } from "../../helpers/service.ts";

const secret = "SQLITE_CORRUPT at /var/lib/catalog.db: SELECT hash FROM api_key";
const fails = (error: Error) => () => Promise.reject(error);
const unforeseen = new TypeError(secret);

const AWAY = [503, "service_unavailable", "The data cannot be read at the moment."];
const LATE = [504, "upstream_timeout", "The data query was cancelled because it took too long."];

test.each<[string, NonNullable<TestServiceOptions["faults"]>, unknown[], Error?]>([
  [
    "the keys cannot be read",
    (store) => ({ windows: withoutKeys(store, fails(new StoreUnavailableError(secret))) }),
    AWAY,
  ],
  ["the rows cannot be read", () => ({ snapshot: fails(new StoreUnavailableError(secret)) }), AWAY],
  ["a query passes its deadline", () => ({ snapshot: fails(new StoreTimeoutError(secret)) }), LATE],
  [
    "something unforeseen fails",
    () => ({ snapshot: fails(unforeseen) }),
    [500, "internal_error", "The service failed on this request."],
    unforeseen,
  ],
])(
  "if %s, each operation says so without details, and the operator is told only of the unforeseen",
  async (_, faults, expected, reported) => {
    const told: unknown[] = [];
    const service = await startTestService({
      faults,
      onUnexpectedError: (error, requestId) => told.push([error, requestId]),
    });

    const ids = [];
    for (const path of ["/v1/sample", "/v1/catalog", "/v1/coverage"]) {
      const { status, body, text } = await service.get(path);
      expect([status, body.code, body.detail]).toEqual(expected);
      expect(text).not.toMatch(/SQLITE|\/var|SELECT/);
      ids.push(body.request_id);
    }

    expect(told).toEqual(reported === undefined ? [] : ids.map((id) => [reported, id]));
  },
);

test.each([
  ["service_unavailable", new StoreUnavailableError("no connection within 5 s")],
  ["upstream_timeout", new StoreTimeoutError("no result within 10 s")],
])("after %s, the database is not asked again for the limit headers", async (code, error) => {
  const readForTeam = vi.fn(fails(error));
  const service = await startTestService({
    faults: (store) => ({
      windows: (name, length) => ({ ...store.windows(name, length), countForTeam: fails(error), readForTeam }),
    }),
  });

  const { body, headers } = await service.get("/v1/catalog");

  expect({ code: body.code, ratelimitLimit: headers.get("ratelimit-limit") }).toEqual({ code, ratelimitLimit: "120" });
  expect(readForTeam).not.toHaveBeenCalled();
});

test("a store that never returns is abandoned at the deadline and receives the abort signal", async () => {
  const told: unknown[] = [];
  const asked = gate();
  const silent = (deadline: AbortSignal) =>
    new Promise<never>(() => {
      deadline.addEventListener("abort", () => told.push(deadline.reason));
      asked.open();
    });
  const service = await startTestService({
    rows: products(3),
    faults: () => ({ snapshot: silent }),
    queryTimeout: 200,
  });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());

  const response = service.get("/v1/catalog");
  await asked.passed;
  vi.advanceTimersByTime(200);
  const { status, body } = await response;

  expect({ status, code: body.code, retryable: body.retryable, told }).toEqual({
    status: 504,
    code: "upstream_timeout",
    retryable: true,
    told: [expect.any(StoreTimeoutError)],
  });
});
