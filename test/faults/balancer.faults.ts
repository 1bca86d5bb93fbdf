import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { problemSchema } from "../../src/contract/problems.ts";
import { openStore } from "../../src/service/store/store.ts";
import { startCatalog, temporaryFolder } from "../helpers/cli.ts";
import { freePort } from "../helpers/free-port.ts";
import { products } from "../helpers/products.ts";
import { check } from "../helpers/responses.ts";
import { startInstance, startTestService } from "../helpers/service.ts";

/** HAProxy with the configuration of the page, on a free port without TLS, in front of two services. */
async function startBalancer(services: readonly { url: string }[]): Promise<string> {
  const page = await readFile(new URL("../../docs/operation.md", import.meta.url), "utf8");
  const [, configuration = ""] = /```haproxy\n(.+?)```/s.exec(page) ?? [];
  const port = await freePort();
  const servers = services.map(
    ({ url }, index) => `server s${index} ${new URL(url).host} check inter 500ms fall 1 rise 1`,
  );
  const path = join(await temporaryFolder(), "haproxy.cfg");
  await writeFile(
    path,
    configuration
      .replace(/bind :443 .*/, `bind 127.0.0.1:${port}`)
      .replace(/(?:^ {2}server .*\n)+/m, `${servers.join("\n")}\n`),
  );
  const child = spawn("haproxy", ["-db", "-q", "-f", path], { stdio: "ignore" });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await once(child, "close");
  });
  const url = `http://127.0.0.1:${port}`;
  await expect.poll(() => statusOf(`${url}/readyz`), { timeout: 10_000 }).toBe(200);
  return url;
}

const statusOf = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { headers }).then(
    ({ status }) => status,
    (error: Error) => error.message,
  );

/** Two services on one database, which trust the balancer, and a key. */
async function startInstances() {
  const database = join(await temporaryFolder(), "service.db");
  const options = { database, trustProxy: 1, drainDelay: 2_000, rateLimit: 1_000_000 };
  const one = await startTestService({ ...options, rows: products(3) });
  const two = await startInstance(await openStore(database), options);
  onTestFinished(two.close);
  return { services: [one, two], key: one.key };
}

test("behind the balancer of the page, clients cannot invent their address", async () => {
  const { services } = await startInstances();
  const url = await startBalancer(services);

  const statuses = [];
  for (let index = 1; index <= 21; index += 1) {
    const invented = { authorization: "Bearer wrong", "x-forwarded-for": `198.51.100.${index}` };
    statuses.push(await statusOf(`${url}/v1/coverage`, invented));
  }

  expect(statuses).toEqual([...Array(20).fill(401), 429]);
});

test("no request through the balancer fails while one instance closes, and then the other's absence is a problem", async () => {
  const { services, key } = await startInstances();
  const url = await startBalancer(services);
  const authorization = { authorization: `Bearer ${key}` };
  const seen = new Set<number | string>();
  let isClosed = false;
  const clients = Array.from({ length: 4 }, async () => {
    while (!isClosed) {
      seen.add(await statusOf(`${url}/v1/coverage`, authorization));
    }
  });

  await services[0]?.close();
  isClosed = true;
  await Promise.all(clients);
  await services[1]?.close();
  const response = await fetch(`${url}/v1/coverage`, { headers: authorization });

  expect([...seen]).toEqual([200]);
  expect({
    status: response.status,
    contentType: response.headers.get("content-type"),
    retryAfter: response.headers.get("retry-after"),
  }).toEqual({ status: 503, contentType: "application/problem+json", retryAfter: "5" });
  expect(response.headers.get("ratelimit-limit")).toBe("120");
  check(problemSchema, await response.json());
});

test("no request through the balancer fails while instances are killed and started again", async () => {
  const database = join(await temporaryFolder(), "service.db");
  const ports = [String(await freePort()), String(await freePort())] as const;
  const start = async (port: string) => {
    const child = startCatalog(["service", "start", "--port", port, "--database", database, "--log", "json"]);
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout ?? child, "data");
    return child;
  };
  const instances = [await start(ports[0]), await start(ports[1])];
  for (const { stderr } of instances) {
    stderr?.resume();
  }
  const url = await startBalancer(ports.map((port) => ({ url: `http://127.0.0.1:${port}` })));
  const seen = new Set<number | string>();
  let isOver = false;
  const clients = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      seen.add(await statusOf(`${url}/errors.json`));
    }
  });

  for (const index of [0, 1, 0, 1] as const) {
    const ended = once(instances[index] ?? expect.fail(), "exit");
    instances[index]?.kill("SIGKILL");
    await ended;
    instances[index] = await start(ports[index]);
    // The other one is killed only after the balancer has sent a request to this one again.
    for await (const line of createInterface({ input: instances[index]?.stderr ?? expect.fail() })) {
      if (line.includes('"route":"/errors.json"')) {
        break;
      }
    }
    instances[index]?.stderr?.resume();
  }
  isOver = true;
  await Promise.all(clients);

  expect([...seen]).toEqual([200]);
});
