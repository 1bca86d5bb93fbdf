import { OPERATIONS, type OperationName } from "../../contract/operations.ts";
import { AVAILABILITY } from "../../contract/status.ts";
import { DAY, dayOf } from "../../contract/values/day-arithmetic.ts";
import { createApp } from "../http/app.ts";
import { createKey } from "../store/access/manage-keys.ts";
import { openIncident, updateIncident } from "../store/manage-incidents.ts";
import { openStore, type Store } from "../store/store.ts";
import type { DayCount } from "../store/store-types.ts";
import { openCachedRows } from "./cached-rows.ts";
import { demoRows } from "./demo-rows.ts";

const MINUTE = 60_000;

/** Days from the start of the incident until today. */
const WORST_DAY = 23;

/** Failed requests of each thousand, by the number of days before today. */
const BAD_DAYS: ReadonlyMap<number, number> = new Map([
  [WORST_DAY, 140],
  [WORST_DAY - 1, 30],
  [61, 12],
]);

/**
 * Starts a service with generated rows of the 90 days before `now`, which `folder` keeps for the next command. Its status history
 * and its key are in memory.
 */
export async function startDemoService(now: number, folder: string) {
  const [rows, own] = await Promise.all([openCachedRows(dayOf(now), folder, demoRows), openStore(":memory:")]);
  await addDemoHistory(own, now);
  const apiKey = await createKey(own, { name: "demo" }, new Date(now));
  const { snapshot, snapshotAt, page, cursorSecret } = rows;
  const store = { ...own, snapshot, snapshotAt, page, cursorSecret };
  const app = createApp(store, { sampleData: true, rateLimit: 100_000, sampleRateLimit: 100_000 });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const close = async (): Promise<void> => {
    await app.close();
    await rows.close();
    await own.close();
  };
  return { url, apiKey, close };
}

/** Adds 90 days of counts to the status feed of a demo, with some bad days and one resolved incident. */
async function addDemoHistory(store: Store, now: number): Promise<void> {
  await store.addDayCounts(Array.from({ length: AVAILABILITY.windowDays }, (_, ago) => demoCounts(ago, now)).flat());
  const started = now - WORST_DAY * DAY;
  const at = (minutes: number) => new Date(started + minutes * MINUTE);
  const incident = {
    title: "Requests time out",
    suite: "catalog-api",
    severity: "major",
    body: "One request in seven gets its response after the deadline. We are looking for the cause.",
  } as const;
  const id = await openIncident(store, incident, at(0));
  await updateIncident(store, id, { state: "identified", body: "A disk of the database is failing." }, at(50));
  await updateIncident(store, id, { state: "resolved", body: "The database runs on another disk." }, at(1_500));
}

function demoCounts(daysAgo: number, now: number): DayCount[] {
  const date = dayOf(now - daysAgo * DAY);
  const failures = BAD_DAYS.get(daysAgo) ?? 0;
  const operations = Object.keys(OPERATIONS) as OperationName[];
  const portal = ["portal-sign-in", "portal-keys"] as const;
  return [
    ...operations.map((operation) => ({ date, operation, requests: 1_000, failures })),
    ...portal.map((operation) => ({ date, operation, requests: 10, failures: 0 })),
  ];
}
