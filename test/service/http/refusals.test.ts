import { expect, test } from "vitest";
import { oneRowEach } from "../../helpers/products.ts";
import { closed, exchange, send } from "../../helpers/raw-connections.ts";
import { sharedService, startTestService } from "../../helpers/service.ts";

const long = "x".repeat(81);
const shared = sharedService({ rows: oneRowEach("acme:lamps:home", "bolt:rugs:home") });
const NOTHING = "There is nothing at this path.";

test.each([
  ["/v1/catalog?retailer=%20", "The parameter retailer is empty."],
  ["/v1/catalog?retailer=%0a", "The parameter retailer contains control characters."],
  ["/v1/catalog?category=a%01", "The parameter category contains control characters."],
  ["/v1/catalog?rcd=a:b:c,a:b", '"a:b" is not a retailer:category:department triple.'],
  ["/v1/catalog?rcd=a:b%01:c", '"a:b\\u0001:c" is not a retailer:category:department triple.'],
  ["/v1/catalog?start_date=2026-02-30", 'start_date "2026-02-30" is not a calendar date, YYYY-MM-DD.'],
  ["/v1/catalog?start_date=2026-02-02&end_date=2026-02-01", "start_date 2026-02-02 is later than end_date 2026-02-01."],
  ["/v1/catalog?limit=501", 'limit "501" is not a whole number from 1 to 500.'],
  ["/v1/catalog?limits=1", 'There is no parameter "limits" here.'],
  ["/v1/catalog?limit=1&limit=1", "The parameter limit was sent more than once."],
  ["/v1/catalog?retailer=%ff", "The parameter is not valid percent-encoded UTF-8."],
  ["/v1/catalog?cursor=x", "The cursor was not issued by this service."],
  ["/v1/catalog?retailer=acm", 'There is no retailer "acm".'],
  [`/v1/catalog?retailer=${long.slice(1)}`, `There is no retailer "${long.slice(1)}".`],
  [`/v1/catalog?retailer=${long}`, `There is no retailer "${"x".repeat(39)}…${"x".repeat(40)}".`],
  ["/v1/catalog?category=lamp", 'There is no category "lamp".'],
  ["/v1/catalog?retailer=acme&category=rugs", 'There is no category "rugs" at the retailer "acme".'],
  ["/v1/catalog?department=hom", 'There is no department "hom".'],
  ["/v1/catalog?rcd=acme:rugs:home", 'There is no combination "acme:rugs:home".'],
  ["/v1/%zz", "The path is not valid percent-encoded text."],
  ["/v1/nowhere?a", NOTHING],
  ["/v2/catalog", NOTHING],
  ["/v1/catalog/", NOTHING],
  ["/v1/Catalog", NOTHING],
  ["/errors/x", NOTHING],
  ["//v1/catalog", NOTHING],
])("the problem of %s says: %s", async (path, detail) => {
  const { status, body, headers } = await (await shared()).get(path);

  expect([status, body.detail, headers.get("cache-control")]).toEqual([
    detail === NOTHING ? 404 : 400,
    detail,
    "no-store",
  ]);
});

test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])(
  "the problem of %s names the method, and Allow lists the allowed ones",
  async (method) => {
    const { body, headers } = await (await shared()).get("/v1/catalog?limit=1", { method });

    expect([body.code, body.detail, headers.get("allow")]).toEqual([
      "not_found",
      `The method ${method} is not available at this path.`,
      "GET, HEAD",
    ]);
  },
);

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
  expect([said, field]).toEqual([detail, detail?.includes("Host header") ? "Host" : undefined]);
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
