import type { CatalogPagination, Pagination } from "../../../contract/envelope.ts";
import type { Selection, Snapshot, Visibility } from "../../store/store.ts";
import type { ReadFilters } from "../query/read-filters.ts";
import { checkSlugs } from "../query/slug-check.ts";

/** A request after the checks of its key, rate limit and scope. */
interface Call {
  requestId: string;
  /** The query parameters, all known to the operation. */
  parameters: ReadonlyMap<string, string>;
  visible: Visibility;
  deadline: AbortSignal;
}

/** Computes the response of one operation: the JSON text of its envelope, in UTF-8. */
export type Respond = (call: Call) => Promise<Buffer>;

/** The rows that match the filters of a call. Refuses slugs that the team cannot see. */
export function select(snapshot: Snapshot, { filters }: ReadFilters, visible: Visibility): Selection {
  checkSlugs(filters, snapshot.combinations(visible));
  return snapshot.select(filters, visible);
}

/** The pagination of operations without cursors. */
export const UNCURSORED = { next_cursor: null, has_more: false } as const;

const DATA = Buffer.from('{"data":');

interface EnvelopeParts {
  call: Call;
  read: ReadFilters;
  selection: Selection;
  pagination: Pagination | CatalogPagination;
}

/**
 * Joins an envelope (contract section 2.6) from bytes. Rows are sent exactly as they are stored. The parts that are the
 * same for all pages of a walk are serialised once.
 *
 * @param data JSON text of the array, in parts
 */
export function envelope(data: readonly Buffer[], { call, read, selection, pagination }: EnvelopeParts): Buffer {
  const requestId = JSON.stringify(call.requestId);
  const resolved = JSON.stringify(read.resolved);
  const meta = `{"request_id":${requestId},"resolved":${resolved},"coverage":${summaryText(selection)}}`;
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
