import type { CatalogPagination, Pagination } from "../../../contract/envelope.ts";
import { FILTER_NAMES, type Filters } from "../../../contract/filters.ts";
import {
  type Selection,
  type Snapshot,
  StaleSnapshotError,
  type Store,
  StoreUnavailableError,
  type Visibility,
} from "../../store/store.ts";
import { checkSlugs } from "../query/slug-check.ts";

/** A request after the checks of its key, rate limit and scope. */
export interface Call {
  requestId: string;
  /** The query parameters, all known to the operation. */
  parameters: ReadonlyMap<string, string>;
  filters: Filters;
  visible: Visibility;
  deadline: AbortSignal;
}

/** Computes the response of one operation: the JSON text of its envelope, in UTF-8. */
export type Respond = (call: Call) => Promise<Buffer>;

/** The parts of a response that differ between operations. */
interface Page {
  /** JSON text of the array, in parts. */
  data: readonly Buffer[];
  pagination: Pagination | CatalogPagination;
}

const READS = 3;

/**
 * Responds from one snapshot. If the database is replaced during the read, everything is read again, so that a page never
 * mixes two databases.
 *
 * @param snapshotOf returns the snapshot; the newest one by default
 */
export async function respond(
  store: Store,
  call: Call,
  read: (selection: Selection, snapshot: Snapshot) => Promise<Page>,
  snapshotOf = (): Promise<Snapshot> => store.snapshot(call.deadline),
): Promise<Buffer> {
  for (let attempt = 1; attempt <= READS; attempt += 1) {
    const snapshot = await snapshotOf();
    checkSlugs(call.filters, snapshot.combinations(call.visible));
    const selection = snapshot.select(call.filters, call.visible);
    try {
      return envelope(call, selection, await read(selection, snapshot));
    } catch (error) {
      if (!(error instanceof StaleSnapshotError)) {
        throw error;
      }
    }
  }
  throw new StoreUnavailableError(`the data changed during each of ${READS} reads`);
}

const [OPEN, CLOSE] = [Buffer.from("["), Buffer.from("]")];

/**
 * JSON text of an array of the rows with these ids, in UTF-8.
 *
 * @throws Error if the store returns another number of rows, because a short page would silently lose rows
 */
export async function readRows(store: Store, ids: Uint32Array, deadline: AbortSignal): Promise<readonly Buffer[]> {
  const { count, bytes } = await store.rows(ids, deadline);
  if (count !== ids.length) {
    throw new Error(`the store returned ${count} rows instead of ${ids.length}`);
  }
  return [OPEN, bytes, CLOSE];
}

const DATA = Buffer.from('{"data":');

const NO_FILTERS = Object.fromEntries(FILTER_NAMES.map((name) => [name, null]));

/**
 * Joins an envelope (contract section 2.6) from bytes. Rows are sent exactly as they are stored. The parts that are the
 * same for all pages of a walk are serialised once.
 */
function envelope({ requestId, filters }: Call, selection: Selection, { data, pagination }: Page): Buffer {
  const id = JSON.stringify(requestId);
  const resolved = JSON.stringify({ ...NO_FILTERS, ...filters });
  const meta = `{"request_id":${id},"resolved":${resolved},"coverage":${summaryText(selection)}}`;
  const rest = `,"pagination":${JSON.stringify(pagination)},"meta":${meta}}`;
  return Buffer.concat([DATA, ...data, Buffer.from(rest)]);
}

/** JSON text of a selection's coverage entries, in UTF-8. */
export const coverageText = oncePerSelection((selection) => Buffer.from(JSON.stringify(selection.coverage)));

const summaryText = oncePerSelection((selection) => JSON.stringify(selection.summary));

/** Keeps each text as long as the store keeps the selection. */
function oncePerSelection<T>(write: (selection: Selection) => T): (selection: Selection) => T {
  const texts = new WeakMap<Selection, T>();
  return (selection) => {
    const text = texts.get(selection) ?? write(selection);
    texts.set(selection, text);
    return text;
  };
}
