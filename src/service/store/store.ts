import type { Coverage, CoverageSummary } from "../../contract/coverage.ts";
import type { Filters, Rcd } from "../../contract/filters.ts";
import type { OperationName, Scope } from "../../contract/operations.ts";
import type { StatusIncident } from "../../contract/status.ts";

/** Retailers that a team can see; `null` means all. For the team, other retailers do not exist. */
export type Visibility = readonly string[] | null;

/** The rows that match a set of filters in one version of the data, in the row order of the service. */
export interface Selection {
  /** Identifies the filters and the visibility. */
  readonly key: string;
  readonly total: number;
  readonly summary: CoverageSummary;
  /** One entry per combination with at least one matching row, sorted by retailer, department, category. */
  coverage(): readonly Coverage[];
  /**
   * At most `limit` row ids from `offset` on.
   *
   * @param after id of the row before the offset; without it, the cost grows in a large selection with the distance to its
   *   nearer end
   * @throws DamagedDataError if the database lacks a row that it counted
   */
  ids(offset: number, limit: number, after?: number): Promise<readonly number[]>;
  /**
   * At most `most` row ids, spread evenly over the row order, or in a large selection over combinations and days.
   *
   * @throws DamagedDataError
   */
  spreadIds(most: number): Promise<readonly number[]>;
}

/**
 * One version of the data; all reads of a snapshot are consistent, and end at its deadline. Rows are ordered by sku,
 * retailer, crawl date and product id, each ascending by UTF-8 bytes. Each read throws `StaleSnapshotError` if the database
 * was replaced since.
 */
export interface Snapshot {
  /** Higher after every load that adds rows and every removal. */
  readonly version: number;
  /** All combinations with rows that the team can see, sorted by retailer, department, category. */
  combinations(visible: Visibility): readonly Rcd[];
  /** The selection of valid filters. */
  select(filters: Filters, visible: Visibility): Promise<Selection>;
}

/** The rights of a team and of all its keys. */
export interface Grants {
  scopes: readonly Scope[];
  retailers: Visibility;
}

/** A stored API key with the current grants of its team. The secret is never stored. */
export interface KeyRecord extends Grants {
  id: number;
  /** Unique within the team. */
  name: string;
  team: string;
  /** ISO 8601 timestamps. */
  createdAt: string;
  /** Time of the last accepted request, written some seconds later. Null before the first request. */
  lastUsedAt: string | null;
  revokedAt: string | null;
}

/** A use of the key `id` at the time `at` (ISO 8601). */
export interface KeyUse {
  id: number;
  at: string;
}

/** A part of the service whose requests are counted: an operation of the API or a part of the portal. */
export type MeasuredPart = OperationName | "portal-sign-in" | "portal-keys";

/** Requests to one part of the service on one day (UTC). */
export interface DayCount {
  date: string;
  operation: MeasuredPart;
  requests: number;
  /** Responses with a 5xx status. */
  failures: number;
}

/** An incident as in the status feed, and its id. */
export interface Incident extends StatusIncident {
  id: number;
}

/** The requests of a window so far. */
export interface WindowCount {
  /** Milliseconds since the epoch. */
  startedAt: number;
  used: number;
}

/** Counts requests by key, in windows of one length. Times are milliseconds since the epoch. */
export interface Windows {
  /** Counts one request, in one step. The first one after the end of a window starts the next. */
  charge(key: string, time: number, deadline?: AbortSignal): Promise<WindowCount>;
  /**
   * The same for the team of the key whose secret has this hash, with the key, in one round trip. Undefined if the key is
   * unknown or revoked. Keys are never cached, so that a revocation holds at once.
   */
  chargeTeam(
    hash: string,
    time: number,
    deadline: AbortSignal,
  ): Promise<(WindowCount & { key: KeyRecord }) | undefined>;
  /** The present window. Undefined if the next request starts one. */
  read(key: string, time: number, deadline?: AbortSignal): Promise<WindowCount | undefined>;
}

/**
 * Storage of rows, keys and measurements. All methods reject with `StoreUnavailableError` while the database is locked,
 * missing, damaged or unreachable, and with `StoreTimeoutError` when `deadline` passes. The store recovers by itself.
 */
export interface Store {
  /** The newest committed version of the data. It includes loads by other processes. */
  snapshot(deadline: AbortSignal): Promise<Snapshot>;
  /** An earlier version. Undefined if the database never had it, or deleted rows of it since (a day after their removal). */
  snapshotAt(version: number, deadline: AbortSignal): Promise<Snapshot | undefined>;
  /**
   * JSON texts of the rows with these ids, in the order of the ids, as UTF-8 with commas between them.
   *
   * @throws StaleSnapshotError if a row is missing because the database was replaced after the ids were read.
   * @throws DamagedDataError if a row differs from what was stored.
   */
  rows(ids: readonly number[], deadline: AbortSignal): Promise<RowTexts>;
  /** The key whose secret has this hash, revoked or not; never cached, so that a revocation holds at once. */
  keyByHash(hash: string, deadline: AbortSignal): Promise<KeyRecord | undefined>;
  /** The database's secret for signing cursors, generated with the database. */
  cursorSecret(deadline: AbortSignal): Promise<Buffer>;
  /** Windows of a length in milliseconds. All services on the database share those of a name; a restart keeps them. */
  windows(name: string, length: number): Windows;
  addDayCounts(counts: readonly DayCount[]): Promise<void>;
  /** Stores the time of each key's last use. */
  addKeyUses(uses: readonly KeyUse[]): Promise<void>;
  /** Counts from the day `since` (`YYYY-MM-DD`) on. */
  dayCounts(since: string): Promise<DayCount[]>;
  /** Incidents that are open or were open at or after `since`, newest first. */
  incidents(since: string): Promise<Incident[]>;
  close(): Promise<void>;
}

export interface RowTexts {
  count: number;
  bytes: Buffer;
}

/** At the moment, the database cannot be read or written. */
export class StoreUnavailableError extends Error {
  override readonly name = "StoreUnavailableError";
}

/** A query passed its deadline and was cancelled. */
export class StoreTimeoutError extends Error {
  override readonly name = "StoreTimeoutError";
}

/** The stored data is not what was written: the disk or the file is damaged. */
export class DamagedDataError extends Error {
  override readonly name = "DamagedDataError";
}

/** The database was replaced between reading ids and reading their rows. */
export class StaleSnapshotError extends Error {
  override readonly name = "StaleSnapshotError";
}

/** The stored data does not allow a change; the message says why. */
export class RefusedChangeError extends Error {
  override readonly name = "RefusedChangeError";
}

/** There is no key, team or member of this name; `known` are the names that exist. */
export class UnknownNameError extends Error {
  override readonly name = "UnknownNameError";
  readonly known: readonly string[];

  constructor(message: string, known: readonly string[]) {
    super(message);
    this.known = known;
  }
}
