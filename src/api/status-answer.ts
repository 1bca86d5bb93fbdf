import { INCIDENT_SEVERITIES, INCIDENT_STATES, type StatusFeed } from "../contract/status.ts";
import { type Checks, checksFor } from "./checks.ts";

const STATES = ["operational", "degraded", "outage"] as const;

/**
 * The contract shows a state "no data" for days without giving its name on the wire, so any other name means that.
 * Members that the contract does not name are left out.
 *
 * @throws ContractError where the document is not what contract section 4.5 promises.
 */
export function readStatusFeed(document: unknown): StatusFeed {
  const checks = checksFor(undefined);
  const feed = checks.object(document, "the status feed");
  return {
    state: oneOf(STATES, feed.state, "`state`", checks),
    sample_data: checks.flag(feed.sample_data, "`sample_data`"),
    window_days: checks.count(feed.window_days, "`window_days`"),
    uptime_target: checks.text(feed.uptime_target, "`uptime_target`"),
    suites: list(feed.suites, "suites", checks, readSuite),
    incidents: list(feed.incidents, "incidents", checks, readIncident),
  };
}

function readSuite(value: unknown, place: string, checks: Checks): StatusFeed["suites"][number] {
  const suite = checks.object(value, place);
  return {
    slug: checks.text(suite.slug, `\`slug\` of ${place}`),
    name: checks.text(suite.name, `\`name\` of ${place}`),
    state: oneOf(STATES, suite.state, `\`state\` of ${place}`, checks),
    uptime_pct: percentage(suite.uptime_pct, `\`uptime_pct\` of ${place}`, checks),
    endpoints: list(suite.endpoints, `${place}.endpoints`, checks, (item, at) => {
      const endpoint = checks.object(item, at);
      return {
        label: checks.text(endpoint.label, `\`label\` of ${at}`),
        state: oneOf(STATES, endpoint.state, `\`state\` of ${at}`, checks),
        uptime_pct: percentage(endpoint.uptime_pct, `\`uptime_pct\` of ${at}`, checks),
      };
    }),
    days: list(suite.days, `${place}.days`, checks, (item, at) => {
      const day = checks.object(item, at);
      const date = checks.date(day.date, `\`date\` of ${at}`);
      const state = STATES.find((known) => known === checks.text(day.state, `\`state\` of ${at}`));
      return state === undefined
        ? { date, state: "no_data", uptime_pct: null }
        : { date, state, uptime_pct: percentage(day.uptime_pct, `\`uptime_pct\` of ${at}`, checks) };
    }),
  };
}

function readIncident(value: unknown, place: string, checks: Checks): StatusFeed["incidents"][number] {
  const incident = checks.object(value, place);
  return {
    title: checks.text(incident.title, `\`title\` of ${place}`),
    suite: checks.text(incident.suite, `\`suite\` of ${place}`),
    severity: oneOf(INCIDENT_SEVERITIES, incident.severity, `\`severity\` of ${place}`, checks),
    started_at: timestamp(incident.started_at, `\`started_at\` of ${place}`, checks),
    resolved_at:
      incident.resolved_at == null ? null : timestamp(incident.resolved_at, `\`resolved_at\` of ${place}`, checks),
    updates: list(incident.updates, `${place}.updates`, checks, (item, at) => {
      const update = checks.object(item, at);
      return {
        state: oneOf(INCIDENT_STATES, update.state, `\`state\` of ${at}`, checks),
        body: checks.text(update.body, `\`body\` of ${at}`),
        posted_at: timestamp(update.posted_at, `\`posted_at\` of ${at}`, checks),
      };
    }),
  };
}

function list<T>(value: unknown, name: string, checks: Checks, read: (item: unknown, at: string, checks: Checks) => T) {
  return checks.array(value, `\`${name}\``).map((item, index) => read(item, `${name}[${index}]`, checks));
}

function oneOf<T extends string>(known: readonly T[], value: unknown, name: string, checks: Checks): T {
  return known.find((candidate) => candidate === value) ?? checks.fail(`${name} is none of ${known.join(", ")}`);
}

function percentage(value: unknown, name: string, checks: Checks): number {
  return typeof value === "number" && value >= 0 && value <= 100 ? value : checks.fail(`${name} is not a percentage`);
}

function timestamp(value: unknown, name: string, checks: Checks): string {
  const text = checks.text(value, name);
  return Number.isNaN(Date.parse(text)) ? checks.fail(`${name} is not a timestamp`) : text;
}
