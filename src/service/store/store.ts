import type { Coverage, CoverageSummary } from "../../contract/coverage.ts";
import type { Filters, Rcd } from "../../contract/filters.ts";
import type { OperationName, Scope } from "../../contract/operations.ts";
import type { StatusIncident } from "../../contract/status.ts";
import type { RowSet } from "./product-rows/row-set.ts";
import type { createWindows } from "./windows.ts";

/** Retailers that a team can see; `null` means all. For the team, other retailers do not exist. */
export type Visibility = readonly string[] | null;

/** The rows that match a set of filters in one version of the data. */
export interface Selection {
  /** Identifies the filters and the visibility. */
  readonly key: string;
  readonly total: number;
  readonly summary: CoverageSummary;
  /** What the store reads them by. */
  readonly rows: RowSet;
  /** One entry per combination with at least one matching row, sorted by retailer, department, category. */
  coverage(): readonly Coverage[];
  /** At most `most` rows, spread evenly over combinations and days, in the row order. It is read once. @throws DamagedDataError */
  sample(most: number): Promise<RowTexts>;
}

/**
 * One version of the data; all reads of a snapshot are consistent. Rows are ordered by sku, retailer, crawl date and product
 * id, each ascending by UTF-8 bytes.
 */
export interface Snapshot {
  /** Higher after every load that adds rows and every removal. */
  readonly version: number;
  /** All combinations with rows that the team can see, sorted by retailer, department, category. */
  combinations(visible: Visibility): readonly Rcd[];
  /** The selection of valid filters. */
  select(filters: Filters, visible: Visibility): Promise<Selection>;
}

/** Where a row is in the row order. */
export interface RowPlace {
  sku: string;
  retailer: string;
  /** YYYYMMDD. */
  day: number;
  product_id: string;
}

/** Where a page of a selection begins. */
export interface PageStart {
  /** Rows of the selection before the page. */
  offset: number;
  /** The last of these rows, if it is known. Without it, the cost grows with the offset. */
  after?: RowPlace | undefined;
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

/**
 * Storage of rows, keys and measurements. All methods reject with `StoreUnavailableError` while the database is locked,
 * missing, damaged or unreachable, and with `StoreTimeoutError` when `deadline` passes. The store recovers by itself.
 */
export interface Store {
  /**
   * The newest version of the data. It includes loads by other processes, once they are published and their rows are counted.
   * Until then, it is the version before, so that no request waits for a load.
   */
  snapshot(deadline: AbortSignal): Promise<Snapshot>;
  /** An earlier version. Undefined if the database never had it, or a day after the next version. */
  snapshotAt(version: number, deadline: AbortSignal): Promise<Snapshot | undefined>;
  /**
   * At most `limit` rows of a selection of this store, in the row order.
   *
   * @throws DamagedDataError if the database lacks a row that it counted
   */
  page(selection: Selection, start: PageStart, limit: number, deadline: AbortSignal): Promise<Page>;
  /** At most `most` rows of a selection, spread evenly over combinations and days, in the row order. @throws as `page` */
  sample(selection: Selection, most: number, deadline: AbortSignal): Promise<RowTexts>;
  /** The key whose secret has this hash, revoked or not; never cached, so that a revocation holds at once. */
  keyByHash(hash: string, deadline: AbortSignal): Promise<KeyRecord | undefined>;
  /** The database's secret for signing cursors, generated with the database. */
  cursorSecret(deadline: AbortSignal): Promise<Buffer>;
  /** Windows of a length in milliseconds. All services on the database share those of a name; a restart keeps them. */
  windows(name: string, length: number): ReturnType<typeof createWindows>;
  addDayCounts(counts: readonly DayCount[]): Promise<void>;
  /** Stores the time of each key's last use. */
  addKeyUses(uses: readonly KeyUse[]): Promise<void>;
  /** Counts from the day `since` (`YYYY-MM-DD`) on. */
  dayCounts(since: string): Promise<DayCount[]>;
  /** Incidents that are open or were open at or after `since`, newest first. */
  incidents(since: string): Promise<Incident[]>;
  close(): Promise<void>;
}

/** JSON texts of rows as UTF-8, with commas between them. */
export interface RowTexts {
  count: number;
  bytes: Buffer;
}

export interface Page extends RowTexts {
  /** The place of the last row. Undefined without rows. */
  last: RowPlace | undefined;
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
