import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { ApiError, ContractError, CredentialsError, NetworkError, UsageError } from "../../src/errors.ts";
import { COMBINATION, coverageBody, META, pageBody, problemBody } from "../helpers/envelopes.ts";
import {
  answer,
  type Behaviour,
  cutBody,
  endlessBody,
  garbage,
  head,
  type ReceivedRequest,
  resetConnection,
  stallBeforeHeaders,
  stallInBody,
  stallInHeaders,
  startFaultServer,
} from "../helpers/fault-server.ts";
import { KEY, type TestClient, testClient } from "../helpers/test-client.ts";

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((part) => part.close()));
});

/** A scripted server and a client of it, which end with the test. */
async function start(
  script: readonly Behaviour[] | ((request: ReceivedRequest) => Behaviour),
  options: Parameters<typeof testClient>[1] = {},
) {
  const server = await startFaultServer(script);
  const tested: TestClient = testClient(server.url, options);
  open.push(server, tested.client);
  return { server, ...tested };
}

/** What `work` fails with. */
async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

const RATE = { "ratelimit-limit": "120", "ratelimit-remaining": "119", "ratelimit-reset": "60" };
const PAGE = pageBody(['{"sku": "a", "mrp": 19.90}', '{"sku":"b","mrp":12345678901234567890}']);
const ROWS = ['{"sku": "a", "mrp": 19.90}', '{"sku":"b","mrp":12345678901234567890}'];
const ok = answer({ body: PAGE });

test("a page's rows are the text that the service sent", async () => {
  const { client } = await start([ok]);
  expect(await client.catalog({}, { limit: 100 })).toEqual({
    rows: ROWS,
    pagination: { limit: 100, total_matching: 2, next_cursor: null, has_more: false },
    meta: META,
  });
});

test("a sample has rows and an uncursored pagination", async () => {
  const body = `{"data":[${ROWS[0]}],"pagination":{"next_cursor":null,"has_more":false},"meta":${JSON.stringify(META)}}`;
  const { client } = await start([answer({ body })]);
  expect(await client.sample({})).toEqual({
    rows: [ROWS[0]],
    pagination: { next_cursor: null, has_more: false },
    meta: META,
  });
});

test("a coverage is its entries", async () => {
  const { client } = await start([answer({ body: coverageBody([COMBINATION]) })]);
  expect(await client.coverage({})).toEqual({ data: [COMBINATION], meta: META });
});

test("a request carries the key, what it accepts and who sends it", async () => {
  const { client, server } = await start([ok]);
  await client.catalog({}, { limit: 7 });
  expect(server.requests).toEqual([
    {
      method: "GET",
      target: "/v1/catalog?limit=7",
      headers: {
        host: server.url.host,
        connection: "keep-alive",
        authorization: `Bearer ${KEY}`,
        accept: "application/json, application/problem+json",
        "accept-encoding": "gzip, br",
        "user-agent": "test",
      },
    },
  ]);
});

test("requests one after another do not open a connection each", async () => {
  const { client, server } = await start(() => ok);
  for (let number = 0; number < 20; number += 1) {
    await client.catalog({});
  }
  // undici takes a connection for busy until the turn after its body's end.
  expect(server.connections()).toBeLessThanOrEqual(2);
});

test("a gzipped page is read", async () => {
  const gzipped = answer({ headers: { "content-encoding": "gzip" }, body: gzipSync(PAGE) });
  const { client } = await start([gzipped]);
  expect((await client.catalog({})).rows).toEqual(ROWS);
});

const once: [string, Behaviour][] = [
  ["a reset connection", resetConnection],
  ["an answer that is no HTTP", garbage],
  ["a body that is cut", cutBody(PAGE, 30)],
  ["a body that is cut where its length is not known", cutWithoutLength],
  [
    "a gzipped body that is cut",
    answer({ headers: { "content-encoding": "gzip" }, body: gzipSync(PAGE).subarray(0, 40) }),
  ],
  ["a body that is not UTF-8", answer({ body: Buffer.from([0x22, 0xff, 0x22]) })],
  ["a body that is not JSON", answer({ body: '{"data":[' })],
  ["an empty body", answer({})],
  ["a 503", answer({ status: 503, body: problemBody({ code: "service_unavailable", retryable: true }) })],
  ["a 502 of a gateway", answer({ status: 502, headers: { "content-type": "text/html" }, body: "<html>" })],
];

function cutWithoutLength(socket: Parameters<Behaviour>[0]): void {
  socket.end(`${head(200, { "content-type": "application/json", connection: "close" })}${PAGE.slice(0, 40)}`);
}

test.each(once)("after %s the request is sent again", async (_, behaviour) => {
  const { client, server, waits } = await start([behaviour, ok]);
  expect((await client.catalog({})).rows).toEqual(ROWS);
  expect({ requests: server.requests.length, waits }).toEqual({ requests: 2, waits: [250] });
});

const stalls: [string, Behaviour][] = [
  ["before the headers", stallBeforeHeaders],
  ["in the headers", stallInHeaders],
  ["in the body", stallInBody()],
];

test.each(stalls)("a server that stalls %s is given up after the timeout of one request", async (_, behaviour) => {
  const { client, server } = await start([behaviour, ok], { requestTimeout: 100 });
  expect((await client.catalog({})).rows).toEqual(ROWS);
  expect(server.requests.length).toBe(2);
});

test("a stall that lasts names the timeout of one request", async () => {
  const { client, server } = await start(() => stallInBody(), { requestTimeout: 50, retries: 1 });
  const message = `No complete answer from ${server.url.origin} within the 0.05 s of one request (after 2 attempts)`;
  expect(await failureOf(client.catalog({}))).toEqual(new NetworkError(message, { attempts: 2 }));
});

test("a call that takes too long as a whole names the total timeout", async () => {
  const { client, server } = await start(() => stallBeforeHeaders, { totalTimeout: 100 });
  const message = `No answer from ${server.url.origin} within the total timeout of 0.1 s (attempt 1)`;
  expect(await failureOf(client.catalog({}))).toEqual(new NetworkError(message, { attempts: 1 }));
});

test("a retry that would come after the total timeout is not waited for", async () => {
  const limited = answer({
    status: 429,
    headers: { "retry-after": "30" },
    body: problemBody({ code: "rate_limited", retryable: true }),
  });
  const { client, server, waits } = await start([limited], { totalTimeout: 20_000 });
  const error = await failureOf(client.catalog({}));
  const message = `${server.url.origin} answered 429 (rate_limited): Detail.; the next retry would be after the total timeout`;
  expect({ waits, message: (error as ApiError).message }).toEqual({ waits: [], message });
});

test("a 429 is waited out for as many seconds as it asks", async () => {
  const body = problemBody({ code: "rate_limited", retryable: true });
  const headers = { ...RATE, "ratelimit-remaining": "0", "ratelimit-reset": "7", "retry-after": "7" };
  const { client, waits } = await start([answer({ status: 429, headers, body }), ok]);
  await client.catalog({});
  // 7 s and a jitter of 250 ms, then what is left until the window is over wherever its seconds were rounded.
  expect(waits).toEqual([7250, 800]);
});

test("a 429 is waited out until the date that it names", async () => {
  const headers = { "retry-after": "Thu, 01 Jan 2026 00:00:20 GMT" };
  const { client, waits } = await start([answer({ status: 429, headers }), ok]);
  await client.catalog({});
  expect(waits).toEqual([20_250]);
});

test("what fails to the last is the service's problem document, with the attempts counted", async () => {
  const problem = { code: "service_unavailable", retryable: true, status: 503, detail: "Down." } as const;
  const down = answer({ status: 503, body: problemBody(problem) });
  const { client, server } = await start([down, down, down], { retries: 2 });
  const error = await failureOf(client.catalog({}));
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    message: `${server.url.origin} answered 503 (service_unavailable): Down. (after 3 attempts)`,
    status: 503,
    attempts: 3,
    problem: JSON.parse(problemBody(problem)),
  });
});

test("a vocabulary error is not retried and keeps its suggestions", async () => {
  const body = problemBody({ code: "unknown_retailer", retryable: false, field: "retailer", valid_options: ["acme"] });
  const { client, server } = await start([answer({ status: 400, body })]);
  const error = await failureOf(client.catalog({ retailer: "acm" }));
  expect(error).toMatchObject({ status: 400, attempts: 1, problem: { field: "retailer", valid_options: ["acme"] } });
  expect(server.requests.length).toBe(1);
});

test("an error page that stalls is still told by its status", async () => {
  const { client } = await start([stallInBody(403, "<html>")], { requestTimeout: 100 });
  expect(await failureOf(client.catalog({}))).toMatchObject({ status: 403, attempts: 1, problem: {} });
});

test("an endless error body is given up", async () => {
  const { client } = await start([endlessBody(400)]);
  expect(await failureOf(client.catalog({}))).toMatchObject({ status: 400, attempts: 1 });
});

test("a redirect is refused with its target's origin and without its query, and the key stays", async () => {
  const other = await startFaultServer([]);
  open.push(other);
  const location = `${other.url}v1/catalog?token=secret`;
  const { client, server } = await start([answer({ status: 302, headers: { location } })]);
  const error = await failureOf(client.catalog({}));
  const message = `${server.url.origin} redirects to ${other.url.origin}, where the key must not go: correct the base URL`;
  expect(error).toEqual(new ApiError(message, { status: 302, problem: {}, attempts: 1 }));
  expect(other.requests).toEqual([]);
});

test("a web page with status 200 is named as such", async () => {
  const body = "<!doctype html><title>Airport\n Wi-Fi</title>";
  const { client } = await start([answer({ headers: { "content-type": "text/html; charset=utf-8" }, body })]);
  const error = await failureOf(client.catalog({}));
  expect(error).toBeInstanceOf(ContractError);
  expect((error as Error).message).toContain("a web page (“Airport Wi-Fi”) instead of JSON");
});

test("a success other than 200 is none", async () => {
  const { client } = await start([answer({ status: 202 })]);
  expect(await failureOf(client.catalog({}))).toBeInstanceOf(ContractError);
});

test("a 401 for a key that is visibly wrong says what is wrong with it, and not the key", async () => {
  const apiKey = `Bearer ${KEY}`;
  const body = problemBody({ code: "invalid_credentials", retryable: false, detail: `No such key: ${apiKey}` });
  const { client } = await start([answer({ status: 401, body })], { apiKey });
  const error = await failureOf(client.catalog({}));
  expect(error).toMatchObject({
    status: 401,
    keyFlaw: "it starts with the word `Bearer`, which the tool adds by itself",
  });
  expect(JSON.stringify(error) + String(error)).not.toContain(KEY);
});

test("a key that no header can carry is refused before any request", () => {
  expect(() => testClient(new URL("http://127.0.0.1:1"), { apiKey: `${KEY}\n` })).toThrow(CredentialsError);
});

test("a name that nobody knows is final at once", async () => {
  const { client } = testClient(new URL("http://no-such-host.invalid"), { requestTimeout: 5000 });
  open.push(client);
  const error = await failureOf(client.catalog({}));
  expect(error).toBeInstanceOf(NetworkError);
  expect(error).toMatchObject({ attempts: expect.any(Number) });
});

test("a connection that is refused is tried again and then named", async () => {
  const { server, client, waits } = await start([], { retries: 2 });
  await server.close();
  open.splice(open.indexOf(server), 1);
  const message = `No answer from ${server.url.origin}: the connection was refused (ECONNREFUSED) (after 3 attempts)`;
  expect(await failureOf(client.catalog({}))).toEqual(new NetworkError(message, { attempts: 3 }));
  expect(waits).toEqual([250, 500]);
});

test("the client's signal ends a request under way with its reason", async () => {
  const abort = new AbortController();
  const stop = new Error("stop");
  const interrupt: Behaviour = () => abort.abort(stop);
  const { client } = await start([interrupt], { signal: abort.signal });
  expect(await failureOf(client.catalog({}))).toBe(stop);
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

test("the events tell each request, answer, fault and wait, and never the key", async () => {
  const body = problemBody({ code: "service_unavailable", retryable: true });
  const down = answer({ status: 503, headers: RATE, body });
  const { client, events } = await start([resetConnection, down, answer({ headers: RATE, body: PAGE })]);
  await client.catalog({}, { limit: 100 });
  const facts = { operation: "catalog", target: "/v1/catalog?limit=100" };
  const fault = expect.stringMatching(/the connection was (reset|closed)/);
  expect(events).toEqual([
    { type: "request", method: "GET", ...facts, attempt: 1 },
    { type: "fault", ...facts, attempt: 1, milliseconds: 0, message: fault },
    { type: "wait", reason: "retry", milliseconds: 250, code: undefined },
    { type: "request", method: "GET", ...facts, attempt: 2 },
    {
      type: "answer",
      ...facts,
      attempt: 2,
      status: 503,
      milliseconds: 0,
      bytes: body.length,
      requestId: "req-9",
      remaining: 119,
    },
    { type: "wait", reason: "retry", milliseconds: 500, code: "service_unavailable" },
    { type: "request", method: "GET", ...facts, attempt: 3 },
    {
      type: "answer",
      ...facts,
      attempt: 3,
      status: 200,
      milliseconds: 0,
      bytes: PAGE.length,
      requestId: "req-1",
      remaining: 119,
    },
  ]);
  expect(JSON.stringify(events)).not.toContain(KEY);
});

test("an http target goes through HTTP_PROXY, unless NO_PROXY names it", async () => {
  const proxy = await startFaultServer([ok]);
  open.push(proxy);
  const env = { http_proxy: `127.0.0.1:${proxy.url.port}`, NO_PROXY: "direct.example" };
  const { client } = testClient(new URL("http://catalog.invalid/api"), { env });
  open.push(client);
  await client.catalog({});
  expect(proxy.requests.map((request) => request.target)).toEqual(["http://catalog.invalid/api/v1/catalog"]);
});

test("a target that NO_PROXY names is reached directly", async () => {
  const { client, server } = await start([ok], { env: { HTTP_PROXY: "http://127.0.0.1:1", no_proxy: "127.0.0.1" } });
  await client.catalog({});
  expect(server.requests.length).toBe(1);
});

test("an https target gets a tunnel, which a proxy that asks for a password refuses for good, and no key", async () => {
  const proxy = await startFaultServer([answer({ status: 407 })]);
  open.push(proxy);
  const { client } = testClient(new URL("https://catalog.invalid"), { env: { HTTPS_PROXY: proxy.url.href } });
  open.push(client);
  const message = "The proxy refused the connection to https://catalog.invalid with status 407";
  expect(await failureOf(client.catalog({}))).toEqual(new NetworkError(message, { attempts: 1 }));
  const { method, target, headers } = proxy.requests[0] ?? {};
  expect({ method, target, key: headers?.authorization }).toEqual({
    method: "CONNECT",
    target: "catalog.invalid:443",
    key: undefined,
  });
});

test("a proxy that is no URL is named without its value", () => {
  const env = { HTTP_PROXY: "http://user:secret@[" };
  const create = () => testClient(new URL("http://catalog.invalid"), { env });
  expect(create).toThrow(new UsageError("HTTP_PROXY is not the URL of a proxy."));
});
