import type { FastifyInstance } from "fastify";
import { PREFIXES } from "../../../contract/operations.ts";
import type { StatusFeed } from "../../../contract/status.ts";
import { sendPage } from "../../portal/layout.ts";
import { statusPage } from "../../portal/pages/status-page.ts";
import { withinDeadline } from "../../store/deadline.ts";
import type { DayCount, Incident, Store } from "../../store/store.ts";
import type { Measurements } from "../measurements.ts";
import type { AppSettings } from "../service-options.ts";
import { statusFeed, windowStart } from "./status-document.ts";

/** Milliseconds for which a status is reused before it is read again. */
const SHARED_TIME = 1_000;

/** Serves the status feed (contract section 4.5) as JSON and as a page. */
export function serveStatus(
  app: FastifyInstance,
  store: Store,
  measurements: Measurements,
  settings: AppSettings,
): void {
  const read = statusReader(store, measurements, settings);
  const status = shared(async () => {
    const feed = await read();
    return { json: Buffer.from(JSON.stringify(feed)), page: statusPage(feed) };
  }, settings.now);
  for (const prefix of PREFIXES) {
    app.get(`${prefix}/status.json`, async (_, reply) =>
      reply
        .header("cache-control", "no-cache")
        .type("application/json")
        .send((await status()).json),
    );
  }
  app.get("/status", async (_, reply) => sendPage(reply, (await status()).page));
}

/** Does `work` at most once in `SHARED_TIME`, because the status needs no key. `work` must not reject. */
function shared<T>(work: () => Promise<T>, now: () => number): () => Promise<T> {
  let latest: { at: number; result: Promise<T> } | undefined;
  return () => {
    const at = now();
    if (latest === undefined || at < latest.at || at >= latest.at + SHARED_TIME) {
      latest = { at, result: work() };
    }
    return latest.result;
  };
}

/** Reads the status. While the database is not available, the values read last are used. */
function statusReader(
  store: Store,
  measurements: Measurements,
  { now, queryTimeout, sampleData }: AppSettings,
): () => Promise<StatusFeed> {
  let known: { counts: DayCount[]; incidents: Incident[] } = { counts: [], incidents: [] };
  return async () => {
    const since = windowStart(now());
    const storeReachable = await withinDeadline(queryTimeout, async () => {
      await measurements.flush();
      known = { counts: await store.dayCounts(since), incidents: await store.incidents(since) };
      return true;
    }).catch(() => false);
    const counts = [...known.counts, ...measurements.pendingCounts()];
    return statusFeed({ counts, incidents: known.incidents, storeReachable, sampleData, now: now() });
  };
}
