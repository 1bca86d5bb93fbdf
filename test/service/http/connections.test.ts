import { connect } from "node:net";
import { expect, test } from "vitest";
import { gate } from "../../helpers/gate.ts";
import { startTestPortal } from "../../helpers/portal.ts";
import { products } from "../../helpers/products.ts";
import { closed, POST, send } from "../../helpers/raw-connections.ts";
import { startTestService } from "../../helpers/service.ts";

test("a client that waits for 16 responses at once gets them all", async () => {
  const service = await startTestService();
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  let received = "";
  socket.on("data", (bytes) => {
    received += bytes.toString("latin1");
  });

  const request = "GET /errors.json HTTP/1.1\r\nHost: x\r\n";
  socket.write(`${`${request}\r\n`.repeat(15)}${request}Connection: close\r\n\r\n`);
  await closed(socket);

  expect(received.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(16);
});

test("a request that does not arrive in time loses its connection", async () => {
  const service = await startTestPortal({ requestTimeout: 100 });
  const port = Number(new URL(service.url).port);

  const sockets = await Promise.all(
    [`${POST}Content-Length: 9\r\n\r\nem`, POST, ""].map((bytes) => send({ port }, bytes)),
  );

  await Promise.all(sockets.map(closed));
});

test("with 256 requests in progress, further ones get service_unavailable", async () => {
  const { passed: held, open: release } = gate();
  let asked = 0;
  const service = await startTestService({
    rows: products(1),
    rateLimit: 1_000,
    faults: (store) => ({
      snapshot: async (deadline) => {
        asked += 1;
        await held;
        return store.snapshot(deadline);
      },
    }),
  });
  const underWay = Array.from({ length: 256 }, () => service.get("/v1/catalog"));
  await expect.poll(() => asked, { timeout: 10_000 }).toBe(256);

  const { status, body, headers } = await service.get("/v1/sample");
  const health = await Promise.all(
    ["/healthz", "/readyz"].map(async (path) => (await fetch(service.url + path)).status),
  );
  release();
  const responses = await Promise.all(underWay);

  expect({ status, code: body.code, retryAfter: headers.get("retry-after") }).toEqual({
    status: 503,
    code: "service_unavailable",
    retryAfter: "1",
  });
  expect(body.detail).toBe("The service is handling too many requests.");
  expect(["limit", "remaining"].map((name) => headers.get(`ratelimit-${name}`))).toEqual(["30", "30"]);
  // A balancer sends no further requests, but does not restart the service.
  expect(health).toEqual([200, 503]);
  expect(new Set(responses.map((response) => response.status))).toEqual(new Set([200]));
  expect((await service.get("/v1/sample")).status).toBe(200);
});

test("a silent connection beyond 1,000 is closed at once, and silent ones lose theirs in time", async () => {
  const service = await startTestService({ requestTimeout: 2_000 });
  const port = Number(new URL(service.url).port);
  const silent = await Promise.all(Array.from({ length: 1_000 }, () => send({ port }, "")));

  await closed(await send({ port }, ""));
  await Promise.all(silent.map(closed));

  expect((await service.get("/v1/coverage")).status).toBe(200);
});
