import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { startCatalog, temporaryFolder } from "../../../helpers/cli.ts";
import { afterAllTests } from "../../../helpers/endings.ts";
import { products } from "../../../helpers/products.ts";
import { startTestService } from "../../../helpers/service.ts";

/** Peak memory of the service under any flood, in bytes; about 110 MB are in use before the first request. */
const MEMORY_BOUND = 200 * 1024 * 1024;
const FLOOD = 2_000;

interface Service {
  port: number;
  child: ChildProcess;
}

const onEnd = afterAllTests();
let started: Promise<Service> | undefined;

/** All floods use one built service, so its peak memory is that of the worst flood. */
function builtService(): Promise<Service> {
  started ??= startBuiltService();
  return started;
}

async function startBuiltService(): Promise<Service> {
  const database = join(await temporaryFolder(onEnd), "service.db");
  const child = startCatalog(["service", "start", "--port", "0", "--database", database]);
  onEnd(async () => void child.kill("SIGKILL"));
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    return { port: Number(/:(\d+)$/.exec(line)?.[1]), child };
  }
  throw new Error("the service said nothing");
}

function peakMemory({ child }: Service): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}

/** A connection over which `count` requests are sent without waiting for a response. */
function flood({ port }: Service, path: string, count: number): Socket {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => {
    socket.destroy();
  });
  const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\n\r\n`;
  const many = request.repeat(1_000);
  for (let sent = 0; sent < count; sent += 1_000) {
    socket.write(many);
  }
  return socket;
}

/** The number of responses when `expected` have come or the connection closes. */
function responsesOf(socket: Socket, expected: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let responses = 0;
    let rest = "";
    socket.on("data", (chunk) => {
      const text = rest + chunk.toString("latin1");
      responses += text.split("HTTP/1.1 ").length - 1;
      rest = text.slice(-8);
      if (responses === expected) {
        resolve(responses);
      }
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(responses));
  });
}

test.each(["/status", "/status.json", "/v1/sample"])(
  "a flood of pipelined requests for %s gets its responses in bounded memory",
  { timeout: 60_000 },
  async (path) => {
    const service = await builtService();

    const socket = flood(service, path, FLOOD);
    const received = responsesOf(socket, FLOOD);
    const other = await fetch(`http://127.0.0.1:${service.port}/errors.json`);

    expect(other.status).toBe(200);
    expect(await received).toBe(FLOOD);
    expect(peakMemory(service)).toBeLessThan(MEMORY_BOUND);
  },
);

test("clients that never read their responses are paused and use little memory", { timeout: 60_000 }, async () => {
  const service = await builtService();

  const sockets = Array.from({ length: 3 }, () => flood(service, "/status", 200_000));
  let unsent: number[] = [];
  await expect
    .poll(
      () => {
        const before = unsent;
        unsent = sockets.map(({ connecting, writableLength }) => (connecting ? Number.NaN : writableLength));
        return unsent.every((bytes, index) => bytes === before[index]);
      },
      { interval: 500, timeout: 30_000 },
    )
    .toBe(true);
  const other = await fetch(`http://127.0.0.1:${service.port}/errors.json`);

  expect(other.status).toBe(200);
  expect(Math.min(...unsent)).toBeGreaterThan(0);
  expect(peakMemory(service)).toBeLessThan(MEMORY_BOUND);
});

test("with 256 requests in progress, further ones get service_unavailable", async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
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
  release();
  const responses = await Promise.all(underWay);

  expect([status, body.code, headers.get("retry-after")]).toEqual([503, "service_unavailable", "1"]);
  expect(["limit", "remaining"].map((name) => headers.get(`ratelimit-${name}`))).toEqual(["30", "30"]);
  expect(new Set(responses.map((response) => response.status))).toEqual(new Set([200]));
  expect((await service.get("/v1/sample")).status).toBe(200);
});
