import { LIMITS } from "../../../contract/limits.ts";
import type { Selection, Store } from "../../store/store.ts";
import { readFilters } from "../query/read-filters.ts";
import { envelope, type Respond, select, UNCURSORED } from "./respond.ts";
import { readConsistently, readRows } from "./snapshot-read.ts";

/** `GET /v1/sample`, contract section 4.2. */
export function sampleResponder(store: Store): Respond {
  return async (call) => {
    const read = readFilters(call.parameters);
    return readConsistently(store, call.deadline, async (snapshot) => {
      const selection = select(snapshot, read, call.visible);
      const ids = spread(selection, LIMITS.sampleRows);
      const data = await readRows(store, ids, Math.min(selection.total, LIMITS.sampleRows), call.deadline);
      return envelope(data, { call, read, selection, pagination: UNCURSORED });
    });
  };
}

/**
 * Ids of at most `count` rows, spread evenly over the selection, in its order. The first rows alone would show only the
 * smallest skus. The same selection always gives the same rows.
 */
function spread(selection: Selection, count: number): Uint32Array {
  const { total } = selection;
  if (total <= count) {
    return selection.ids(0, total);
  }
  return Uint32Array.from({ length: count }, (_, index) => {
    const [id] = selection.ids(Math.floor((index * total) / count), 1);
    if (id === undefined) {
      throw new Error("the selection has fewer rows than its total");
    }
    return id;
  });
}
