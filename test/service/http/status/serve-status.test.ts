import { expect, test, vi } from "vitest";
import { OPERATIONS } from "../../../../src/contract/operations.ts";
import { openIncident, updateIncident } from "../../../../src/service/store/manage-incidents.ts";
import { StoreTimeoutError, StoreUnavailableError } from "../../../../src/service/store/store-types.ts";
import { sharedDatabase } from "../../../helpers/databases.ts";
import { gate } from "../../../helpers/gate.ts";
import { holdIntervals, rowsFail, startTestService } from "../../../helpers/service.ts";
import { testStore } from "../../store/stores.ts";

const noon = Date.parse("2026-03-10T12:00:00Z");

test("a service without requests is operational and has no data for any day", async () => {
  const service = await startTestService({ now: () => noon, sampleData: true });

  const { body } = await service.get("/status.json");

  const nothing = { state: "no_data", uptime_pct: null };
  const days = expect.toSatisfy(
    (list) => list.length === 90 && list.every((day: { state: string }) => day.state === "no_data"),
  );
  const suite = (slug: string, name: string, labels: readonly string[]) => ({
    slug,
    name,
    ...nothing,
    endpoints: labels.map((label) => ({ label, ...nothing })),
    days,
  });
  expect(body).toEqual({
    state: "operational",
    sample_data: true,
    window_days: 90,
    uptime_target: "99.5%",
    suites: [
      suite(
        "catalog-api",
        "Catalog API",
        Object.values(OPERATIONS).map(({ path }) => `GET ${path}`),
      ),
      suite("projects-api", "Projects API", ["/v1/projects"]),
      suite("developer-portal", "Developer portal", ["/portal/sign-in", "/portal/keys"]),
    ],
    incidents: [],
  });
});

test("the service reports its measurements by endpoint and day", async () => {
  let broken = false;
  const service = await startTestService({
    now: () => noon,
    faults: rowsFail(() => broken && new StoreUnavailableError("away")),
  });
  await service.get("/v1/catalog");
  await service.get("/api/v1/catalog?limit=0");
  await service.get("/v1/sample");
  broken = true;
  await service.get("/v1/coverage");

  const { body } = await service.get("/status.json");

  const [suite] = body.suites;
  expect(suite.endpoints.slice(0, 3)).toEqual([
    { label: "GET /v1/sample", state: "operational", uptime_pct: 100 },
    { label: "GET /v1/catalog", state: "operational", uptime_pct: 100 },
    { label: "GET /v1/coverage", state: "outage", uptime_pct: 0 },
  ]);
  expect(suite.days.at(-1)).toEqual({ date: "2026-03-10", state: "outage", uptime_pct: 75 });
  expect(suite.days[0]).toEqual({ date: "2025-12-11", state: "no_data", uptime_pct: null });
});

test("the state of a suite is that of its latest requests, and the day keeps its own", async () => {
  let broken = true;
  let now = noon;
  const service = await startTestService({
    now: () => now,
    rateLimit: 1_000,
    faults: rowsFail(() => broken && new StoreTimeoutError("slow")),
  });
  const states = async () => {
    now += 1_000;
    const [suite] = (await service.get("/status.json")).body.suites;
    return [suite.state, suite.days.at(-1).state];
  };

  await service.get("/v1/catalog");
  const failing = await states();
  broken = false;
  for (let request = 1; request <= 3; request += 1) {
    await service.get("/v1/catalog");
  }
  const soonAfter = await states();
  now += 5 * 60_000;
  const later = await states();

  expect({ failing, soonAfter, later }).toEqual({
    failing: ["outage", "outage"],
    soonAfter: ["degraded", "outage"],
    later: ["operational", "outage"],
  });
});

test("counts are written every few seconds, even if nobody reads the status", async () => {
  holdIntervals();
  const service = await startTestService({ now: () => noon });
  await service.get("/v1/catalog");

  vi.advanceTimersByTime(5_000);

  await expect.poll(() => service.store.dayCounts("2026-03-10")).toHaveLength(1);
});

test("the status is served, with all counts, while a load holds the database", async () => {
  holdIntervals();
  const database = await sharedDatabase();
  const service = await startTestService({ database, now: () => noon });
  const loading = await testStore(database);

  const { body } = await loading.changeRows(async () => {
    await service.get("/v1/catalog");
    vi.advanceTimersByTime(5_000);
    return await service.get("/status.json");
  });

  expect(body.state).toBe("operational");
  expect(body.suites[0].days.at(-1)).toEqual({ date: "2026-03-10", state: "operational", uptime_pct: 100 });
});

test("counts that are written while the status is read are in it", async () => {
  holdIntervals();
  const written = gate();
  const service = await startTestService({
    now: () => noon,
    faults: (store) => ({
      addDayCounts: async (counts) => {
        await store.addDayCounts(counts);
        written.open();
      },
      dayCounts: async (since) => {
        const earlier = await store.dayCounts(since);
        vi.advanceTimersByTime(5_000);
        await written.passed;
        return earlier;
      },
    }),
  });
  await service.get("/v1/catalog");

  const { body } = await service.get("/status.json");

  expect(body.suites[0].days.at(-1)).toEqual({ date: "2026-03-10", state: "operational", uptime_pct: 100 });
});

test("counts survive while the database is unavailable, and the status is still served", async () => {
  holdIntervals();
  let away = true;
  let now = noon;
  const service = await startTestService({
    now: () => now,
    faults: (store) => ({
      addDayCounts: async (counts) => {
        if (away) {
          throw new StoreUnavailableError("away");
        }
        await store.addDayCounts(counts);
      },
      dayCounts: async (since) => {
        if (away) {
          throw new StoreUnavailableError("away");
        }
        return store.dayCounts(since);
      },
    }),
  });
  await service.get("/v1/sample");
  vi.advanceTimersByTime(5_000);
  const { body: during } = await service.get("/status.json");
  await service.get("/v1/sample");
  away = false;
  now += 1_000;
  const { body: after } = await service.get("/status.json");
  vi.advanceTimersByTime(5_000);

  expect({ state: during.state, uptime_pct: during.suites[0].days.at(-1).uptime_pct }).toEqual({
    state: "outage",
    uptime_pct: 100,
  });
  expect(after.state).toBe("operational");
  const written = [{ date: "2026-03-10", operation: "sample", requests: 2, failures: 0 }];
  await expect.poll(() => service.store.dayCounts("2026-03-10")).toEqual(written);
});

test("the reads of a status end after the time of a query, so that they hold no connection of a silent database", async () => {
  const { passed: ended, open: end } = gate();
  const service = await startTestService({
    queryTimeout: 200,
    faults: () => ({
      dayCounts: (_, deadline) => {
        deadline?.addEventListener("abort", end);
        return new Promise<never>(() => {});
      },
    }),
  });

  const { status } = await service.get("/status.json");

  expect(status).toBe(200);
  await ended;
});

test("an open incident sets the state of its suite until it is resolved", async () => {
  let now = noon;
  const service = await startTestService({ now: () => now });
  const at = (minutes: number) => new Date(noon + minutes * 60_000);
  const incident = { title: "Slow pages", suite: "catalog-api", severity: "minor", body: "Looking" } as const;
  const id = await openIncident(service.store, incident, at(0));
  const { body: during } = await service.get("/status.json");

  await updateIncident(service.store, id, { state: "identified", body: "A disk" }, at(1));
  await updateIncident(service.store, id, { state: "resolved", body: "Fixed" }, at(5));
  now += 1_000;
  const { body: after } = await service.get("/status.json");

  expect({ during: during.state, ofSuite: during.suites[0].state, after: after.state }).toEqual({
    during: "degraded",
    ofSuite: "degraded",
    after: "operational",
  });
  expect(after.incidents).toEqual([
    {
      title: "Slow pages",
      suite: "catalog-api",
      severity: "minor",
      started_at: "2026-03-10T12:00:00.000Z",
      resolved_at: "2026-03-10T12:05:00.000Z",
      updates: [
        { state: "resolved", body: "Fixed", posted_at: "2026-03-10T12:05:00.000Z" },
        { state: "identified", body: "A disk", posted_at: "2026-03-10T12:01:00.000Z" },
        { state: "investigating", body: "Looking", posted_at: "2026-03-10T12:00:00.000Z" },
      ],
    },
  ]);
});

test("the status is read at most once a second, with any number of requests", async () => {
  let now = noon;
  let reads = 0;
  const service = await startTestService({
    now: () => now,
    faults: (store) => ({
      incidents: async (since) => {
        reads += 1;
        return store.incidents(since);
      },
    }),
  });
  const ask = () => Promise.all(["/status.json", "/status", "/status.json"].map((path) => service.get(path)));

  await ask();
  now += 999;
  await ask();
  expect(reads).toBe(1);
  now += 1;
  await ask();
  expect(reads).toBe(2);
});
