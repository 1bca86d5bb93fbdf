import { LIMITS } from "../../../contract/limits.ts";
import type { Selection, Snapshot, Store } from "../../store/store.ts";
import { invalidCursor, openCursor, type Position, sealCursor } from "../query/cursors.ts";
import type { AppSettings } from "../service-options.ts";
import { quote, ServiceProblem } from "../service-problem.ts";
import { coverageText, type Respond, readRows, respond } from "./respond.ts";

/** The pagination of operations without cursors. */
const pagination = { next_cursor: null, has_more: false } as const;

/** `GET /v1/sample`, contract section 4.2. */
export function sampleResponder(store: Store): Respond {
  return (call) =>
    respond(store, call, async (selection) => {
      return { data: await readRows(store, sampleIds(selection), call.deadline), pagination };
    });
}

/** Spread evenly over the selection, because the first rows alone would show only the smallest skus. */
function sampleIds({ total, ids }: Selection): Uint32Array {
  const length = Math.min(total, LIMITS.sampleRows);
  return Uint32Array.from({ length }, (_, index) => ids(Math.floor((index * total) / length), 1)[0] ?? 0);
}

/** `GET /v1/coverage`, contract section 4.4. Entries are sorted by retailer, department, category. */
export function coverageResponder(store: Store): Respond {
  return (call) => respond(store, call, async (selection) => ({ data: [coverageText(selection)], pagination }));
}

/** `GET /v1/catalog`, contract section 4.3. */
export function catalogResponder(store: Store, { cursorTtl, now }: AppSettings): Respond {
  return async (call) => {
    const limit = readLimit(call.parameters.get("limit"));
    const secret = await store.cursorSecret(call.deadline);
    const cursor = call.parameters.get("cursor");
    const position = cursor === undefined ? undefined : openCursor(cursor, secret, now(), cursorTtl);
    const read = async ({ ids, total }: Selection, { version }: Snapshot) => {
      const page = ids(position?.offset ?? 0, limit);
      const offset = (position?.offset ?? 0) + page.length;
      const hasMore = offset < total;
      const pagination = {
        limit,
        total_matching: total,
        next_cursor: hasMore ? sealCursor({ offset, version }, secret, now()) : null,
        has_more: hasMore,
      };
      return { data: await readRows(store, page, call.deadline), pagination };
    };
    return respond(store, call, read, () => snapshotAt(store, position, call.deadline));
  };
}

/**
 * A walk stays in the version of the data in which it began. In another version, the same offset would silently skip or
 * repeat rows.
 */
async function snapshotAt(store: Store, position: Position | undefined, deadline: AbortSignal): Promise<Snapshot> {
  if (position === undefined) {
    return await store.snapshot(deadline);
  }
  const snapshot = await store.snapshotAt(position.version, deadline);
  if (snapshot === undefined) {
    throw invalidCursor("The data was replaced after the cursor was issued.");
  }
  return snapshot;
}

function readLimit(text: string | undefined): number {
  if (text === undefined) {
    return LIMITS.pageSize.default;
  }
  const { minimum, maximum } = LIMITS.pageSize;
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(limit >= minimum && limit <= maximum)) {
    const detail = `limit ${quote(text)} is not a whole number from ${minimum} to ${maximum}.`;
    throw new ServiceProblem("invalid_request", detail, { field: "limit" });
  }
  return limit;
}
