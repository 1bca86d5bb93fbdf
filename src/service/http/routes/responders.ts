import type { Coverage } from "../../../contract/coverage.ts";
import { LIMITS } from "../../../contract/limits.ts";
import type { OperationName } from "../../../contract/operations.ts";
import { openCursor, sealCursor, selectionDigest } from "../query/cursors.ts";
import { quote, ServiceProblem } from "../service-problem.ts";
import { type OperationCall, respond } from "./respond.ts";

/** The pagination of operations without cursors. */
const UNCURSORED = { next_cursor: null, has_more: false } as const;

/** Computes the response of each operation: the JSON text of its envelope, in UTF-8. */
export const RESPONDERS: Readonly<Record<OperationName, (call: OperationCall) => Promise<Buffer>>> = {
  /** `GET /v1/sample`, contract section 4.2. The first rows alone would show only the smallest skus. */
  sample: (call) =>
    respond(call, async (selection) => ({
      data: (await call.store.sample(selection, LIMITS.sampleRows, call.deadline)).bytes,
      pagination: UNCURSORED,
    })),
  catalog: catalogResponse,
  /** `GET /v1/coverage`, contract section 4.4. Entries are sorted by retailer, department, category. */
  coverage: (call) =>
    respond(call, async (selection) => ({ data: coverageText(selection.coverage()), pagination: UNCURSORED })),
};

const coverageTexts = new WeakMap<readonly Coverage[], Buffer>();

/** The coverage as the `data` of a page. It is kept as long as the store keeps the selection. */
function coverageText(coverage: readonly Coverage[]): Buffer {
  const text = coverageTexts.get(coverage) ?? Buffer.from(JSON.stringify(coverage).slice(1, -1));
  coverageTexts.set(coverage, text);
  return text;
}

/**
 * `GET /v1/catalog`, contract section 4.3. A walk stays in the version of the data in which it began. In another
 * version, the same offset would silently skip or repeat rows.
 */
async function catalogResponse(call: OperationCall): Promise<Buffer> {
  const { store, settings, parameters, deadline } = call;
  const { now, cursorTtl } = settings;
  const limit = readLimit(parameters.get("limit"));
  const secret = await store.cursorSecret(deadline);
  const cursor = parameters.get("cursor");
  const position = cursor === undefined ? undefined : openCursor(cursor, secret, now(), cursorTtl);
  return await respond(
    call,
    async (rows, { version }) => {
      const { key, total } = rows;
      const selection = selectionDigest(key);
      const start = position?.offset ?? 0;
      // The last row of other filters says nothing here: changed filters continue by the offset alone (rule 3).
      const after = position?.selection === selection ? position.after : undefined;
      const { count, bytes, last } = await store.page(rows, { offset: start, after }, limit, deadline);
      const offset = start + count;
      const hasMore = offset < total;
      const pagination = {
        limit,
        total_matching: total,
        next_cursor: hasMore ? sealCursor({ offset, version, after: last, selection }, secret, now()) : null,
        has_more: hasMore,
      };
      return { data: bytes, pagination };
    },
    position?.version,
  );
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
