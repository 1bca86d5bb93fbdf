import type { OperationName, Scope } from "../../contract/operations.ts";
import type { StatusIncident } from "../../contract/status.ts";
import { firstFew } from "../../contract/values/phrases.ts";

/** Retailers that a team can see; `null` means all. For the team, other retailers do not exist. */
export type Visibility = readonly string[] | null;

/** The position of a row in the row order: by sku, retailer, day and product id, each ascending by UTF-8 bytes. */
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
  created_at: string;
  /** Time of the last accepted request, written some seconds later. Null before the first request. */
  last_used_at: string | null;
  revoked_at: string | null;
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

/** At the moment, the database cannot be read or written. */
export class StoreUnavailableError extends Error {}

/** The database was opened for reading only, so that a change of it is no failure. */
export class ReadOnlyError extends StoreUnavailableError {}

/** A query passed its deadline and was cancelled. */
export class StoreTimeoutError extends Error {}

/** The stored data does not allow a change; the message says why. */
export class RefusedChangeError extends Error {}

/** @param message says that there is no key, team or member of a name. @param known those that exist */
export function unknownName(message: string, known: readonly { name: string }[]): RefusedChangeError {
  const names = [...new Set(known.map(({ name }) => name))];
  return new RefusedChangeError(
    `${message}; ${names.length === 1 ? "there is" : "there are"} ${firstFew(names, 20) || "none"}`,
  );
}
