import { expect, test } from "vitest";
import { startTestPortal } from "../../helpers/portal.ts";
import { products } from "../../helpers/products.ts";
import { exchange } from "../../helpers/raw-connections.ts";
import { startTestService } from "../../helpers/service.ts";

const close = "Host: x\r\nConnection: close\r\n";

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

test.each([
  ["/v1/sample?x", 30],
  ["/v1/sample/x", 30],
  ["/v1/sample-foo", 120],
])("a request of %s gets the headers of the bucket with %i requests", async (path, limit) => {
  const service = await startTestService();

  const received = await exchange(service, `GET ${path} HTTP/1.1\r\n${close}\r\n`);

  expect(received).toContain(`\r\nratelimit-limit: ${limit}\r\n`);
});

test("an unknown absolute URL under /v1 gets the rate limit headers", async () => {
  const service = await startTestService();

  const received = await exchange(service, `GET http://any.example/v1/nowhere HTTP/1.1\r\n${close}\r\n`);

  expect(received).toMatch(/^HTTP\/1\.1 404 Not Found\r\nratelimit-limit: 120\r\n/);
});

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
  expect({ status: head.status, contentLength: head.headers.get("content-length") }).toEqual({
    status: 200,
    contentLength: String(Buffer.byteLength(get.text)),
  });
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
