import { expect, test } from "vitest";
import type { SentResponse } from "../../../src/service/http/service-options.ts";
import { StoreUnavailableError } from "../../../src/service/store/store.ts";
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

test("each response is reported with its route and team, and without what the client sent", async () => {
  const sent: SentResponse[] = [];
  const service = await startTestService({ rows: products(1), onResponse: (response) => sent.push(response) });
  const { body } = await service.get("/v1/coverage");
  await service.get("/v1/coverage?key=secret", { key: "secret" });
  await fetch(`${service.url}/secret`);

  await expect.poll(() => sent.length).toBe(3);
  const duration = expect.any(Number);
  expect(sent).toEqual([
    expect.objectContaining({ route: "/v1/coverage", method: "GET", status: 200, duration, team: "default" }),
    expect.objectContaining({ route: "/v1/coverage", method: "GET", status: 401, duration, team: null }),
    expect.objectContaining({ route: null, method: "GET", status: 404, duration, team: null }),
  ]);
  expect(sent[0]?.request).toBe(body.meta.request_id);
  expect(JSON.stringify(sent)).not.toContain("secret");
  expect(JSON.stringify(sent)).not.toContain(service.key);
});
