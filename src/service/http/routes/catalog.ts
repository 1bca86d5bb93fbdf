import { LIMITS } from "../../../contract/limits.ts";
import type { Snapshot, Store } from "../../store/store.ts";
import { invalidCursor, openCursor, type Position, sealCursor } from "../cursors.ts";
import { readFilters } from "../filters.ts";
import type { ServiceSettings } from "../options.ts";
import { quote, ServiceProblem } from "../problems.ts";
import { readConsistently, readRows } from "./read.ts";
import { envelope, type Respond, select } from "./respond.ts";

/** `GET /v1/catalog`, contract section 4.3. */
export function catalogResponder(store: Store, { cursorTtl, now }: ServiceSettings): Respond {
  return async (call) => {
    const read = readFilters(call.parameters);
    const limit = readLimit(call.parameters.get("limit"));
    const secret = await store.cursorSecret(call.deadline);
    const cursor = call.parameters.get("cursor");
    const position = cursor === undefined ? undefined : openCursor(cursor, secret, now(), cursorTtl);
    return readConsistently(store, call.deadline, async (snapshot) => {
      const offset = offsetIn(snapshot, position);
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
    });
  };
}

/**
 * An offset counts rows of one version of the data. In another version the same offset would skip or repeat rows
 * without a sign, so that the walk has to start again.
 */
function offsetIn(snapshot: Snapshot, position: Position | undefined): number {
  if (position !== undefined && position.version !== snapshot.version) {
    throw invalidCursor("The data was replaced since the cursor was issued.");
  }
  return position?.offset ?? 0;
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
