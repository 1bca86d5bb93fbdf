import type { Coverage, CoverageSummary } from "../../contract/coverage.ts";
import type { Rcd } from "../../contract/filters.ts";
import type { OperationName, Scope } from "../../contract/operations.ts";
import type { INCIDENT_SEVERITIES, INCIDENT_STATES } from "../../contract/status.ts";

/** Retailers that a team can see; `null` means all of them. An invisible retailer does not exist for the team. */
export type Visibility = readonly string[] | null;

/** Filters after validation. Absent members do not restrict; `combinations` is the parsed `rcd` list. */
export interface SelectionFilters {
  retailer?: string;
  category?: string;
  department?: string;
  combinations?: readonly Rcd[];
  /** `YYYY-MM-DD`, inclusive. */
  startDate?: string;
  endDate?: string;
}

/** The rows that one filter set matches in one version of the data, in the one row order of the service. */
export interface Selection {
  readonly total: number;
  /** One entry per combination with at least one matching row, sorted by retailer, department, category. */
  readonly coverage: readonly Coverage[];
  readonly summary: CoverageSummary;
  /** Row ids from `offset`, at most `limit`; costs the same at any offset. */
  ids(offset: number, limit: number): Uint32Array;
}

/**
 * One version of the data: every read of one snapshot agrees with every other. Rows are ordered by sku,
 * retailer, crawl date and product id, each ascending by UTF-8 bytes.
 */
export interface Snapshot {
  /** Higher after every load that adds rows. */
  readonly version: number;
  /** Every combination that holds rows, visible to the team, sorted by retailer, department, category. */
  combinations(visible: Visibility): readonly Rcd[];
  /** Computed once per filter set and version, then kept within a stated memory bound. */
  select(filters: SelectionFilters, visible: Visibility): Selection;
}

/** The rights of a team and of all its keys. */
export interface Grants {
  scopes: readonly Scope[];
  retailers: Visibility;
}

/** A stored API key with the present grants of its team. The secret itself is never stored. */
export interface KeyRecord extends Grants {
  id: number;
  /** Unique within the team. */
  name: string;
  team: string;
  /** ISO 8601 timestamps. */
  createdAt: string;
  /** Time of the last accepted request, some seconds late; null before the first. */
  lastUsedAt: string | null;
  revokedAt: string | null;
}

/** A request of the key `id` at `at` (ISO 8601). */
export interface KeyUse {
  id: number;
  at: string;
}

/** A measured part of the service: an operation of the API, or a part of the portal. */
export type MeasuredPart = OperationName | "portal-sign-in" | "portal-keys";

/** Requests of one part of the service on one day (UTC), as the service measured them. */
export interface DayCount {
  date: string;
  operation: MeasuredPart;
  requests: number;
  /** Requests answered with a 5xx status. */
  failures: number;
}

export type IncidentState = (typeof INCIDENT_STATES)[number];
export type IncidentSeverity = (typeof INCIDENT_SEVERITIES)[number];

export interface IncidentUpdate {
  state: IncidentState;
  body: string;
  postedAt: string;
}

export interface Incident {
  id: number;
  title: string;
  suite: string;
  severity: IncidentSeverity;
  startedAt: string;
  resolvedAt: string | null;
  /** Newest first. */
  updates: readonly IncidentUpdate[];
}

/**
 * Storage of rows, keys and measurements. Every method rejects with
 * `StoreUnavailableError` when the database is locked, missing, damaged or out of reach, and with
 * `StoreTimeoutError` when `deadline` passes. The store works again when the cause ends.
 */
export interface Store {
  /** The newest committed version of the data; a load by another process is seen at the next call. */
  snapshot(deadline: AbortSignal): Promise<Snapshot>;
  /** An earlier version: loads only add rows, so each stays readable. Undefined where the database never had it. */
  snapshotAt(version: number, deadline: AbortSignal): Promise<Snapshot | undefined>;
  /**
   * JSON texts of the rows with these ids, in the order of the ids, as UTF-8 with commas between them.
   *
   * @throws StaleSnapshotError if a row is missing because the database was replaced after the ids were read.
   * @throws DamagedDataError if a row differs from what was stored.
   */
  rows(ids: Uint32Array, deadline: AbortSignal): Promise<RowTexts>;
  /** The key whose secret has this hash, revoked or not; never cached, so that a revocation holds at once. */
  keyByHash(hash: string, deadline: AbortSignal): Promise<KeyRecord | undefined>;
  /** Secret of this database for signing cursors, made when the database is created. */
  cursorSecret(deadline: AbortSignal): Promise<Buffer>;
  addDayCounts(counts: readonly DayCount[]): Promise<void>;
  /** Keeps the time of each key's latest use. */
  addKeyUses(uses: readonly KeyUse[]): Promise<void>;
  /** Counts of the days from `since` (`YYYY-MM-DD`) on. */
  dayCounts(since: string): Promise<DayCount[]>;
  /** Incidents that are open or were open at or after `since`, newest first. */
  incidents(since: string): Promise<Incident[]>;
  close(): Promise<void>;
}

export interface RowTexts {
  count: number;
  bytes: Buffer;
}

/** The database cannot be read or written now. */
export class StoreUnavailableError extends Error {
  override readonly name = "StoreUnavailableError";
}

/** A query passed its deadline and was cancelled. */
export class StoreTimeoutError extends Error {
  override readonly name = "StoreTimeoutError";
}

/** The stored data differs from what was written: the disk or the file is damaged. */
export class DamagedDataError extends Error {
  override readonly name = "DamagedDataError";
}

/** The database was replaced between reading ids and reading their rows. */
export class StaleSnapshotError extends Error {
  override readonly name = "StaleSnapshotError";
}
