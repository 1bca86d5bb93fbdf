import { OPERATIONS, type OperationName } from "../../../contract/operations.ts";
import {
  AVAILABILITY,
  SERVICE_STATES,
  type ServiceState,
  type StatusFeed,
  type StatusSuite,
} from "../../../contract/status.ts";
import { addDays, dayOf } from "../../../contract/values/day-arithmetic.ts";
import type { DayCount, Incident, MeasuredPart } from "../../store/store-types.ts";

interface SuiteDefinition {
  slug: string;
  name: string;
  endpoints: readonly { label: string; measured?: MeasuredPart }[];
}

/** The suites of contract section 4.5. The projects API is not part of this service and is not measured. */
const SUITES: readonly SuiteDefinition[] = [
  {
    slug: "catalog-api",
    name: "Catalog API",
    endpoints: (Object.keys(OPERATIONS) as OperationName[]).map((measured) => ({
      label: `GET ${OPERATIONS[measured].path}`,
      measured,
    })),
  },
  { slug: "projects-api", name: "Projects API", endpoints: [{ label: "/v1/projects" }] },
  {
    slug: "developer-portal",
    name: "Developer portal",
    endpoints: [
      { label: "/portal/sign-in", measured: "portal-sign-in" },
      { label: "/portal/keys", measured: "portal-keys" },
    ],
  },
];

/** The suites that an incident may name, by slug. The first is the suite of the API. */
export const SUITE_SLUGS: readonly string[] = SUITES.map(({ slug }) => slug);

/** Below this percentage of requests without a 5xx, a day counts as an outage. Below the target, it counts as degraded. */
const OUTAGE_PCT = 90;

/** What the status document is computed from. */
export interface StatusFacts {
  counts: readonly DayCount[];
  incidents: readonly Incident[];
  /** Whether each of the latest requests of a part failed. */
  latestFailures: (part: MeasuredPart) => readonly boolean[];
  /** Whether the database could be read just now. */
  storeReachable: boolean;
  sampleData: boolean;
  /** Milliseconds since the epoch. */
  now: number;
}

export function statusFeed(facts: StatusFacts): StatusFeed {
  const suites = SUITES.map((definition) => suiteOf(definition, facts));
  return {
    // A service without requests that can serve this document is operational.
    state: worst([...suites.map(({ state }) => state), ...facts.incidents.map(incidentState), "operational"]),
    sample_data: facts.sampleData,
    window_days: AVAILABILITY.windowDays,
    uptime_target: `${AVAILABILITY.targetPct}%`,
    suites,
    incidents: facts.incidents.map(({ id: _, ...incident }) => incident),
  };
}

/** First day of the window, `YYYY-MM-DD`. */
export function windowStart(now: number): string {
  return addDays(dayOf(now), 1 - AVAILABILITY.windowDays);
}

function suiteOf({ slug, name, endpoints }: SuiteDefinition, facts: StatusFacts): StatusSuite {
  const days = Array.from({ length: AVAILABILITY.windowDays }, (_, day) => addDays(windowStart(facts.now), day));
  const parts = endpoints.flatMap(({ measured }) => measured ?? []);
  const counts = facts.counts.filter(({ date, operation }) => parts.includes(operation) && days.includes(date));
  const described = endpoints.map(({ label, measured }) => {
    const own = counts.filter(({ operation }) => operation === measured);
    const hasRequests = measured !== undefined && own.some(({ date }) => date === days.at(-1));
    const state = hasRequests ? presentState(facts.latestFailures(measured)) : "no_data";
    return { label, state, uptime_pct: uptimePct(own) };
  });
  const states = described.map(({ state }) => state);
  if (parts.length > 0 && !facts.storeReachable) {
    states.push("outage");
  }
  const incidents = facts.incidents.filter((incident) => incident.suite === slug && incident.resolved_at === null);
  return {
    slug,
    name,
    state: worst([...states, ...incidents.map(incidentState)]),
    uptime_pct: uptimePct(counts),
    endpoints: described,
    days: days.map((date) => {
      const uptime_pct = uptimePct(counts.filter((count) => count.date === date));
      return { date, state: stateOf(uptime_pct), uptime_pct };
    }),
  };
}

/** The state according to the latest requests. Without recent ones, an endpoint that was used today is operational. */
function presentState(failures: readonly boolean[]): ServiceState {
  const failed = failures.filter(Boolean).length;
  if (failed === 0) {
    return "operational";
  }
  return failed > failures.length / 2 ? "outage" : "degraded";
}

/** Percentage with two decimals, rounded down so that a failure never shows as 100; null without requests. */
function uptimePct(counts: readonly DayCount[]): number | null {
  const sum = (name: "requests" | "failures") => counts.reduce((total, count) => total + count[name], 0);
  const [requests, failures] = [sum("requests"), sum("failures")];
  return requests === 0 ? null : Math.floor((10_000 * (requests - failures)) / requests) / 100;
}

function stateOf(pct: number | null): ServiceState {
  if (pct === null) {
    return "no_data";
  }
  if (pct >= AVAILABILITY.targetPct) {
    return "operational";
  }
  return pct >= OUTAGE_PCT ? "degraded" : "outage";
}

function worst(states: readonly ServiceState[]): ServiceState {
  return SERVICE_STATES.find((state) => states.includes(state)) ?? "no_data";
}

function incidentState({ resolved_at, severity }: Incident): ServiceState {
  if (resolved_at !== null) {
    return "operational";
  }
  return severity === "major" ? "outage" : "degraded";
}
