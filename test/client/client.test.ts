import { getEventListeners } from "node:events";
import { inspect } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { type CatalogClient, requestTarget } from "../../src/client/client.ts";
import { COMBINATION, coverageBody, META, pageBody, problemBody } from "../helpers/envelopes.ts";
import { answer, type Behaviour, resetConnection } from "../helpers/fault-server.ts";
import { productRow } from "../helpers/products.ts";
import { failureOf, KEY, ok, PAGE, ROWS, start } from "../helpers/test-client.ts";

const RATE = { "ratelimit-limit": "120", "ratelimit-remaining": "119", "ratelimit-reset": "60" };

test("a page's rows are the text that the service sent", async () => {
  const { client } = await start([ok]);
  const { rows, ...rest } = await client.catalog({}, { limit: 100 });
  expect({ rows: rows.texts(), ...rest }).toEqual({
    rows: ROWS,
    pagination: { limit: 100, total_matching: 2, next_cursor: null, has_more: false },
    meta: META,
  });
});

test("a sample has rows and a pagination without a cursor", async () => {
  const row = productRow({ mrp: "19.90" });
  const body = `{"data":[${row}],"pagination":{"next_cursor":null,"has_more":false},"meta":${JSON.stringify(META)}}`;
  const { client } = await start([answer({ body })]);
  const { rows, ...rest } = await client.sample({});
  expect({ rows: rows.texts(), ...rest }).toEqual({
    rows: [row],
    pagination: { next_cursor: null, has_more: false },
    meta: META,
  });
});

test("a coverage has its entries", async () => {
  const { client } = await start([answer({ body: coverageBody([COMBINATION]) })]);
  expect(await client.coverage({})).toEqual({ data: [COMBINATION], meta: META });
});

test("a request has the key, the accepted encodings and the user agent", async () => {
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

test("a path in the base URL is kept, with and without a slash at its end", () => {
  const targets = ["", "/api", "/api/", "/api//"].map((path) =>
    requestTarget(new URL(`https://x.example${path}`), "coverage", {}),
  );
  expect(targets).toEqual(["/v1/coverage", ...Array(3).fill("/api/v1/coverage")]);
});

test("filters come in the contract's order, then limit and cursor, which arrives character for character", () => {
  const filters = { end_date: "2026-01-02", rcd: "a:b:c,d:e:f", retailer: "a" };
  const cursor = "a+b/c==&d=%41 é#?☃";
  const target = requestTarget(new URL("https://x.example"), "catalog", filters, { cursor, limit: 500 });
  const [before, sent = ""] = target.split("&cursor=");
  expect(before).toBe("/v1/catalog?retailer=a&rcd=a:b:c,d:e:f&end_date=2026-01-02&limit=500");
  expect({ byPath: decodeURIComponent(sent), byQuery: new URLSearchParams(`cursor=${sent}`).get("cursor") }).toEqual({
    byPath: cursor,
    byQuery: cursor,
  });
});

test("a gzipped page is read", async () => {
  const gzipped = answer({ headers: { "content-encoding": "gzip" }, body: gzipSync(PAGE) });
  const { client } = await start([gzipped]);
  expect((await client.catalog({})).rows.texts()).toEqual(ROWS);
});

test("a vocabulary error is not retried and keeps its suggestions", async () => {
  const body = problemBody({ code: "unknown_retailer", retryable: false, field: "retailer", valid_options: ["acme"] });
  const { client, server } = await start([answer({ status: 400, body })]);
  const error = await failureOf(client.catalog({ retailer: "acm" }));
  expect(error).toMatchObject({ status: 400, problem: { field: "retailer", valid_options: ["acme"] } });
  expect(server.requests.length).toBe(1);
});

test("the error for a 401 describes the visible flaw of the key, but not the key", async () => {
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

test("the events report each request, response, failure and wait, and never the key", async () => {
  const body = problemBody({ code: "service_unavailable", retryable: true });
  const down = answer({ status: 503, headers: RATE, body });
  const { client, events } = await start([resetConnection, down, answer({ headers: RATE, body: PAGE })]);
  await client.catalog({}, { limit: 100 });
  const facts = { operation: "catalog", target: "/v1/catalog?limit=100" };
  const failure = expect.stringMatching(/the connection was (reset|closed)/);
  expect(events).toEqual([
    { type: "request", ...facts, attempt: 1 },
    { type: "failure", ...facts, attempt: 1, milliseconds: 0, message: failure },
    { type: "wait", reason: "retry", milliseconds: 250, code: undefined },
    { type: "request", ...facts, attempt: 2 },
    {
      type: "response",
      ...facts,
      attempt: 2,
      status: 503,
      milliseconds: 0,
      bytes: body.length,
      requestId: "req-9",
      rate: { limit: 120, remaining: 119, resetSeconds: 60 },
    },
    { type: "wait", reason: "retry", milliseconds: 500, code: "service_unavailable" },
    { type: "request", ...facts, attempt: 3 },
    {
      type: "response",
      ...facts,
      attempt: 3,
      status: 200,
      milliseconds: 0,
      bytes: PAGE.length,
      requestId: "req-1",
      rate: { limit: 120, remaining: 119, resetSeconds: 60 },
    },
  ]);
  expect(JSON.stringify(events)).not.toContain(KEY);
});

test("the events report a response that is damaged as a failure", async () => {
  const { client, server, events } = await start([answer({ body: "{" }), ok]);
  await client.catalog({});
  expect(events.map(({ type }) => type)).toEqual(["request", "failure", "wait", "request", "response"]);
  const message = `The response of ${server.url.origin} is damaged: it is not JSON`;
  expect(events[1]).toMatchObject({ type: "failure", message });
});

test("a request names the version of the data that it is for, and a response names its own", async () => {
  const versioned = (version: string) => answer({ headers: { "data-version": version }, body: PAGE });
  const { client, server } = await start([versioned("17"), versioned("18"), versioned("latest"), ok]);
  const pages = [await client.catalog({}, { version: "17" })];
  for (let page = 0; page < 3; page += 1) {
    pages.push(await client.catalog({}));
  }
  expect(server.requests.map(({ headers }) => headers["data-version"])).toEqual(["17", ...Array(3).fill(undefined)]);
  expect(pages.map(({ version }) => version)).toEqual(["17", "18", undefined, undefined]);
});

test("after a request, nothing listens to the signals that could end it", async () => {
  const [client, call] = [new AbortController().signal, new AbortController().signal];
  const tested = await start([ok], { signal: client });
  await tested.client.catalog({}, {}, call);
  expect([client, call].map((signal) => getEventListeners(signal, "abort"))).toEqual([[], []]);
});

describe("a service that echoes the key", () => {
  const page = (meta: Record<string, unknown>, pagination: Record<string, unknown> = {}) =>
    pageBody([], pagination, { ...META, ...meta });

  test("does not put it into events or results", async () => {
    const { client, events } = await start([answer({ body: page({ request_id: KEY }) })]);
    const { meta } = await client.catalog({});
    expect(meta.request_id).toBe("[redacted]");
    expect(JSON.stringify([meta, events])).not.toContain(KEY);
  });

  const rows = [productRow(), productRow({ title: JSON.stringify(`about ${KEY}.`) }), productRow()];
  const sample = `{"data":[${rows.join(",")}],"pagination":{"next_cursor":null,"has_more":false},"meta":${JSON.stringify(META)}}`;
  const TWICE = { ...META, coverage: { ...META.coverage, combinations: 2, matching_rows: 4, corpus_rows: 4 } };
  const combination = {
    ...COMBINATION,
    department: KEY,
    rcd: `${COMBINATION.retailer}:${COMBINATION.category}:${KEY}`,
  };

  test.each<[string, string, (client: CatalogClient) => Promise<unknown>]>([
    ["a row of a page", pageBody(rows), (client) => client.catalog({})],
    ["a row of a sample", sample, (client) => client.sample({})],
    ["a combination", coverageBody([COMBINATION, combination], TWICE), (client) => client.coverage({})],
  ])("in %s is refused, because rows and combinations are written as they are", async (_, body, request) => {
    const { client } = await start(() => answer({ body }), { retries: 0 });
    expect(await failureOf(request(client))).toMatchObject({
      message: expect.stringContaining("contains the API key in `data`"),
    });
  });

  test("may have a key in a row that is too short to be a secret", async () => {
    const { client } = await start([answer({ body: pageBody(rows) })], { apiKey: KEY.slice(0, 7) });
    expect((await client.catalog({})).rows.texts()).toEqual(rows);
  });

  test("in the cursor of the next page is named as that", async () => {
    const { client } = await start([answer({ body: page({}, { has_more: true, next_cursor: KEY }) })], { retries: 0 });
    expect(await failureOf(client.catalog({}))).toMatchObject({
      message: "The service's response contains the API key in `pagination.next_cursor`.",
    });
  });

  test.each<[string, Behaviour]>([
    ["the request id of a broken page", answer({ body: page({ request_id: KEY }, { has_more: 1 }) })],
    ["the filters that were applied", answer({ body: page({ resolved: { ...META.resolved, retailer: KEY } }) })],
    ["the cursor of the next page", answer({ body: page({}, { has_more: true, next_cursor: `c${KEY}` }) })],
  ])("in %s does not put it into an error", async (_, behaviour) => {
    const { client, events } = await start(() => behaviour, { retries: 0 });
    const error = (await failureOf(client.catalog({}))) as Error;
    expect(error.message).toMatch(/./);
    expect(inspect([error, events], { depth: 10, showHidden: true })).not.toContain(KEY);
  });
});
