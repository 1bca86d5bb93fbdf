import { OPERATIONS, type OperationName } from "../../contract/operations.ts";
import {
  AVAILABILITY,
  type ServiceState,
  type StatusDay,
  type StatusFeed,
  type StatusIncident,
  type StatusSuite,
} from "../../contract/status.ts";
import type { DayCount, Incident } from "../store/store.ts";

/** The suite that this service measures: the API itself, not other products of its operator. */
export const CATALOG_SUITE = { slug: "catalog-api", name: "Catalog API" } as const;

/** Below this share of answered requests a day counts as an outage; below the target it counts as degraded. */
const OUTAGE_PCT = 90;

const DAY = 86_400_000;

/** What the service knows of itself. */
export interface StatusFacts {
  counts: readonly DayCount[];
  incidents: readonly Incident[];
  /** Whether the database answered just now. */
  storeReachable: boolean;
  sampleData: boolean;
  /** Milliseconds since the epoch. */
  now: number;
}

/** The status document of contract section 4.5. */
export function statusFeed({ counts, incidents, storeReachable, sampleData, now }: StatusFacts): StatusFeed {
  const suite = catalogSuite(counts, now);
  const ownIncidents = incidents.filter((incident) => incident.suite === suite.slug);
  suite.state = worst([suite.state, storeReachable ? "operational" : "outage", ...ownIncidents.map(incidentState)]);
  return {
    state: worst([suite.state, ...incidents.map(incidentState)]),
    sample_data: sampleData,
    window_days: AVAILABILITY.windowDays,
    uptime_target: `${AVAILABILITY.targetPct}%`,
    suites: [suite],
    incidents: incidents.map(publicIncident),
  };
}

/** First day of the window, `YYYY-MM-DD`. */
export function windowStart(now: number): string {
  return isoDay(now - (AVAILABILITY.windowDays - 1) * DAY);
}

function catalogSuite(counts: readonly DayCount[], now: number): StatusSuite {
  const today = isoDay(now);
  const dates = Array.from({ length: AVAILABILITY.windowDays }, (_, index) =>
    isoDay(now - (AVAILABILITY.windowDays - 1 - index) * DAY),
  );
  const inWindow = counts.filter(({ date }) => date >= windowStart(now) && date <= today);
  const endpoints = (Object.keys(OPERATIONS) as OperationName[]).map((operation) => {
    const own = inWindow.filter((count) => count.operation === operation);
    return {
      label: `GET ${OPERATIONS[operation].path}`,
      state: stateOf(uptime(own.filter(({ date }) => date === today))),
      uptime_pct: uptime(own) ?? 100,
    };
  });
  return {
    ...CATALOG_SUITE,
    state: worst(endpoints.map(({ state }) => state)),
    uptime_pct: uptime(inWindow) ?? 100,
    endpoints,
    days: dates.map((date) => day(date, inWindow)),
  };
}

function day(date: string, counts: readonly DayCount[]): StatusDay {
  const pct = uptime(counts.filter((count) => count.date === date));
  return pct === undefined
    ? { date, state: "no_data", uptime_pct: null }
    : { date, state: stateOf(pct), uptime_pct: pct };
}

/** Percentage with two decimals, rounded down so that a failure never shows as 100; undefined without requests. */
function uptime(counts: readonly DayCount[]): number | undefined {
  let requests = 0;
  let failures = 0;
  for (const count of counts) {
    requests += count.requests;
    failures += count.failures;
  }
  return requests === 0 ? undefined : Math.floor((10_000 * (requests - failures)) / requests) / 100;
}

function stateOf(pct = 100): ServiceState {
  if (pct >= AVAILABILITY.targetPct) {
    return "operational";
  }
  return pct >= OUTAGE_PCT ? "degraded" : "outage";
}

function worst(states: readonly ServiceState[]): ServiceState {
  return (["outage", "degraded"] as const).find((state) => states.includes(state)) ?? "operational";
}

function incidentState({ resolvedAt, severity }: Incident): ServiceState {
  if (resolvedAt !== null) {
    return "operational";
  }
  return severity === "major" ? "outage" : "degraded";
}

function publicIncident({ title, suite, severity, startedAt, resolvedAt, updates }: Incident): StatusIncident {
  return {
    title,
    suite,
    severity,
    started_at: startedAt,
    resolved_at: resolvedAt,
    updates: updates.map(({ state, body, postedAt }) => ({ state, body, posted_at: postedAt })),
  };
}

function isoDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
