import type { FromSchema } from "json-schema-to-ts";

/** States of an incident's updates, in the order in which they progress; contract section 3.2. */
export const INCIDENT_STATES = ["investigating", "identified", "monitoring", "resolved"] as const;

/** Severities of an incident; contract section 3.2. */
export const INCIDENT_SEVERITIES = ["minor", "major"] as const;

/** States of the service, a suite, an endpoint or a day, the worst first; contract section 3.2. */
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
  description: "Percentage of the requests in the window that were not answered with a 5xx; null before the first.",
} as const;

const daySchema = {
  $id: "StatusDay",
  type: "object",
  additionalProperties: false,
  required: ["date", "state", "uptime_pct"],
  properties: {
    date: { type: "string", format: "date", description: "Day in UTC." },
    state: { type: "string", enum: SERVICE_STATES },
    uptime_pct: {
      type: ["number", "null"],
      minimum: 0,
      maximum: 100,
      description: "Null exactly on days without data.",
    },
  },
} as const;

const endpointSchema = {
  $id: "StatusEndpoint",
  type: "object",
  additionalProperties: false,
  required: ["label", "state", "uptime_pct"],
  properties: {
    label: { type: "string", description: "Path, with its method where there is one." },
    state,
    uptime_pct,
  },
} as const;

const suiteSchema = {
  $id: "StatusSuite",
  type: "object",
  additionalProperties: false,
  required: ["slug", "name", "state", "uptime_pct", "endpoints", "days"],
  properties: {
    slug: { type: "string", format: "slug" },
    name: { type: "string" },
    state,
    uptime_pct,
    endpoints: { type: "array", items: endpointSchema },
    days: { type: "array", description: "One entry a day of the window, oldest first.", items: daySchema },
  },
} as const;

const updateSchema = {
  $id: "StatusIncidentUpdate",
  type: "object",
  additionalProperties: false,
  required: ["state", "body", "posted_at"],
  properties: {
    state: { type: "string", enum: INCIDENT_STATES },
    body: { type: "string" },
    posted_at: { type: "string", format: "date-time" },
  },
} as const;

const incidentSchema = {
  $id: "StatusIncident",
  type: "object",
  additionalProperties: false,
  required: ["title", "suite", "severity", "started_at", "resolved_at", "updates"],
  properties: {
    title: { type: "string" },
    suite: { type: "string", description: "Slug of the suite." },
    severity: { type: "string", enum: INCIDENT_SEVERITIES },
    started_at: { type: "string", format: "date-time" },
    resolved_at: { type: ["string", "null"], format: "date-time", description: "Null while the incident lasts." },
    updates: { type: "array", description: "Newest first.", items: updateSchema },
  },
} as const;

/** The machine-readable status document, contract section 4.5. */
export const statusFeedSchema = {
  $id: "StatusFeed",
  type: "object",
  additionalProperties: false,
  required: ["state", "sample_data", "window_days", "uptime_target", "suites", "incidents"],
  properties: {
    state,
    sample_data: { type: "boolean", description: "Whether the rows served are generated demo data." },
    window_days: { type: "integer", minimum: 1 },
    uptime_target: { type: "string", description: "Published target over the window, such as `99.5%`." },
    suites: { type: "array", items: suiteSchema },
    incidents: { type: "array", description: "Newest first.", items: incidentSchema },
  },
} as const;

export type StatusFeed = FromSchema<typeof statusFeedSchema>;
export type StatusSuite = FromSchema<typeof suiteSchema>;
export type StatusIncident = FromSchema<typeof incidentSchema>;
export type StatusDay = FromSchema<typeof daySchema>;
export type ServiceState = (typeof SERVICE_STATES)[number];

/** The availability target of contract section 8 rule 5. */
export const AVAILABILITY = { targetPct: 99.5, windowDays: 90 } as const;
