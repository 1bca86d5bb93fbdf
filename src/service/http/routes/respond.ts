import type { CatalogPagination, Pagination } from "../../../contract/envelope.ts";
import type { Selection, Snapshot, Visibility } from "../../store/store.ts";
import type { ReadFilters } from "../filters.ts";
import { checkVocabulary } from "../vocabulary.ts";

/** An authenticated, admitted request. */
interface Call {
  requestId: string;
  /** Query parameters, each at most once, all of them known to the operation. */
  parameters: ReadonlyMap<string, string>;
  visible: Visibility;
  deadline: AbortSignal;
}

/** Answers one operation with the JSON text of its envelope. */
export type Respond = (call: Call) => Promise<string>;

/** The rows that a call's filters match, once their slugs are found in what the team can see. */
export function select(snapshot: Snapshot, { filters }: ReadFilters, visible: Visibility): Selection {
  checkVocabulary(filters, snapshot.combinations(visible));
  return snapshot.select(filters, visible);
}

interface EnvelopeParts {
  call: Call;
  read: ReadFilters;
  selection: Selection;
  pagination: Pagination | CatalogPagination;
}

/**
 * Joins an envelope (contract section 2.6) from texts: rows leave as they are stored, and what every page of a walk
 * repeats is serialised once.
 *
 * @param data JSON text of the array.
 */
export function envelope(data: string, { call, read, selection, pagination }: EnvelopeParts): string {
  const requestId = JSON.stringify(call.requestId);
  const resolved = JSON.stringify(read.resolved);
  const meta = `{"request_id":${requestId},"resolved":${resolved},"coverage":${summaryText(selection)}}`;
  return `{"data":${data},"pagination":${JSON.stringify(pagination)},"meta":${meta}}`;
}

/** JSON text of a selection's coverage entries. */
export const coverageText = oncePerSelection((selection) => JSON.stringify(selection.coverage));

const summaryText = oncePerSelection((selection) => JSON.stringify(selection.summary));

/** A text lives as long as the store keeps the selection. */
function oncePerSelection(write: (selection: Selection) => string): (selection: Selection) => string {
  const texts = new WeakMap<Selection, string>();
  return (selection) => {
    const text = texts.get(selection) ?? write(selection);
    texts.set(selection, text);
    return text;
  };
}
