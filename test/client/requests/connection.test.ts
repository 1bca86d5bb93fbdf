import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { connectionsTo } from "../../../src/client/requests/proxy.ts";
import { ApiError, NetworkError } from "../../../src/contract/errors.ts";
import { answer, type Behaviour, head, stallInBody, startFaultServer } from "../../helpers/fault-server.ts";
import { closeAfterTest, failureOf, ok, start, testClient } from "../../helpers/test-client.ts";

test("successive requests share one connection, and parallel ones use one each", async () => {
  const { client, server } = await start(() => ok);
  const inTurn = async () => {
    for (let number = 0; number < 10; number += 1) {
      await client.catalog({});
    }
  };
  await inTurn();
  expect(server.connections()).toBe(1);
  await Promise.all(Array.from({ length: 8 }, inTurn));
  expect(server.connections()).toBeLessThanOrEqual(8);
});

test("headers that are too long are named in the error", async () => {
  const { client, server } = await start([answer({ headers: { "x-long": "x".repeat(20_000) } })], { retries: 0 });
  const what = "the headers of the response are too long (HPE_HEADER_OVERFLOW)";
  expect(await failureOf(client.catalog({}))).toStrictEqual(
    new NetworkError(`No complete response from ${server.url.origin}: ${what}`),
  );
});

test("a body whose chunks are not HTTP is named in the error", async () => {
  const damaged: Behaviour = (socket) => {
    socket.end(`${head(200, { "transfer-encoding": "chunked" })}5\r\n{"dat\r\nno length\r\n`);
  };
  const { client, server } = await start([damaged], { retries: 0 });
  const what = "the response is not HTTP (HPE_INVALID_CHUNK_SIZE)";
  expect(await failureOf(client.catalog({}))).toStrictEqual(
    new NetworkError(`No complete response from ${server.url.origin}: ${what}`),
  );
});

test("a redirect is refused, the error names the target's origin without its query, and the target does not get the key", async () => {
  const other = await startFaultServer([]);
  const location = `${other.url}v1/catalog?token=secret`;
  const { client, server } = await start([answer({ status: 302, headers: { location } })]);
  const error = await failureOf(client.catalog({}));
  const message = `${server.url.origin} redirects to ${other.url.origin}, where the key must not go: correct the base URL`;
  expect(error).toStrictEqual(new ApiError(message, { status: 302, problem: {} }));
  expect(other.requests).toEqual([]);
});

test("a response that switches to another protocol is an error, and ends the wait for it", async () => {
  const { client, server } = await start([answer({ status: 101, headers: { connection: "upgrade", upgrade: "h2c" } })]);
  const message = `${server.url.origin} answered 101: Switching Protocols (unreadable body)`;
  expect(await failureOf(client.catalog({}))).toStrictEqual(new ApiError(message, { status: 101, problem: {} }));
});

test("a refused connection is retried and then reported", async () => {
  const { server, client, waits } = await start([], { retries: 2 });
  await server.close();
  const message = `No response from ${server.url.origin}: the connection was refused (ECONNREFUSED) (after 3 attempts)`;
  expect(await failureOf(client.catalog({}))).toStrictEqual(new NetworkError(message));
  expect(waits).toEqual([250, 500]);
});

test("the client's signal ends an open request with its reason", async () => {
  const abort = new AbortController();
  const stop = new Error("stop");
  const interrupt: Behaviour = () => abort.abort(stop);
  const { client } = await start([interrupt], { signal: abort.signal });
  expect(await failureOf(client.catalog({}))).toBe(stop);
});

test("the client's signal ends a connection attempt that never succeeds", { timeout: 10_000 }, async () => {
  const abort = new AbortController();
  const stop = new Error("stop");
  const silent = createServer(() => abort.abort(stop));
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const options = { signal: abort.signal, requestTimeout: 60_000 };
  const { client } = testClient(new URL(`https://127.0.0.1:${port}`), options);
  closeAfterTest(client, { close: async () => void silent.close() });
  expect(await failureOf(client.catalog({}))).toBe(stop);
});

test("many parallel calls with one signal raise no warning", async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on("warning", onWarning);
  const { client } = await start(() => ok, { signal: new AbortController().signal });
  await Promise.all(Array.from({ length: 30 }, () => client.catalog({})));
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
});

test("a call's own signal ends it while its body is read", async () => {
  const abort = new AbortController();
  const interrupt: Behaviour = (socket, request) => {
    stallInBody()(socket, request);
    setImmediate(() => abort.abort("enough"));
  };
  const { client } = await start([interrupt]);
  expect(await failureOf(client.catalog({}, {}, abort.signal))).toBe("enough");
});

test("a target that NO_PROXY names is reached directly", async () => {
  const { client, server } = await start([ok], { env: { HTTP_PROXY: "http://127.0.0.1:1", no_proxy: "127.0.0.1" } });
  await client.catalog({});
  expect(server.requests.length).toBe(1);
});

const exempted = (host: string, NO_PROXY: string) =>
  connectionsTo(new URL(`https://${host}:8443`), { https_proxy: "proxy", NO_PROXY }, 1).proxy === undefined;

test.each([
  ["[::1]", "[::1]:8443"],
  ["[::1]", "::1"],
  ["[::1]", "[::1]"],
  ["[fd00::7]", "FD00:0::7"],
  ["[fd00::7]", "fd00::/8"],
  ["10.1.2.3", "10.1.2.3:8443"],
  ["10.1.2.3", "192.168.0.0/16,10.0.0.0/8"],
  ["api.catalog.example", "*"],
  ["api.catalog.example", "other.example .Catalog.example"],
  ["api.catalog.example", "*.catalog.example."],
  ["api.catalog.example.", "catalog.example:8443"],
  ["b\u00fccher.example", "B\u00fccher.example"],
])("a service at %s is exempt by NO_PROXY=%s", (host, list) => {
  expect(exempted(host, list)).toBe(true);
});

test.each([
  ["api.catalog.example", "catalog.example:443"],
  ["api.catalog.example", "ample"],
  ["api.catalog.example", "xcatalog.example"],
  ["api.catalog.example", ""],
  ["api.catalog.example", ".,*.,:8443"],
  ["10.1.2.3", "1.2.3"],
  ["10.1.2.3", "10.1.2.0/99,10.1.2.3/,10.1.2.0/x,10.1.2.4/32,fd00::/8"],
  ["[::1]", "::2,[::1]:443,1"],
])("a service at %s is not exempt by NO_PROXY=%s", (host, list) => {
  expect(exempted(host, list)).toBe(false);
});

test.each([
  ["https://catalog.example", "catalog.example:443", undefined],
  ["https://catalog.example", "catalog.example:80", "http://proxy"],
  ["http://catalog.example", "catalog.example:80", undefined],
  ["http://catalog.example", "catalog.example:443", "http://proxy"],
])("a service at %s has the port of its scheme: NO_PROXY=%s", (address, NO_PROXY, origin) => {
  const env = { https_proxy: "proxy", http_proxy: "proxy", NO_PROXY };
  expect(connectionsTo(new URL(address), env, 1).proxy?.origin).toBe(origin);
});

test("a proxy is named by its variable", () => {
  const proxy = { origin: "http://proxy", variable: "https_proxy" };
  expect(connectionsTo(new URL("https://catalog.example"), { https_proxy: "proxy" }, 1).proxy).toEqual(proxy);
});
