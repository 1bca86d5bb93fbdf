import { once } from "node:events";
import { Agent, get } from "node:http";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { createApp } from "../../../src/service/http/app.ts";
import { openStore } from "../../../src/service/store/store.ts";
import { gate } from "../../helpers/gate.ts";
import { products } from "../../helpers/products.ts";
import { POST, send } from "../../helpers/raw-connections.ts";
import { startTestService } from "../../helpers/service.ts";

test("closing finishes the requests in progress, refuses new connections, then closes the store", async () => {
  const events: string[] = [];
  const { passed: held, open: release } = gate();
  const service = await startTestService({
    rows: products(2),
    faults: (store) => ({
      snapshot: async (deadline) => {
        events.push("asked");
        await held;
        return store.snapshot(deadline);
      },
      addDayCounts: async (counts) => {
        events.push("counted");
        await store.addDayCounts(counts);
      },
      close: async () => {
        events.push("store closed");
        await store.close();
      },
    }),
  });
  const underWay = service.get("/v1/catalog").then((response) => {
    events.push("response");
    return response;
  });
  await expect.poll(() => events).toEqual(["asked"]);

  const closed = service.close();
  await expect.poll(() => service.get("/v1/catalog").catch(() => "refused")).toBe("refused");
  release();
  await closed;

  const { status, headers } = await underWay;
  expect({ status, connection: headers.get("connection") }).toEqual({ status: 200, connection: "close" });
  expect(events.filter((event) => event !== "response")).toEqual(["asked", "counted", "store closed"]);
});

test("closing does not wait for a database that never ends the last write of measurements", async () => {
  const { passed: begun, open: begin } = gate();
  const service = await startTestService({
    faults: () => ({
      addDayCounts: () => {
        begin();
        return new Promise<never>(() => {});
      },
    }),
  });
  await service.get("/v1/coverage");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());

  const closed = service.close();
  await begun;
  vi.advanceTimersByTime(5_000);

  await closed;
});

test.each([2_000, 15_000, 30 * 86_400_000])(
  "until the drain delay of %i ms is over, requests are answered and /readyz is 503",
  async (drainDelay) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const service = await startTestService({ drainDelay });

    const closed = service.close();
    await expect.poll(async () => (await fetch(`${service.url}/readyz`)).status).toBe(503);
    const last = await service.get("/v1/coverage");
    vi.advanceTimersByTime(drainDelay);
    await closed;

    expect({ status: last.status, connection: last.headers.get("connection") }).toEqual({
      status: 200,
      connection: "close",
    });
    await expect(service.get("/v1/coverage")).rejects.toThrow("fetch failed");
  },
);

test.each([
  ["half a request line", "GET /v1/cov"],
  ["half a head", "GET /errors HTTP/1.1\r\nHost: x\r\n"],
  ["half a form", `${POST}Content-Length: 9\r\n\r\nem`],
])("a connection that sent %s does not delay closing", { timeout: 10_000 }, async (_, bytes) => {
  const app = createApp(await openStore(":memory:"), { portal: { sendCode: async () => {}, codesArePrinted: false } });
  let arrived: Socket | undefined;
  app.server.on("connection", (socket) => {
    arrived = socket;
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  await send({ port: Number(new URL(app.listeningOrigin).port) }, bytes);
  await expect.poll(() => arrived?.bytesRead).toBe(bytes.length);

  await app.close();
});

test("a slow reader receives the rest of a response that began before closing", async () => {
  const rows = products(100, { title: "x".repeat(20_000) });
  const service = await startTestService({ rows });
  const slow = connect(Number(new URL(service.url).port));
  const request = `GET /v1/catalog?limit=100 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n\r\n`;
  slow.write(request.repeat(8));
  await once(slow, "readable");

  const closed = service.close();
  await expect.poll(() => service.get("/errors.json").catch(() => "refused")).toBe("refused");
  let received = "";
  slow.on("data", (chunk) => {
    received += chunk.toString("latin1");
  });
  await once(slow, "end");
  slow.end();
  await closed;

  const [, ...responses] = received.split("HTTP/1.1 200 OK\r\n");
  expect(responses.map((response) => response.match(/"product_id"/g)?.length)).toEqual(Array(8).fill(100));
});

test("a client that never reads its responses is disconnected 20 seconds after closing began", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const service = await startTestService({ rows: products(100, { title: "x".repeat(20_000) }) });
  const silent = connect(Number(new URL(service.url).port));
  const request = `GET /v1/catalog?limit=100 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n\r\n`;
  silent.write(request.repeat(8));
  await once(silent, "readable");

  const closed = service.close();
  await expect.poll(() => fetch(service.url).catch(() => "refused")).toBe("refused");
  vi.advanceTimersByTime(20_000);

  await closed;
  silent.destroy();
});

test("idle connections do not delay closing", async () => {
  const service = await startTestService();
  const agent = new Agent({ keepAlive: true });
  await new Promise<void>((resolve) => {
    get(`${service.url}/errors`, { agent }, (response) => response.resume().on("end", resolve));
  });

  await service.close();
  agent.destroy();
});
