import { expect, test } from "vitest";
import { startTestPortal } from "../../helpers/portal.ts";
import { products } from "../../helpers/products.ts";
import { exchange } from "../../helpers/raw-connections.ts";
import { startTestService } from "../../helpers/service.ts";

const close = "Host: x\r\nConnection: close\r\n";

test.each([
  ["garbage bytes", "\x00\x01\x02 nonsense\r\n\r\n"],
  ["another protocol", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["an oversized request line", `GET /v1/catalog?retailer=${"a".repeat(40_000)} HTTP/1.1\r\n${close}\r\n`],
  ["an oversized header", `GET /v1/catalog HTTP/1.1\r\nX: ${"a".repeat(40_000)}\r\n${close}\r\n`],
  ["a NUL byte in the request line", `GET /v1/catalog?retailer=\x00 HTTP/1.1\r\n${close}\r\n`],
  ["a line break in a header", `GET /v1/catalog HTTP/1.1\r\nX: a\nb\r\n${close}\r\n`],
  [
    "two lengths of one body",
    `POST /v1/catalog HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n${close}\r\n`,
  ],
  ["no host", "GET /v1/catalog HTTP/1.1\r\nConnection: close\r\n\r\n"],
  ["two hosts", `GET /v1/catalog HTTP/1.1\r\nHost: y\r\n${close}\r\n`],
  ["another version of HTTP", `GET /v1/catalog HTTP/2.0\r\n${close}\r\n`],
  ["an unknown transfer coding", `GET /v1/catalog HTTP/1.1\r\nTransfer-Encoding: xchunked\r\n${close}\r\n`],
  ["a chunk of no length", `GET /v1/catalog HTTP/1.1\r\nTransfer-Encoding: chunked\r\n${close}\r\nZZ\r\nabc\r\n`],
  ["a body", `GET /v1/catalog HTTP/1.1\r\nContent-Length: 3\r\n${close}\r\nabc`],
])("%s gets a problem as its response, and the service keeps running", async (_, bytes) => {
  const service = await startTestService();

  const [head = "", body = ""] = (await exchange(service, bytes)).split("\r\n\r\n");

  expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect(head).toMatch(/\r\ncontent-type: application\/problem\+json\r\n/);
  expect(head).toMatch(/\r\nratelimit-limit: 120\r\nratelimit-remaining: 120\r\nratelimit-reset: \d+/);
  expect(JSON.parse(body)).toMatchObject({ code: "invalid_request", status: 400 });
  expect((await service.get("/v1/coverage")).status).toBe(200);
});

test("a CONNECT request gets a problem as its response, and the service keeps running", async () => {
  const service = await startTestService();

  const received = await exchange(service, `CONNECT elsewhere:443 HTTP/1.1\r\n${close}\r\n`);

  const [head = "", body = ""] = received.split("\r\n\r\n");
  expect(head).toMatch(/^HTTP\/1\.1 404 Not Found\r\n(.*\r\n)*allow: GET, HEAD(\r\n|$)/);
  expect(JSON.parse(body)).toMatchObject({ code: "not_found", status: 404 });
  expect((await service.get("/v1/coverage")).status).toBe(200);
});

test("a page of the portal refuses a body with a page, and reports no failure of the service", async () => {
  const failures: unknown[] = [];
  const service = await startTestPortal({ onUnexpectedError: (error) => failures.push(error) });

  const received = await exchange(service, `GET /portal/sign-in HTTP/1.1\r\nContent-Length: 3\r\n${close}\r\nabc`);

  expect(received).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*A GET or HEAD request must not have a body/);
  expect(failures).toEqual([]);
});

test("garbage after a request never appears in its response", async () => {
  const service = await startTestService({ rows: products(500) });
  const request = `GET /v1/catalog?limit=500 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n\r\n`;

  const received = await exchange(service, `${request}\x00garbage\r\n\r\n`);

  expect(received).not.toContain("invalid_request");
});

test("a request with an unknown Expect header gets a response", async () => {
  const service = await startTestService();

  const received = await exchange(service, `GET /v1/sample HTTP/1.1\r\nExpect: tea\r\n${close}\r\n`);

  expect(received).toMatch(/^HTTP\/1\.1 401 /);
});

test("an unknown absolute URL under /v1 gets the rate limit headers", async () => {
  const service = await startTestService();

  const received = await exchange(service, `GET http://any.example/v1/nowhere HTTP/1.1\r\n${close}\r\n`);

  expect(received).toMatch(/^HTTP\/1\.1 404 Not Found\r\nratelimit-limit: 120\r\n/);
});

test.each(["/v2/catalog", "/v1/catalog/", "/v1/Catalog", "/v1/products", "/errors/x", "//v1/catalog"])(
  "there is nothing at %s",
  async (path) => {
    const service = await startTestService();

    const { status, body } = await service.get(path);

    expect([status, body.code]).toEqual([404, "not_found"]);
  },
);

test.each(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])(
  "%s is not_found, and Allow lists the allowed methods",
  async (method) => {
    const service = await startTestService();

    const { status, body, headers } = await service.get("/v1/catalog", { method });

    expect([status, body.code, headers.get("allow")]).toEqual([404, "not_found", "GET, HEAD"]);
  },
);

test.each(["application/json", "text/odd"])(
  "a request with a body of %s gets a response before the body is read",
  async (type) => {
    const service = await startTestService();
    const request = `POST /v1/catalog HTTP/1.1\r\nContent-Type: ${type}\r\nContent-Length: 1000000000\r\n${close}\r\nbegin`;

    expect(await exchange(service, request)).toMatch(/^HTTP\/1\.1 404 /);
  },
);

test("HEAD gets the response of GET without the body", async () => {
  const service = await startTestService({ rows: products(2) });

  const [get, head] = [await service.get("/v1/catalog"), await service.get("/v1/catalog", { method: "HEAD" })];

  expect(head.text).toBe("");
  expect([head.status, head.headers.get("content-length")]).toEqual([200, String(Buffer.byteLength(get.text))]);
});

test("each request has a different id", async () => {
  const service = await startTestService({ rateLimit: 1_000 });

  const ids = await Promise.all(
    Array.from({ length: 50 }, async () => (await service.get("/v1/coverage")).body.meta.request_id),
  );

  expect(new Set(ids).size).toBe(50);
});

test("the error catalogue can be on another host", async () => {
  const own = await startTestService();
  const other = await startTestService({ errorBase: "https://docs.example" });

  expect((await own.get("/nowhere")).body.type).toBe(`${own.url}/errors#not_found`);
  expect((await other.get("/nowhere")).body.type).toBe("https://docs.example/errors#not_found");
});
