import { LIMITS } from "../../../contract/limits.ts";
import type { Snapshot, Store } from "../../store/store.ts";
import { invalidCursor, openCursor, type Position, sealCursor } from "../query/cursors.ts";
import { readFilters } from "../query/read-filters.ts";
import type { AppSettings } from "../service-options.ts";
import { quote, ServiceProblem } from "../service-problem.ts";
import { envelope, type Respond, select } from "./respond.ts";
import { readConsistently, readRows } from "./snapshot-read.ts";

/** `GET /v1/catalog`, contract section 4.3. */
export function catalogResponder(store: Store, { cursorTtl, now }: AppSettings): Respond {
  return async (call) => {
    const read = readFilters(call.parameters);
    const limit = readLimit(call.parameters.get("limit"));
    const secret = await store.cursorSecret(call.deadline);
    const cursor = call.parameters.get("cursor");
    const position = cursor === undefined ? undefined : openCursor(cursor, secret, now(), cursorTtl);
    const answerFrom = async (snapshot: Snapshot) => {
      const offset = position?.offset ?? 0;
      const selection = select(snapshot, read, call.visible);
      const expected = Math.min(limit, Math.max(0, selection.total - offset));
      const data = await readRows(store, selection.ids(offset, expected), expected, call.deadline);
      const next = { offset: offset + expected, version: snapshot.version };
      const hasMore = next.offset < selection.total;
      const pagination = {
        limit,
        total_matching: selection.total,
        next_cursor: hasMore ? sealCursor(next, secret, now()) : null,
        has_more: hasMore,
      };
      return envelope(data, { call, read, selection, pagination });
    };
    return readConsistently(store, call.deadline, answerFrom, () => snapshotAt(store, position, call.deadline));
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
    throw new ServiceProblem(
      "invalid_request",
      `limit ${quote(text)} is not a whole number from ${minimum} to ${maximum}.`,
      {
        field: "limit",
      },
    );
  }
  return limit;
}
