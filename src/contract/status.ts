import type { FromSchema } from "json-schema-to-ts";
import { objectSchema } from "./object-schema.ts";

/** States of an incident's updates, in the order in which they progress; contract section 3.2. */
export const INCIDENT_STATES = ["investigating", "identified", "monitoring", "resolved"] as const;

/** Severities of an incident; contract section 3.2. */
export const INCIDENT_SEVERITIES = ["minor", "major"] as const;

/** States of the service, a suite, an endpoint or a day, worst first; contract section 3.2. */
export const SERVICE_STATES = ["outage", "degraded", "operational", "no_data"] as const;

const state = {
  type: "string",
  enum: SERVICE_STATES,
  description: "State of the current day (UTC); `no_data` before its first request.",
} as const;
const uptime_pct = {
  type: ["number", "null"],
  minimum: 0,
  maximum: 100,
  description: "Percentage of the requests in the window without a 5xx; null before the first.",
} as const;

const daySchema = objectSchema("StatusDay", {
  date: { type: "string", format: "date", description: "Day in UTC." },
  state: { type: "string", enum: SERVICE_STATES },
  uptime_pct: { ...uptime_pct, description: "Null exactly on days without data." },
});

const endpointSchema = objectSchema("StatusEndpoint", {
  label: { type: "string", description: "Path, with its method where there is one." },
  state,
  uptime_pct,
});

const suiteSchema = objectSchema("StatusSuite", {
  slug: { type: "string", format: "slug" },
  name: { type: "string" },
  state,
  uptime_pct,
  endpoints: { type: "array", items: endpointSchema },
  days: { type: "array", description: "One entry a day of the window, oldest first.", items: daySchema },
});

const updateSchema = objectSchema("StatusIncidentUpdate", {
  state: { type: "string", enum: INCIDENT_STATES },
  body: { type: "string" },
  posted_at: { type: "string", format: "date-time" },
});

const incidentSchema = objectSchema("StatusIncident", {
  title: { type: "string" },
  suite: { type: "string", description: "Slug of the suite." },
  severity: { type: "string", enum: INCIDENT_SEVERITIES },
  started_at: { type: "string", format: "date-time" },
  resolved_at: { type: ["string", "null"], format: "date-time", description: "Null while the incident lasts." },
  updates: { type: "array", description: "Newest first.", items: updateSchema },
});

/** The machine-readable status document, contract section 4.5. */
export const statusFeedSchema = objectSchema("StatusFeed", {
  state,
  sample_data: { type: "boolean", description: "Whether the rows served are generated demo data." },
  window_days: { type: "integer", minimum: 1 },
  uptime_target: { type: "string", description: "Published target over the window, such as `99.5%`." },
  suites: { type: "array", items: suiteSchema },
  incidents: { type: "array", description: "Newest first.", items: incidentSchema },
});

export type StatusFeed = FromSchema<typeof statusFeedSchema>;
export type StatusSuite = FromSchema<typeof suiteSchema>;
export type StatusIncident = FromSchema<typeof incidentSchema>;
export type IncidentSeverity = (typeof INCIDENT_SEVERITIES)[number];
export type IncidentUpdate = FromSchema<typeof updateSchema>;
export type IncidentState = IncidentUpdate["state"];
export type StatusDay = FromSchema<typeof daySchema>;
export type ServiceState = (typeof SERVICE_STATES)[number];

/** The availability target of contract section 8 rule 5. */
export const AVAILABILITY = { targetPct: 99.5, windowDays: 90 } as const;
