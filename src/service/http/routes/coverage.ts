import type { Store } from "../../store/store.ts";
import { readFilters } from "../query/read-filters.ts";
import { coverageText, envelope, type Respond, select } from "./respond.ts";
import { readConsistently } from "./snapshot-read.ts";

const UNCURSORED = { next_cursor: null, has_more: false } as const;

/** `GET /v1/coverage`, contract section 4.4; entries by retailer, department, category. */
export function coverageResponder(store: Store): Respond {
  return async (call) => {
    const read = readFilters(call.parameters);
    return readConsistently(store, call.deadline, async (snapshot) => {
      const selection = select(snapshot, read, call.visible);
      return envelope([coverageText(selection)], { call, read, selection, pagination: UNCURSORED });
    });
  };
}
