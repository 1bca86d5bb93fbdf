import { expect, test } from "vitest";
import { fetchStatus } from "../../src/client/fetch-status.ts";
import { ContractError } from "../../src/contract/errors.ts";
import { problemBody } from "../helpers/envelopes.ts";
import { answer, startFaultServer } from "../helpers/fault-server.ts";
import { failureOf, ONE_ATTEMPT } from "../helpers/test-client.ts";

const DAY = { date: "2026-01-01", state: "operational", uptime_pct: 100 };
const ENDPOINT = { label: "GET /v1/sample", state: "operational", uptime_pct: 99.5 };
const SUITE = {
  slug: "Any text",
  name: "API",
  state: "operational",
  uptime_pct: 99.5,
  endpoints: [ENDPOINT],
  days: [DAY],
};
const INCIDENT = {
  ...{ title: "Slow", suite: "api", severity: "minor", started_at: "2026-01-01T12:00:00Z", resolved_at: null },
  updates: [{ state: "investigating", body: "", posted_at: "2026-01-01T12:00:00Z" }],
};
const FEED = {
  ...{ state: "operational", sample_data: false, window_days: 90, uptime_target: "99.5%" },
  suites: [SUITE],
  incidents: [INCIDENT],
};

async function read(feed: unknown, path = "/status.json?a=1") {
  const server = await startFaultServer(() => answer({ body: JSON.stringify(feed) }));
  return { server, response: await fetchStatus(new URL(path, server.url), ONE_ATTEMPT) };
}

test("the feed is requested as its address says, without a key, and its document is kept", async () => {
  const document = { ...FEED, extra: 1 };
  const { server, response } = await read(document);
  expect(response).toMatchObject({ feed: FEED, document });
  expect(response.feed).toEqual(FEED);
  expect(server.requests.map(({ target, headers }) => [target, headers.authorization])).toEqual([
    ["/status.json?a=1", undefined],
  ]);
});

test("the error for a 404 says nothing of a key, because none is sent", async () => {
  const body = problemBody({ code: "not_found", detail: "No such path.", retryable: false });
  const { url } = await startFaultServer([answer({ status: 404, body })]);
  expect(await failureOf(fetchStatus(new URL("/status", url), ONE_ATTEMPT))).toMatchObject({
    message: `${url.origin} has nothing at this path; check the base URL. ${url.origin} answered 404 (not_found): No such path.`,
  });
});

test.each(["no_data", "no-data", "NO DATA", "nodata", null])("%j means no data, without a figure", async (state) => {
  const unmeasured = { ...FEED, state, suites: [{ ...SUITE, state, endpoints: [{ ...ENDPOINT, state }] }] };
  const { feed } = (await read(unmeasured)).response;
  expect([feed.state, feed.suites[0]?.state, feed.suites[0]?.endpoints[0]?.state]).toEqual(Array(3).fill("no_data"));
  expect(feed.suites[0]?.uptime_pct).toBe(99.5);
  const missing = { ...SUITE, state, uptime_pct: undefined, days: [{ date: "2026-01-01", state, uptime_pct: "none" }] };
  const { suites } = (await read({ ...FEED, suites: [missing] })).response.feed;
  expect(suites[0]).toMatchObject({ uptime_pct: null, days: [{ state: "no_data", uptime_pct: null }] });
});

test("an unknown state means no data for a day", async () => {
  const days = [{ ...DAY, state: "maintenance" }, DAY];
  const { suites } = (await read({ ...FEED, suites: [{ ...SUITE, days }] })).response.feed;
  expect(suites[0]?.days).toEqual([{ ...DAY, state: "no_data" }, DAY]);
});

const suite = (change: object) => ({ ...FEED, suites: [SUITE, { ...SUITE, ...change }] });

test.each<[string, unknown, string]>([
  ["no object", [], "the body is not an object"],
  ["no state", { ...FEED, state: undefined }, "`state` is not one of outage, degraded, operational, no_data"],
  ["an unknown state", { ...FEED, state: "fine" }, "`state` is not one of outage, degraded, operational, no_data"],
  ["a state before other text", { ...FEED, state: "no data yet" }, "`state` is not one of"],
  ["a state after other text", { ...FEED, state: "has no data" }, "`state` is not one of"],
  ["a number as state", { ...FEED, state: 7 }, "`state` is not one of"],
  ["no suites", { ...FEED, suites: undefined }, "`suites` is not an array"],
  ["an object for suites", { ...FEED, suites: {} }, "`suites` is not an array"],
  ["a suite that is no object", { ...FEED, suites: [7] }, "`suites[0]` is not an object"],
  ["a suite without days", suite({ days: undefined }), "`suites[1].days` is not an array"],
  ["a suite without a state", suite({ state: undefined }), "`suites[1].state` is not one of"],
  ["a day without a state", suite({ days: [{ ...DAY, state: undefined }] }), "`suites[1].days[0].state` is not one of"],
  [
    "an unknown state of an endpoint",
    suite({ endpoints: [{ ...ENDPOINT, state: "up" }] }),
    "`suites[1].endpoints[0].state`",
  ],
  [
    "a measured day without a figure",
    suite({ days: [{ ...DAY, uptime_pct: null }] }),
    "`suites[1].days[0].uptime_pct` is not a number from 0 to 100",
  ],
  [
    "a figure of more than 100",
    suite({ days: [DAY, { ...DAY, uptime_pct: 101 }] }),
    "`suites[1].days[1].uptime_pct` is not a number from 0 to 100 or null",
  ],
  ["a figure as text", suite({ uptime_pct: "99" }), "`suites[1].uptime_pct` is not a number from 0 to 100 or null"],
  ["a negative figure", suite({ uptime_pct: -0.5 }), "`suites[1].uptime_pct` is not a number from 0 to 100 or null"],
  [
    "an incident that began at no time",
    { ...FEED, incidents: [{ ...INCIDENT, started_at: "yesterday" }] },
    "`incidents[0].started_at` is not a timestamp",
  ],
  [
    "an incident that ended at no time",
    { ...FEED, incidents: [{ ...INCIDENT, resolved_at: "" }] },
    "`incidents[0].resolved_at` is not a timestamp or null",
  ],
])("a feed with %s is refused", async (_, feed, message) => {
  expect((await failureOf(read(feed))) as Error).toMatchObject({
    constructor: ContractError,
    message: expect.stringContaining(message),
  });
});
