import type { CatalogPagination, Meta, Pagination } from "../../../contract/envelope.ts";
import type { Filters, Rcd } from "../../../contract/filters.ts";
import type { Selection, Snapshot, Visibility } from "../../store/store.ts";
import { invalidCursor } from "../query/cursors.ts";
import { checkSlugs } from "../query/slug-check.ts";
import type { ServiceParts } from "../service-parts.ts";

/** A request after the checks of its key, rate limit and scope. */
export interface OperationCall extends Pick<ServiceParts, "store" | "settings"> {
  requestId: string;
  /** The query parameters, all known to the operation. */
  parameters: ReadonlyMap<string, string>;
  filters: Filters;
  visible: Visibility;
  deadline: AbortSignal;
  /** The version of the data that is asked for, if there is no cursor. Without its rows, the newest one is used. */
  version: number | undefined;
  onVersion: (used: number) => void;
}

/** The elements of the array as JSON texts with commas between them, in UTF-8, and the pagination. */
type ResponseParts = { data: Buffer; pagination: Pagination | CatalogPagination };

/**
 * Responds from one snapshot: the JSON text of an envelope, in UTF-8.
 *
 * @param version of a cursor
 * @throws ServiceProblem `invalid_cursor` if this version no longer exists
 */
export async function respond(
  call: OperationCall,
  read: (selection: Selection, snapshot: Snapshot) => Promise<ResponseParts>,
  version?: number,
): Promise<Buffer> {
  const { store, filters, visible, deadline } = call;
  const wanted = version ?? call.version;
  const today = await store.snapshot(deadline);
  const isToday = wanted === undefined || wanted === today.version;
  const earlier = isToday ? today : await store.snapshotAt(wanted, deadline);
  if (earlier === undefined && version !== undefined) {
    throw invalidCursor("The data was replaced after the cursor was issued.");
  }
  const snapshot = earlier ?? today;
  call.onVersion(snapshot.version);
  checkSlugs(filters, vocabularyOf(today, snapshot, visible));
  const selection = await snapshot.select(filters, visible);
  return envelope(call, selection, await read(selection, snapshot));
}

/**
 * The combinations that filters may name: those of today, so that a filter that was changed in mid-walk gets no error, and
 * those of the version of the walk, so that a filter that was not changed gets none either (contract section 4.3 rule 3).
 */
function vocabularyOf(today: Snapshot, snapshot: Snapshot, visible: Visibility): readonly Rcd[] {
  const known = snapshot.combinations(visible);
  return today.version === snapshot.version ? known : [...today.combinations(visible), ...known];
}

const DATA = Buffer.from('{"data":[');

const NO_FILTERS = { retailer: null, category: null, department: null, rcd: null, start_date: null, end_date: null };

/** Joins an envelope (contract section 2.6) from bytes. Rows are sent exactly as they are stored. */
function envelope(
  { requestId, filters }: OperationCall,
  selection: Selection,
  { data, pagination }: ResponseParts,
): Buffer {
  const meta: Meta = {
    request_id: requestId,
    resolved: { ...NO_FILTERS, ...filters },
    coverage: selection.summary,
  };
  return Buffer.concat([DATA, data, Buffer.from(`],${JSON.stringify({ pagination, meta }).slice(1)}`)]);
}
