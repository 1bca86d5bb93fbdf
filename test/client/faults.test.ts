import { once } from "node:events";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { ApiError, ContractError, NetworkError } from "../../src/contract/errors.ts";
import { pageBody, problemBody } from "../helpers/envelopes.ts";
import {
  answer,
  type Behaviour,
  cutBody,
  endlessBody,
  garbage,
  head,
  resetConnection,
  type ScriptedAnswer,
  stallBeforeHeaders,
  stallInBody,
  stallInHeaders,
} from "../helpers/fault-server.ts";
import { productRow } from "../helpers/products.ts";
import { failureOf, ok, PAGE, ROWS, start } from "../helpers/test-client.ts";

const RATE = { "ratelimit-limit": "120", "ratelimit-remaining": "119", "ratelimit-reset": "60" };

const faults: [string, Behaviour][] = [
  ["a reset connection", resetConnection],
  ["a response that is no HTTP", garbage],
  ["a body that is cut", cutBody(PAGE, 30)],
  ["a body that is cut where its length is not known", cutWithoutLength],
  [
    "a gzipped body that is cut",
    answer({ headers: { "content-encoding": "gzip" }, body: gzipSync(PAGE).subarray(0, 40) }),
  ],
  ["a body that is not UTF-8", answer({ body: Buffer.from([0x22, 0xff, 0x22]) })],
  ["a body that is not JSON", answer({ body: '{"data":[' })],
  ["an empty body", answer({})],
  ["a page without pagination", answer({ body: JSON.stringify({ ...JSON.parse(PAGE), pagination: undefined }) })],
  ["a page with a row without title", answer({ body: pageBody([productRow({ title: undefined })]) })],
  ["a page with a number as title", answer({ body: pageBody([productRow({ title: "7" })]) })],
  ["a page with a row that is no object", answer({ body: pageBody(["7"]) })],
  ["a 503", answer({ status: 503, body: problemBody({ code: "service_unavailable", retryable: true }) })],
  ["a 502 of a gateway", answer({ status: 502, headers: { "content-type": "text/html" }, body: "<html>" })],
];

function cutWithoutLength(socket: Parameters<Behaviour>[0]): void {
  socket.end(`${head(200, { "content-type": "application/json", connection: "close" })}${PAGE.slice(0, 40)}`);
}

test.each(faults)("after %s, the request is sent again", async (_, behaviour) => {
  const { client, server, waits } = await start([behaviour, ok]);
  expect((await client.catalog({})).rows.texts()).toEqual(ROWS);
  expect({ requests: server.requests.length, waits }).toEqual({ requests: 2, waits: [250] });
});

test("a request to a server that stalls before, in or after the headers ends after the timeout of one request", async () => {
  const attempts = [stallBeforeHeaders, stallInHeaders, stallInBody()].map(async (stall) => {
    const { client, server } = await start([stall, ok], { requestTimeout: 1_000 });
    const { rows } = await client.catalog({});
    return { rows: rows.texts(), requests: server.requests.length };
  });
  expect(await Promise.all(attempts)).toEqual(Array(3).fill({ rows: ROWS, requests: 2 }));
});

test("the error for a permanent stall names the timeout of one request", async () => {
  const { client, server } = await start(() => stallInBody(), { requestTimeout: 50, retries: 1 });
  const message = `No complete response from ${server.url.origin} within the 0.05 s of one request (after 2 attempts)`;
  expect(await failureOf(client.catalog({}))).toStrictEqual(new NetworkError(message));
});

test("the client waits the number of seconds in a 429", async () => {
  const body = problemBody({ code: "rate_limited", retryable: true });
  const headers = { ...RATE, "ratelimit-remaining": "0", "ratelimit-reset": "7", "retry-after": "7" };
  const { client, waits } = await start([answer({ status: 429, headers, body }), ok]);
  await client.catalog({});
  // 7 s and a jitter of 250 ms, then what is left until the window is over wherever its seconds were rounded.
  expect(waits).toEqual([7250, 800]);
});

test("a window that lasts longer than the tool waits is an error", async () => {
  const headers = { "ratelimit-limit": "120", "ratelimit-remaining": "0", "ratelimit-reset": "1795305600" };
  const { client, server, waits } = await start([answer({ headers, body: PAGE })]);
  await client.catalog({});
  const left = "1795305602 s more; the tool waits for at most 900 s";
  const message = `The service's rate limit is spent, and its window lasts ${left}`;
  expect(await failureOf(client.catalog({}))).toStrictEqual(new NetworkError(message));
  expect({ requests: server.requests.length, waits }).toEqual({ requests: 1, waits: [] });
});

test("setting the wall clock back by an hour does not delay a request", async () => {
  let elapsed = 0;
  let wall = Date.UTC(2026, 0, 1);
  const waits: number[] = [];
  const headers = { ...RATE, "ratelimit-remaining": "0", "ratelimit-reset": "7" };
  const back: Behaviour = (socket, request) => {
    wall -= 3_600_000;
    answer({ headers, body: PAGE })(socket, request);
  };
  const { client, events } = await start(() => back, {
    now: () => wall,
    elapsed: () => elapsed,
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
      elapsed += milliseconds;
    },
  });
  await client.catalog({});
  await client.catalog({});
  expect(waits).toEqual([8050]);
  expect(events.flatMap((event) => (event.type === "response" ? event.milliseconds : []))).toEqual([0, 0]);
});

test("a problem document with status 200 is treated as an error", async () => {
  const problem = { code: "unknown_retailer", retryable: false, status: 400, detail: "No retailer acm." } as const;
  const headers = { "content-type": "application/problem+json; charset=utf-8" };
  const { client, server } = await start([answer({ headers, body: problemBody(problem) })]);
  expect(await failureOf(client.catalog({}))).toMatchObject({
    constructor: ApiError,
    message: `${server.url.origin} answered 200 (unknown_retailer): No retailer acm.`,
    problem: { code: "unknown_retailer" },
  });
});

test("a body that is too long for the requested rows is refused", async () => {
  const body = pageBody([productRow({ sku: JSON.stringify("x".repeat(1_200_000)) })]);
  const { client, server } = await start(() => answer({ body }));
  const message = `${server.url.origin} sent a body of more than 1 MiB, the longest that is accepted; --max-body allows a longer one.`;
  expect(await failureOf(client.catalog({}, { limit: 10 }))).toStrictEqual(new ContractError(message));
  expect((await client.catalog({}, { limit: 500 })).rows.length).toBe(1);
});

test("a body of exactly the greatest length is read, whose headers say that it has no encoding", async () => {
  const headers = { "content-encoding": "identity" };
  const { client } = await start([answer({ headers, body: PAGE })], { maxBody: PAGE.length });
  expect((await client.catalog({})).rows.texts()).toEqual(ROWS);
});

test("a body longer than 1 MiB is accepted with a higher limit", async () => {
  const body = pageBody([productRow({ sku: JSON.stringify("x".repeat(1_200_000)) })]);
  const { client } = await start([answer({ body })], { maxBody: 2_000_000 });
  expect((await client.catalog({}, { limit: 10 })).rows.length).toBe(1);
});

test("the error after the last attempt is the service's problem document, with the number of attempts", async () => {
  const problem = { code: "service_unavailable", retryable: true, status: 503, detail: "Down." } as const;
  const down = answer({ status: 503, body: problemBody(problem) });
  const { client, server } = await start([down, down, down], { retries: 2 });
  const error = await failureOf(client.catalog({}));
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    message: `${server.url.origin} answered 503 (service_unavailable): Down. (after 3 attempts)`,
    status: 503,
    problem: JSON.parse(problemBody(problem)),
  });
});

test("the error for a page that breaks the contract at every attempt names the violation and the number of attempts", async () => {
  const body = pageBody(ROWS, { has_more: "no" });
  const { client, server, waits } = await start(() => answer({ body }), { retries: 2 });
  const what = "`pagination.has_more` is not true or false (request req-1) (after 3 attempts)";
  const error = new ContractError(`The service's response breaks its contract: ${what}`, "req-1", true);
  expect(await failureOf(client.catalog({}))).toEqual(error);
  expect({ requests: server.requests.length, waits }).toEqual({ requests: 3, waits: [250, 500] });
});

test("a response with other filters than those sent is not retried", async () => {
  const { client, server } = await start([ok]);
  expect(await failureOf(client.catalog({ retailer: "acme" }))).toMatchObject({
    constructor: ContractError,
    damaged: false,
  });
  expect(server.requests.length).toBe(1);
});

test("an error page that stalls is still reported with its status", async () => {
  const { client, server } = await start([stallInBody(403, "<html>")], { requestTimeout: 1_000 });
  expect(await failureOf(client.catalog({}))).toMatchObject({ status: 403, problem: {} });
  expect(server.requests.length).toBe(1);
});

test("reading of an endless error body stops", async () => {
  const { client, server } = await start([endlessBody(400)]);
  expect(await failureOf(client.catalog({}))).toMatchObject({ status: 400 });
  expect(server.requests.length).toBe(1);
});

test("a body in an encoding that was not offered is refused and its connection is closed", async () => {
  const closed: Promise<unknown>[] = [];
  const packed: Behaviour = (socket) => {
    closed.push(once(socket, "close"));
    socket.write(head(200, { "content-encoding": "rot13", "content-length": 100_000 }));
  };
  const { client, server } = await start([packed]);
  const message = `${server.url.origin} sent a body with unknown Content-Encoding "rot13".`;
  expect(await failureOf(client.catalog({}))).toStrictEqual(new ContractError(message));
  await Promise.all(closed);
  expect(closed.length).toBe(1);
});

test.each([
  [302, "redirects to https://other.example"],
  [202, "answered 202, but the contract knows no success other than 200."],
])("the body of a %d is not waited for, and its connection is closed", async (status, what) => {
  const closed: Promise<unknown>[] = [];
  const endless: Behaviour = (socket) => {
    closed.push(once(socket, "close"));
    socket.write(head(status, { location: "https://other.example", "content-length": 100_000 }));
  };
  const { client } = await start([endless], { requestTimeout: 60_000 });
  expect(((await failureOf(client.catalog({}))) as Error).message).toContain(what);
  await Promise.all(closed);
  expect(closed.length).toBe(1);
});

test("the error for a wait of hours says how long the service asks to wait", async () => {
  const { client, server } = await start([answer({ status: 503, headers: { "retry-after": "7200" } })]);
  expect(await failureOf(client.catalog({}))).toMatchObject({
    message: `${server.url.origin} answered 503: Service Unavailable (empty body); the service asks to wait 7200 s`,
  });
});

test.each<[string, ScriptedAnswer, number[]]>([
  ["a 429 stops all requests as long as it asks for", { status: 429, headers: { "retry-after": "100" } }, [100_000]],
  ["a 429 stops all for a quarter of an hour at most", { status: 429, headers: { "retry-after": "900" } }, [900_000]],
  ["a 429 that asks for more stops only its own", { status: 429, headers: { "retry-after": "901" } }, []],
  ["a 429 that asks for nothing stops only its own", { status: 429 }, []],
  ["a 503 stops only its own", { status: 503, headers: { "retry-after": "100" } }, []],
])("%s", async (_, refusal, expected) => {
  const { client, waits, events } = await start([answer(refusal), ok], { retries: 0 });
  expect(await failureOf(client.catalog({}))).toMatchObject({ status: refusal.status });
  await client.catalog({});
  expect(waits).toEqual(expected);
  expect(events.filter(({ type }) => type === "wait")).toEqual(
    expected.map((milliseconds) => ({ type: "wait", reason: "rate limit", milliseconds, code: undefined })),
  );
});

test.each<[string, ScriptedAnswer, string]>([
  [
    "a 404 of a server",
    { status: 404 },
    "There is no catalog service at ORIGIN; check the base URL. ORIGIN answered 404: Not Found (empty body)",
  ],
  [
    "a 404 of a service",
    { status: 404, body: problemBody({ code: "not_found", detail: "No such path.", retryable: false }) },
    "ORIGIN has nothing at this path (check the base URL), or what the request names is not visible to the team of this key. ORIGIN answered 404 (not_found): No such path.",
  ],
  [
    "a 404 with another code",
    { status: 404, body: problemBody({ code: "unknown_retailer", detail: "No acme.", retryable: false }) },
    "ORIGIN answered 404 (unknown_retailer): No acme.",
  ],
  [
    "a 410 with the code of a 404",
    { status: 410, body: problemBody({ code: "not_found", detail: "Gone.", retryable: false }) },
    "ORIGIN answered 410 (not_found): Gone.",
  ],
  ["a 299", { status: 299 }, "ORIGIN answered 299, but the contract knows no success other than 200."],
  ["a 300 without a place", { status: 300 }, "ORIGIN answered 300: Multiple Choices (empty body)"],
  [
    "a 300 with a place",
    { status: 300, headers: { location: "/other?key=1" } },
    "ORIGIN redirects to another of its paths: correct the base URL",
  ],
  [
    "a redirect to another host",
    { status: 399, headers: { location: "https://other.example/path?key=1" } },
    "ORIGIN redirects to https://other.example, where the key must not go: correct the base URL",
  ],
  [
    "a redirect to nowhere",
    { status: 302, headers: { location: "https://[" } },
    "ORIGIN redirects to an unreadable address, where the key must not go: correct the base URL",
  ],
  [
    "a 400 with a place",
    { status: 400, headers: { location: "/other" } },
    "ORIGIN answered 400: Bad Request (empty body)",
  ],
  [
    "a web page without a title",
    { headers: { "content-type": "text/html" }, body: "<p>" },
    "There is no catalog service at ORIGIN; check the base URL. It answered with a web page (“untitled”), which may also be the login page of this network.",
  ],
  [
    "a web page with a title on two lines",
    { headers: { "content-type": "text/html; charset=utf-8" }, body: "<!doctype html><title>Airport\n Wi-Fi</title>" },
    "There is no catalog service at ORIGIN; check the base URL. It answered with a web page (“Airport Wi-Fi”), which may also be the login page of this network.",
  ],
  ["a body that is not JSON", { body: "{" }, "The response of ORIGIN is damaged: it is not JSON"],
  [
    "a body that is not UTF-8",
    { body: Buffer.from([0x22, 0xff, 0x22]) },
    "The response of ORIGIN is damaged: it is not UTF-8",
  ],
  [
    "an encoding twice",
    { headers: { "content-encoding": "gzip\r\ncontent-encoding: gzip" } },
    'ORIGIN sent a body with unknown Content-Encoding "gzip, gzip".',
  ],
])("the error for %s says what was answered", async (_, given, message) => {
  const { client, server } = await start([answer(given)], { retries: 0 });
  const { origin } = server.url;
  expect(((await failureOf(client.coverage({}))) as Error).message).toBe(message.replaceAll("ORIGIN", origin));
});

test("the error for a 431 describes the flaw of the key, and that of a 403 does not", async () => {
  const { client } = await start([answer({ status: 431 }), answer({ status: 403 })], { apiKey: "short key" });
  expect([await failureOf(client.catalog({})), await failureOf(client.catalog({}))]).toMatchObject([
    { status: 431, keyFlaw: "it contains white space" },
    { status: 403, keyFlaw: undefined },
  ]);
});

test("a client that sent nothing can be closed", async () => {
  const { client } = await start([]);
  await expect(client.close()).resolves.toBeUndefined();
});
