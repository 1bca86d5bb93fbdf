import { expect, test } from "vitest";
import { StoreUnavailableError } from "../../../src/service/store/store-types.ts";
import { products } from "../../helpers/products.ts";
import { rowsFail, startTestService } from "../../helpers/service.ts";

async function health(url: string, path: string) {
  const response = await fetch(`${url}${path}`);
  return [response.status, response.headers.get("retry-after"), await response.json()];
}

test("a service whose database is not available is alive and not ready, until it is back", async () => {
  let isAway = false;
  const service = await startTestService({
    rows: products(1),
    faults: rowsFail(() => isAway && new StoreUnavailableError("away")),
  });
  const ready = [200, null, { status: "ready" }];

  expect(await health(service.url, "/readyz")).toEqual(ready);
  isAway = true;
  expect(await health(service.url, "/readyz")).toEqual([
    503,
    "5",
    expect.objectContaining({ code: "service_unavailable" }),
  ]);
  expect(await health(service.url, "/healthz")).toEqual([200, null, { status: "ok" }]);
  isAway = false;
  expect(await health(service.url, "/readyz")).toEqual(ready);
});
