import type { FastifyInstance } from "fastify";
import { sendPage } from "../../portal/layout.ts";
import { statusPage } from "../../portal/pages/status-page.ts";
import { withinDeadline } from "../../store/query-deadline.ts";
import type { DayCount, Incident } from "../../store/store-types.ts";
import type { ServiceParts } from "../service-parts.ts";
import { statusFeed, windowStart } from "./status-document.ts";

/** Milliseconds for which a status is reused before it is read again. */
const SHARED_TIME = 1_000;

/** Serves the status feed (contract section 4.5) as JSON and as a page. */
export function serveStatus(app: FastifyInstance, { store, measurements, settings }: ServiceParts): void {
  const { now, queryTimeout, sampleData } = settings;
  let known: { counts: DayCount[]; incidents: Incident[] } = { counts: [], incidents: [] };
  let latest: { at: number; status: ReturnType<typeof read> } | undefined;

  /** While the database is not available, the values read last are used. */
  async function read() {
    const since = windowStart(now());
    // Taken first: counts that are written meanwhile are counted twice for a second, and never missing.
    const pending = measurements.pendingCounts();
    const storeReachable = await withinDeadline(queryTimeout, async (deadline) => {
      known = { counts: await store.dayCounts(since, deadline), incidents: await store.incidents(since, deadline) };
      return true;
    }).catch(() => false);
    const counts = [...known.counts, ...pending];
    const { incidents } = known;
    const { latestFailures } = measurements;
    const feed = statusFeed({ counts, incidents, latestFailures, storeReachable, sampleData, now: now() });
    return { json: Buffer.from(JSON.stringify(feed)), page: statusPage(feed) };
  }

  /** Reads once per `SHARED_TIME` at most: the status needs no key, so anyone could load the database with it. */
  function status(): ReturnType<typeof read> {
    const at = now();
    if (latest === undefined || at < latest.at || at >= latest.at + SHARED_TIME) {
      latest = { at, status: read() };
    }
    return latest.status;
  }

  app.get("/status.json", async (_, reply) => {
    const { json } = await status();
    return reply.header("cache-control", "no-cache").type("application/json").send(json);
  });
  app.get("/status", async (_, reply) => sendPage(reply, (await status()).page));
}
