import { describe, expect, onTestFinished, test, vi } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import type { StatusFeed } from "../../src/contract/status.ts";
import { openIncident } from "../../src/service/store/manage-incidents.ts";
import { answer, type Behaviour, startFaultServer } from "../helpers/fault-server.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { startTestService } from "../helpers/service.ts";

const FEED = {
  state: "operational",
  sample_data: false,
  window_days: 4,
  uptime_target: "99.5%",
  suites: [
    {
      slug: "catalog-api",
      name: "Catalog API",
      state: "operational",
      uptime_pct: 97.5,
      endpoints: [
        { label: "GET /v1/sample", state: "operational", uptime_pct: 100 },
        { label: "GET /v1/coverage", state: "degraded", uptime_pct: 95 },
      ],
      days: [
        { date: "2026-01-01", state: "no_data", uptime_pct: null },
        { date: "2026-01-02", state: "outage", uptime_pct: 80 },
        { date: "2026-01-03", state: "degraded", uptime_pct: 99 },
        { date: "2026-01-04", state: "operational", uptime_pct: 100 },
      ],
    },
  ],
  incidents: [
    {
      title: "Past \u001b[31m",
      suite: "catalog-api",
      severity: "minor",
      started_at: "2026-01-02T10:00:00Z",
      resolved_at: "2026-01-02T11:30:00Z",
      updates: [{ state: "resolved", body: "over", posted_at: "2026-01-02T12:30:00+01:00" }],
    },
    {
      title: "Open",
      suite: "portal",
      severity: "major",
      started_at: "2026-01-04T10:00:00Z",
      resolved_at: null,
      updates: [],
    },
  ],
} satisfies StatusFeed;

/** A server that always sends the same response, and a way to send requests to it. */
async function feedServer(behaviour: Behaviour) {
  const server = await startFaultServer(() => behaviour);
  const status = (args: string[] = [], env: Record<string, string> = {}) =>
    runInProcess(["status", ...args], { env: { CATALOG_BASE_URL: `${server.url.origin}/api`, ...env } });
  return { ...server, status };
}

const serving = (feed: unknown) => answer({ body: JSON.stringify(feed) });

describe("status", () => {
  test("reports why it waits before it tries again", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { url } = await feedServer(answer({ status: 503, headers: { "retry-after": "30" }, body: "" }));
    const { stderr } = await runInProcess(["status", "--progress", "plain", "--retries", "1"], {
      env: { CATALOG_BASE_URL: url.href },
      sleep: async () => void (await vi.advanceTimersByTimeAsync(10_000)),
    });
    expect(stderr).toMatch(/Z reading the status feed · 10 s · waiting 2\d s to try again\n/);
  });

  test("ends with 5 if an incident is open, and names it", async () => {
    const { status } = await feedServer(serving(FEED));
    const { code, stdout, stderr } = await status();
    expect([code, stderr]).toEqual([5, 'error: the service is not operational: open incident "Open"\n']);
    expect(stdout).toContain("Open\n  major, portal, open since 2026-01-04 10:00 UTC\n\nPast \\x1b[31m\n");
  });

  test("ends with 5 if the service has no data", async () => {
    const { status } = await feedServer(serving({ ...FEED, state: null, incidents: [] }));
    expect(await status(["--quiet"])).toEqual({
      ...{ code: 5, stdout: "" },
      stderr: "error: the service is not operational: no data\n",
    });
  });

  test("reads the feed below the prefix of the base URL", async () => {
    const { url } = await startTestService();
    const { code } = await runInProcess(["status", "--base-url", `${url}/api`]);
    expect(code).toBe(EXIT.ok);
  });

  test("writes the document of the service with --format json", async () => {
    const document = { ...FEED, more: [1] };
    const { status } = await feedServer(serving(document));
    expect(JSON.parse((await status(["-f", "json"])).stdout)).toEqual(document);
  });

  test.each(["degraded", "outage"])("ends with 5 if the state of the service is %s", async (state) => {
    const incidents = FEED.incidents.slice(0, 1);
    const { status } = await feedServer(serving({ ...FEED, incidents, state }));
    const { code, stdout, stderr } = await status(["--quiet"]);
    expect([code, stdout, stderr]).toEqual([5, "", `error: the service is not operational: ${state}\n`]);
  });

  test("ends with 5 if a suite fails though the service as a whole is operational, and with 0 otherwise", async () => {
    const incidents = FEED.incidents.slice(0, 1);
    const suites = FEED.suites.map((suite) => ({ ...suite, state: "outage" }));
    const [failing, working] = [
      { ...FEED, incidents, suites },
      { ...FEED, incidents },
    ];
    const codes = [failing, working].map(async (feed) => {
      const { code, stderr } = await (await feedServer(serving(feed))).status(["--quiet"]);
      return { code, stderr };
    });
    expect(await Promise.all(codes)).toEqual([
      { code: 5, stderr: "error: the service is not operational: Catalog API: outage\n" },
      { code: 0, stderr: "" },
    ]);
  });

  test("never sends the key", async () => {
    const { requests, status } = await feedServer(serving(FEED));
    await status([], { CATALOG_API_KEY: "k".repeat(43) });
    expect(requests.map(({ target, headers }) => [target, headers.authorization])).toEqual([
      ["/api/status.json", undefined],
    ]);
  });

  test("takes the address from the flag, then from the environment, without a base URL", async () => {
    const { requests, status, url } = await feedServer(serving(FEED));
    const env = { CATALOG_BASE_URL: "", CATALOG_STATUS_URL: `${url.origin}/env.json` };
    await status([], env);
    await status(["--status-url", `${url.origin}/flag.json`], env);
    expect(requests.map(({ target }) => target)).toEqual(["/env.json", "/flag.json"]);
  });

  test("tries again after a temporary fault", async () => {
    let asked = 0;
    const { status } = await feedServer((socket, request) => {
      asked += 1;
      (asked === 1 ? answer({ status: 503 }) : serving(FEED))(socket, request);
    });
    expect([(await status()).code, asked]).toEqual([5, 2]);
  });

  test.each([
    ["a redirect", answer({ status: 302, headers: { location: "http://elsewhere.example/x" } }), 1, /redirects to/],
    ["no feed at the address", answer({ status: 404 }), EXIT.notFound, /404/],
    ["a web page", answer({ headers: { "content-type": "text/html" }, body: "<title>Hi</title>" }), 1, /web page/],
  ])("fails on %s", async (_, behaviour, expected, message) => {
    const { status } = await feedServer(behaviour);
    const { code, stdout, stderr } = await status(["--retries", "0"]);
    expect([code, stdout, stderr]).toEqual([expected, "", expect.stringMatching(message)]);
  });

  test("ends with 5 if the connection is refused, and after the timeout", async () => {
    const silent = await feedServer(() => {});
    const late = await silent.status(["--timeout", "50ms", "--retries", "0"]);
    await silent.close();
    expect([late.code, late.stderr]).toEqual([5, expect.stringContaining("within the 0.05 s of one request")]);
  });

  test("ends when --max-time is over", async () => {
    const { status } = await feedServer(() => {});
    const { code, stderr } = await status(["--max-time", "100ms", "--timeout", "2s", "--retries", "0"]);
    expect([code, stderr]).toEqual([EXIT.unavailable, expect.stringContaining("not done within the --max-time")]);
  });

  test("reads the feed of the embedded service, an incident included", async () => {
    const { store, url } = await startTestService();
    const incident = { title: "Slow", suite: "catalog-api", severity: "major", body: "we look" } as const;
    await openIncident(store, incident, new Date());
    const { code, stdout } = await runInProcess(["status"], { env: { CATALOG_BASE_URL: url } });
    expect([code, stdout]).toEqual([5, expect.stringContaining("Slow\n  major, catalog-api, open since")]);
  });
});
