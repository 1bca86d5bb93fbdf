import type { CatalogPagination, Meta, Pagination } from "../contract/envelope.ts";
import type { Filters } from "../contract/filters.ts";
import { LIMITS } from "../contract/limits.ts";
import { rawElements, rawMembers } from "../contract/raw-json.ts";
import { isFields } from "./checks.ts";
import { type OpenedEnvelope, openEnvelope } from "./meta.ts";

/** Rows of one answer. */
export interface RowsAnswer<P> {
  /** Raw JSON text of each row, character for character as the service sent it. */
  rows: string[];
  pagination: P;
  meta: Meta;
}

/** An answer of `GET /v1/sample`. */
export type SampleAnswer = RowsAnswer<Pagination>;

/** One page of `GET /v1/catalog`. */
export type CatalogPage = RowsAnswer<CatalogPagination>;

/** @throws ContractError where the answer is not what contract section 4.2 promises. */
export function readSample(document: unknown, text: string, filters: Filters): SampleAnswer {
  const opened = openEnvelope(document, filters);
  return {
    rows: readRows(opened, text, LIMITS.sampleRows),
    pagination: readPosition(opened),
    meta: opened.meta,
  };
}

/** @throws ContractError where the page is not what contract section 4.3 promises for `limit` rows at most. */
export function readCatalogPage(document: unknown, text: string, filters: Filters, limit: number): CatalogPage {
  const opened = openEnvelope(document, filters);
  const { pagination, checks } = opened;
  const { has_more, next_cursor } = readPosition(opened);
  if (has_more && (next_cursor === null || next_cursor === "")) {
    checks.fail("`has_more` is true but there is no `next_cursor`");
  }
  return {
    rows: readRows(opened, text, limit),
    pagination: {
      limit: checks.count(pagination.limit, "`pagination.limit`"),
      total_matching: checks.count(pagination.total_matching, "`pagination.total_matching`"),
      // A cursor beside `has_more: false` leads nowhere: `has_more` alone ends a walk.
      next_cursor: has_more ? next_cursor : null,
      has_more,
    },
    meta: opened.meta,
  };
}

function readPosition({ pagination, checks }: OpenedEnvelope): Pagination {
  return {
    next_cursor: checks.textOrNull(pagination.next_cursor ?? null, "`pagination.next_cursor`"),
    has_more: checks.flag(pagination.has_more, "`pagination.has_more`"),
  };
}

function readRows({ data, checks }: OpenedEnvelope, text: string, most: number): string[] {
  if (data.length > most) {
    checks.fail(`${data.length} rows where at most ${most} were asked for`);
  }
  const wrong = data.findIndex((row) => !isFields(row));
  if (wrong !== -1) {
    checks.fail(`row ${wrong + 1} of the answer is not an object`);
  }
  return rawElements(rawMembers(text).get("data") ?? "[]");
}
