import { describe, expect, onTestFinished, test, vi } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import type { StatusFeed } from "../../src/contract/status.ts";
import { openIncident } from "../../src/service/store/manage-incidents.ts";
import { answer, type Behaviour, startFaultServer } from "../helpers/fault-server.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { startTestService } from "../helpers/service.ts";

type Suite = StatusFeed["suites"][number];

const dayOf = (date: string, state: Suite["state"]) => ({ date, state, uptime_pct: state === "no_data" ? null : 99 });

const SUITE = {
  slug: "catalog-api",
  name: "Catalog API",
  state: "operational",
  uptime_pct: 99.95,
  endpoints: [
    { label: "GET /v1/catalog", state: "operational", uptime_pct: 100 },
    { label: "GET /v1", state: "no_data", uptime_pct: null },
  ],
  days: (["no_data", "outage", "degraded", "operational"] as const).flatMap((state, index) =>
    [1, 2, 3, 4, 5, 6].map((number) => dayOf(`2026-01-${String(7 + 6 * index + number).padStart(2, "0")}`, state)),
  ),
} satisfies Suite;

const IDLE = {
  ...{ slug: "console", name: "Console\n", state: "no_data", uptime_pct: null, endpoints: [] },
  days: [dayOf("2026-01-11", "no_data")],
} satisfies Suite;

const FEED = {
  state: "operational",
  sample_data: false,
  window_days: 90,
  uptime_target: "99.5%",
  suites: [SUITE],
  incidents: [
    {
      title: "Slow answers \u001b[31m",
      suite: "catalog-api",
      severity: "minor",
      started_at: "2026-01-02T10:00:00Z",
      resolved_at: "2026-01-02T11:30:00Z",
      updates: [{ state: "resolved", body: "All rows\nare there.", posted_at: "2026-01-02T12:30:00+01:00" }],
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
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: 'error: the service is not operational: open incident "Open"\n',
    });
    expect(stdout).toContain("Open\n  major, portal, open since 2026-01-04 10:00 UTC\n\nSlow answers \\x1b[31m\n");
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
    expect(await status(["--quiet"])).toMatchObject({
      code: 5,
      stdout: "",
      stderr: `error: the service is not operational: ${state}\n`,
    });
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
    expect({ code: (await status()).code, asked }).toEqual({ code: 5, asked: 2 });
  });

  test.each([
    ["a redirect", answer({ status: 302, headers: { location: "http://elsewhere.example/x" } }), 1, /redirects to/],
    ["no feed at the address", answer({ status: 404 }), EXIT.notFound, /404/],
    ["a web page", answer({ headers: { "content-type": "text/html" }, body: "<title>Hi</title>" }), 1, /web page/],
  ])("fails on %s", async (_, behaviour, expected, message) => {
    const { status } = await feedServer(behaviour);
    const { code, stdout, stderr } = await status(["--retries", "0"]);
    expect({ code, stdout, stderr }).toEqual({ code: expected, stdout: "", stderr: expect.stringMatching(message) });
  });

  test("ends with 5 if the connection is refused, and after the timeout", async () => {
    const silent = await feedServer(() => {});
    const late = await silent.status(["--timeout", "50ms", "--retries", "0"]);
    await silent.close();
    expect(late).toMatchObject({ code: 5, stderr: expect.stringContaining("within the 0.05 s of one request") });
  });

  test("ends when --max-time is over", async () => {
    const { status } = await feedServer(() => {});
    expect(await status(["--max-time", "100ms", "--timeout", "2s", "--retries", "0"])).toMatchObject({
      code: EXIT.unavailable,
      stderr: expect.stringContaining("not done within the --max-time"),
    });
  });

  test("reads the feed of the embedded service, an incident included", async () => {
    const { store, url } = await startTestService();
    const incident = { title: "Slow", suite: "catalog-api", severity: "major", body: "we look" } as const;
    await openIncident(store, incident, new Date());
    expect(await runInProcess(["status"], { env: { CATALOG_BASE_URL: url } })).toMatchObject({
      code: 5,
      stdout: expect.stringContaining("Slow\n  major, catalog-api, open since"),
    });
  });
});

describe("a person sees", () => {
  /** What a terminal of so many cells gets. */
  async function shown(feed: object, columns: number, ...flags: string[]) {
    const { url } = await startFaultServer(() => serving({ ...FEED, ...feed }));
    return (await runInProcess(["status", ...flags], { columns, env: { CATALOG_BASE_URL: url.origin } })).stdout;
  }

  test("suites with a block for each day, and open incidents above those that ended", async () => {
    const suites = [{ ...SUITE, state: "degraded" }, IDLE];
    expect(await shown({ state: "degraded", sample_data: true, suites }, 80, "--no-color")).toBe(
      `degraded, target 99.5% over 90 days, generated demo data

Catalog API  degraded  99.95 % uptime
······██████▓▓▓▓▓▓░░░░░░
2026-01-08    2026-01-31
  GET /v1/catalog  operational  100 %
  GET /v1          no data

Console\\n  no data

░ operational  ▓ degraded  █ outage  · no data

Open
  major, portal, open since 2026-01-04 10:00 UTC

Slow answers \\x1b[31m
  minor, catalog-api, 2026-01-02 10:00 UTC to 2026-01-02 11:30 UTC
  2026-01-02 11:30 UTC  resolved: All rows\\nare there.
`,
    );
  });

  test("the latest days alone on a narrow screen, with the last date below them, and lines that are wrapped", async () => {
    const narrow = await shown({}, 20, "--no-color");
    expect(narrow.split("\n").slice(0, 6)).toEqual([
      "operational, target 99.5% over 90 days",
      "",
      "Catalog API  operational  99.95 % uptime",
      "··██████▓▓▓▓▓▓░░░░░░",
      "2026-01-31",
      "  GET /v1/catalog  operational  100 %",
    ]);
    expect(narrow).toContain(
      "\nOpen\n  major, portal,\n  open since\n  2026-01-04 10:00\n  UTC\n\nSlow answers \\x1b[3…\n",
    );
    expect(await shown({}, 21, "--no-color")).toContain("\n2026-01-11 2026-01-31\n");
    expect(await shown({}, 40, "--no-color")).toMatch(
      /\n {2}2026-01-02 11:30 UTC {2}resolved: All\n {24}rows\\nare there\.\n$/,
    );
  });

  test("endpoints in columns, however many cells their letters take", async () => {
    const endpoints = ["GET /v1", "カタログ"].map((label) => ({ label, state: "operational", uptime_pct: 100 }));
    const lines = (await shown({ suites: [{ ...SUITE, endpoints }] }, 80, "--no-color")).split("\n");
    expect(lines.slice(5, 7)).toEqual(["  GET /v1   operational  100 %", "  カタログ  operational  100 %"]);
  });

  test("that there are no suites with data and no incidents", async () => {
    expect(await shown({ suites: [IDLE], incidents: [] }, 80, "--no-color")).toBe(
      "operational, target 99.5% over 90 days\n\nConsole\\n  no data\n\nNo incidents in 90 days.\n",
    );
  });

  test("states in colours, which repeat what the words say", async () => {
    const days = (["operational", "degraded", "outage", "no_data"] as const).map((state, index) =>
      dayOf(`2026-01-0${index + 1}`, state),
    );
    const suites = [{ ...SUITE, name: "A", state: "degraded", endpoints: [], days }];
    const coloured = await shown({ suites }, 80);
    expect(coloured.split("\n").slice(2, 5)).toEqual([
      "\x1b[1mA\x1b[22m  \x1b[33mdegraded\x1b[39m  99.95 % uptime",
      "\x1b[32m░\x1b[39m\x1b[33m▓\x1b[39m\x1b[1m\x1b[31m█\x1b[39m\x1b[22m\x1b[2m·\x1b[22m",
      "2026-01-04",
    ]);
    expect(coloured).toContain("\n\x1b[1mOpen\x1b[22m\n");
  });
});
