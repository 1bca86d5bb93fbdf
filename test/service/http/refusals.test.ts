import { expect, test } from "vitest";
import { oneRowEach } from "../../helpers/products.ts";
import { closed, exchange, send } from "../../helpers/raw-connections.ts";
import { sharedService, startTestService } from "../../helpers/service.ts";

const shared = sharedService({ rows: oneRowEach("acme:lamps:home") });

test("a path that leads nowhere, or cannot be decoded, is a problem that nothing keeps", async () => {
  const service = await shared();
  const paths = [
    "/v1/nowhere?a",
    "/v2/catalog",
    "/v1/catalog/",
    "/v1/Catalog",
    "/errors/x",
    "//v1/catalog",
    "/**",
    "/v1/%zz",
  ];

  const responses = await Promise.all(paths.map((path) => service.get(path)));

  const NOTHING = [404, "There is nothing at this path.", "no-store"];
  expect(responses.map(({ status, body, headers }) => [status, body.detail, headers.get("cache-control")])).toEqual([
    ...Array(7).fill(NOTHING),
    [400, "The path is not valid percent-encoded text.", "no-store"],
  ]);
});

test("the problem of a wrong method names it, and Allow lists the allowed ones", async () => {
  const service = await shared();
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    const { body, headers } = await service.get("/v1/catalog?limit=1", { method });

    expect({ code: body.code, detail: body.detail, allow: headers.get("allow") }).toEqual({
      code: "not_found",
      detail: `The method ${method} is not available at this path.`,
      allow: "GET, HEAD",
    });
  }
});

const END = "Host: x\r\nConnection: close\r\n\r\n";
const LATE = "The request did not arrive in time.";
const NO_HTTP = "The bytes received are not an HTTP request.";
const TOO_LONG = "The request line and headers are longer than 16 KiB.";
const TWO_HOSTS = "The request has more than one Host header.";

test.each([
  ["garbage", "nonsense\r\n\r\n", NO_HTTP],
  ["bytes that are no text", "\x00\x01\x02 nonsense\r\n\r\n", NO_HTTP],
  ["another protocol", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", NO_HTTP],
  ["a NUL byte in the request line", `GET /v1/catalog?retailer=\x00 HTTP/1.1\r\n${END}`, NO_HTTP],
  ["a line break in a header", `GET /v1/catalog HTTP/1.1\r\nX: a\nb\r\n${END}`, NO_HTTP],
  [
    "two lengths of one body",
    `POST /v1/catalog HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n${END}`,
    NO_HTTP,
  ],
  ["an unknown transfer coding", `GET /v1/catalog HTTP/1.1\r\nTransfer-Encoding: xchunked\r\n${END}`, NO_HTTP],
  ["a chunk of no length", `GET /v1/catalog HTTP/1.1\r\nTransfer-Encoding: chunked\r\n${END}ZZ\r\nabc\r\n`, NO_HTTP],
  [
    "a body",
    `GET /v1/catalog HTTP/1.1\r\nContent-Length: 3\r\n${END}abc`,
    "A GET or HEAD request must not have a body.",
  ],
  ["a body of a HEAD", `HEAD / HTTP/1.1\r\nContent-Length: 1\r\n${END}a`, undefined],
  ["a long request line", `GET /v1/catalog?retailer=${"a".repeat(40_000)} HTTP/1.1\r\n${END}`, TOO_LONG],
  ["a long header", `GET / HTTP/1.1\r\nX: ${"a".repeat(17_000)}\r\n${END}`, TOO_LONG],
  ["a very long header", `GET / HTTP/1.1\r\nX: ${"a".repeat(70_000)}\r\n${END}`, TOO_LONG],
  ["another version", `GET / HTTP/2.0\r\n${END}`, "The service supports HTTP/1.1, not HTTP/2.0."],
  ["no host", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n", "The request has no Host header."],
  ["two hosts", `GET / HTTP/1.1\r\nHost: y\r\n${END}`, TWO_HOSTS],
  ["two hosts of HTTP/1.0", `GET / HTTP/1.0\r\nhost: y\r\n${END}`, TWO_HOSTS],
  [
    "a fragment",
    `GET /v1/catalog?limit=1#a HTTP/1.1\r\nAuthorization: Bearer KEY\r\n${END}`,
    'A request target has no fragment. Write "#" in a value as %23.',
  ],
  ["a tunnel", `CONNECT a:1 HTTP/1.1\r\n${END}`, "The method CONNECT is not available at this path."],
  ["a request that never ends", "GET / HTTP/1.1\r\nHost: x\r\n", LATE],
])("the problem of %s says what is wrong, the connection ends, and the service goes on", async (_, bytes, detail) => {
  const service = await (detail === LATE ? startTestService({ requestTimeout: 300 }) : shared());

  const received = await exchange(service, bytes.replace("KEY", service.key));

  const [head = "", body = ""] = received.split("\r\n\r\n");
  expect(head).toMatch(/^HTTP\/1\.1 4\d\d .+(\r\n.+)*\r\nconnection: close(\r\n|$)/i);
  for (const header of ["date: .+ GMT", "cache-control: no-store", "content-type: application/problem\\+json"]) {
    expect(head).toMatch(new RegExp(`\r\n${header}(\r\n|$)`, "i"));
  }
  const { detail: said, field } = body === "" ? {} : JSON.parse(body);
  expect({ said, field }).toEqual({ said: detail, field: detail?.includes("Host header") ? "Host" : undefined });
  expect((await service.get("/v1/coverage")).status).toBe(200);
});

test.each([
  ["sample", "a long header", 30, `X: ${"a".repeat(17_000)}\r\n`],
  ["sample", "a line break in a header", 30, "X: a\nb\r\n"],
  ["catalog", "a line break in a header", 120, "X: a\nb\r\n"],
])("a %s with %s gets its limit, %i", async (operation, _, limit, headers) => {
  expect(await exchange(await shared(), `GET /v1/${operation} HTTP/1.1\r\n${headers}${END}`)).toMatch(
    new RegExp(`^HTTP/1\\.1 400 (.+\r\n)*ratelimit-limit: ${limit}\r\nratelimit-remaining: ${limit}\r\n`),
  );
});

test("HTTP/1.0 needs no Host header, and a header named as its value is none", async () => {
  const service = await shared();

  const received = await exchange(service, "GET /errors.json HTTP/1.0\r\nX: Host\r\nY: host\r\n\r\n");

  expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
});

test.each([
  ["http://any.example", 200],
  ["HTTPS://any.example?a", 200],
  ["/page?at=http://any.example", 404],
])("the target %s leads to a page with status %d", async (target, status) => {
  const service = await shared();

  expect(await exchange(service, `GET ${target} HTTP/1.1\r\n${END}`)).toMatch(`HTTP/1.1 ${status} `);
});

test("a client that waits for 17 responses at once is disconnected", async () => {
  let asked = 0;
  const service = await startTestService({
    faults: () => ({
      snapshot: () => {
        asked += 1;
        return new Promise(() => {});
      },
    }),
  });
  const request = `GET /v1/coverage HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n\r\n`;

  const socket = await send({ port: Number(new URL(service.url).port) }, request.repeat(20));
  await closed(socket);

  expect(socket.bytesRead).toBe(0);
  expect(asked).toBeLessThanOrEqual(16);
});

test("operators' answers and the status are not kept", async () => {
  const service = await startTestService();

  const kept = await Promise.all(
    ["/healthz", "/readyz", "/status.json", "/api/status.json"].map(async (path) =>
      (await fetch(service.url + path)).headers.get("cache-control"),
    ),
  );

  expect(kept).toEqual(["no-store", "no-store", "no-cache", "no-cache"]);
});
