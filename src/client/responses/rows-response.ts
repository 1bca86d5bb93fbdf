import {
  type CatalogPagination,
  catalogResponseSchema,
  type Meta,
  type Pagination,
  sampleResponseSchema,
} from "../../contract/envelope.ts";
import type { Filters } from "../../contract/filters.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Schema } from "../../contract/object-schema.ts";
import type { RowBatch } from "../../rows/batch.ts";
import { createFilterCheck } from "../../rows/filter-check.ts";
import { scanResponse } from "../../rows/response.ts";
import { findRowError } from "../../rows/row-error.ts";
import { outsideFilters, readEnvelope } from "./envelope-response.ts";
import type { Identified } from "./read-response.ts";
import { brokenContract } from "./shape.ts";

/** Rows of one response. */
export interface RowsResponse<P> extends Identified {
  /** Character for character as the service sent them, each checked against contract section 2.1. */
  rows: RowBatch;
  pagination: P;
  meta: Meta;
}

/** A response of `GET /v1/sample`. */
export type SampleResponse = RowsResponse<Pagination>;

/** One page of `GET /v1/catalog`. */
export type CatalogPage = RowsResponse<CatalogPagination>;

/** A schema that skips the rows; they are checked in the received bytes. */
function withoutRows(schema: Schema): Schema {
  return { ...schema, properties: { ...schema.properties, data: { type: "array" } } };
}

const sampleShape = withoutRows(sampleResponseSchema);
const catalogShape = withoutRows(catalogResponseSchema);

/**
 * Reads a sample. The response owns the body afterwards.
 *
 * @throws ContractError if the response is not what contract section 4.2 promises.
 * @throws SyntaxError if the body is not JSON in UTF-8.
 */
export function readSample(body: Buffer, filters: Filters): SampleResponse {
  const sample = readRowsResponse<Pagination>(body, sampleShape, filters, LIMITS.sampleRows);
  const { rows, pagination, meta } = sample;
  if (pagination.has_more) {
    throw brokenContract("a sample has no further page, but `pagination.has_more` is true", meta.request_id, false);
  }
  const outside = createFilterCheck(filters)(rows);
  if (outside !== -1) {
    throw outsideFilters(`row ${rows.raw(outside, rows.column("product_id"))}`, meta.request_id);
  }
  return sample;
}

/**
 * Reads a page. The response owns the body afterwards.
 *
 * @throws ContractError if the page is not what contract section 4.3 promises for `limit` rows at most.
 * @throws SyntaxError if the body is not JSON in UTF-8.
 */
export function readCatalogPage(body: Buffer, filters: Filters, limit: number): CatalogPage {
  const page = readRowsResponse<CatalogPagination>(body, catalogShape, filters, limit);
  const { pagination, meta } = page;
  const { has_more, next_cursor } = pagination;
  if (has_more && (next_cursor === null || next_cursor === "")) {
    throw brokenContract("`pagination.has_more` is true but there is no `pagination.next_cursor`", meta.request_id);
  }
  if (/\p{Cs}/u.test(next_cursor ?? "")) {
    throw brokenContract("`pagination.next_cursor` has a lone surrogate", meta.request_id);
  }
  // `has_more` alone ends a walk; a cursor on the last page is ignored.
  return { ...page, pagination: { ...pagination, next_cursor: has_more ? next_cursor : null } };
}

function readRowsResponse<P>(body: Buffer, schema: Schema, filters: Filters, limit: number): RowsResponse<P> {
  const { document, rows, foreign } = scanResponse(body);
  const { pagination, meta } = readEnvelope<unknown, P>(schema, document, filters);
  if (rows.length > limit) {
    throw brokenContract(`${rows.length} rows where at most ${limit} were asked for`, meta.request_id, false);
  }
  const error = foreign === -1 ? findRowError(rows) : `\`data[${foreign}]\` is not an object`;
  if (error !== undefined) {
    throw brokenContract(error, meta.request_id);
  }
  return { rows, pagination, meta };
}
