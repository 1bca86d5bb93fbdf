import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { startCatalog, temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { products } from "../helpers/products.ts";
import { closed, POST, send } from "../helpers/raw-connections.ts";
import { startTestService } from "../helpers/service.ts";

/** Peak memory of the service under any flood, in bytes; about 110 MB are in use before the first request. */
const MEMORY_BOUND = 200 * 1024 * 1024;
const FLOOD = 2_000;

interface BuiltService {
  port: number;
  child: ChildProcess;
}

const onEnd = afterAllTests();
let started: Promise<BuiltService> | undefined;

/** All floods use one built service, so its peak memory is that of the worst flood. */
function builtService(): Promise<BuiltService> {
  started ??= startBuiltService();
  return started;
}

/** The built tool's service with an empty database. */
async function startBuiltService(): Promise<BuiltService> {
  const database = join(await temporaryFolder(onEnd), "service.db");
  const child = startCatalog(["service", "start", "--port", "0", "--database", database]);
  onEnd(async () => void child.kill("SIGKILL"));
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    return { port: Number(/:(\d+)$/.exec(line)?.[1]), child };
  }
  throw new Error("the service said nothing");
}

function peakMemory({ child }: BuiltService): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}

/** A connection over which `count` requests are sent without waiting for a response. */
function flood({ port }: BuiltService, path: string, count: number): Socket {
  const socket = connect(port, "127.0.0.1");
  // The service resets the connection, because it does not read all requests.
  socket.on("error", () => undefined);
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

test.each(["/status", "/status.json", "/v1/sample"])(
  "a client that pipelines thousands of requests for %s is disconnected, and the others are served",
  async (path) => {
    const service = await builtService();

    const socket = flood(service, path, FLOOD);
    const other = await fetch(`http://127.0.0.1:${service.port}/errors.json`);
    await closed(socket);

    expect(other.status).toBe(200);
    expect(peakMemory(service)).toBeLessThan(MEMORY_BOUND);
  },
);

test("100 clients that each wait for 16 pages at once use little memory", async () => {
  const service = await builtService();
  const request = "GET /reference HTTP/1.1\r\nHost: x\r\n\r\n".repeat(16);

  await Promise.all(Array.from({ length: 100 }, () => send(service, request)));
  const other = await fetch(`http://127.0.0.1:${service.port}/v1/coverage`);

  expect(other.status).toBe(401);
  expect(peakMemory(service)).toBeLessThan(MEMORY_BOUND);
});

test("clients that never read their responses leave the service to the others", async () => {
  let served = 0;
  const service = await startTestService({
    rows: products(100, { title: "x".repeat(10_000) }),
    rateLimit: 1_000,
    faults: (store) => ({
      page: async (...given) => {
        const page = await store.page(...given);
        served += 1;
        return page;
      },
    }),
  });
  const port = Number(new URL(service.url).port);
  const request = `GET /v1/catalog HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n\r\n`.repeat(16);
  const sockets = [];
  while (sockets.length < 26) {
    sockets.push(await send({ port }, request));
    await expect.poll(() => served, { interval: 5, timeout: 10_000 }).toBe(16 * sockets.length);
  }

  const other = await service.get("/v1/coverage");

  expect(Math.max(...sockets.map(({ bytesRead }) => bytesRead))).toBeLessThan(16 * 1_000_000);
  expect(other.status).toBe(200);
});

test("after 300 cut POSTs, 300 bad chunk sizes and with 300 idle POSTs, /v1 answers and SIGTERM ends with 0", async () => {
  const service = await startBuiltService();
  const answer = async () => (await fetch(`http://127.0.0.1:${service.port}/v1/coverage`)).status;
  const send300 = (bytes: string) => Promise.all(Array.from({ length: 300 }, () => send(service, bytes)));

  for (const socket of await send300(`${POST}Content-Length: 9\r\n\r\nem`)) {
    socket.end();
    await closed(socket);
  }
  const afterCut = await answer();
  await Promise.all((await send300(`${POST}Transfer-Encoding: chunked\r\n\r\nZZ\r\nemail`)).map(closed));
  const afterChunks = await answer();
  const idle = await send300(`${POST}Content-Length: 9\r\n\r\nem`);
  const withIdle = await answer();
  const stillOpen = idle.filter(({ destroyed }) => !destroyed).length;
  service.child.kill("SIGTERM");
  const [code] = await once(service.child, "exit");

  // Without a key, an answer of the operation is 401; an overloaded service would send 503.
  expect({ afterCut, afterChunks, withIdle, stillOpen, code }).toEqual({
    afterCut: 401,
    afterChunks: 401,
    withIdle: 401,
    stillOpen: 300,
    code: 0,
  });
});
