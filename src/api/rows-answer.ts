import {
  type CatalogPagination,
  catalogResponseSchema,
  type Meta,
  type Pagination,
  sampleResponseSchema,
} from "../contract/envelope.ts";
import { combinationFilter, dayFilter } from "../contract/filter-match.ts";
import type { Filters } from "../contract/filters.ts";
import { LIMITS } from "../contract/limits.ts";
import type { Product } from "../contract/product.ts";
import { rawElements, rawMembers } from "../contract/raw-json.ts";
import { parseBody } from "./answer.ts";
import { outsideFilters, readEnvelope } from "./envelope-answer.ts";
import { brokenContract, isFields } from "./shape.ts";

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

/** Rows are read as the text that came, not as the schema's objects. */
const rawRows = { type: "array" } as const;
const sampleShape = {
  ...sampleResponseSchema,
  properties: { ...sampleResponseSchema.properties, data: rawRows },
} as const;
const catalogShape = {
  ...catalogResponseSchema,
  properties: { ...catalogResponseSchema.properties, data: rawRows },
} as const;

/** @throws ContractError where the answer is not what contract section 4.2 promises. */
export function readSample(body: Buffer, filters: Filters): SampleAnswer {
  const document = parseBody(body);
  const { data, pagination, meta } = readEnvelope<Product, Pagination>(sampleShape, document, filters);
  const rows = readRows(data, body, LIMITS.sampleRows, meta);
  const isOfCombination = combinationFilter(filters);
  const isOfDay = dayFilter(filters);
  for (const row of data) {
    if (!(isOfCombination(row) && isOfDay(row.crawl_date))) {
      throw outsideFilters(`row ${JSON.stringify(row.product_id)}`, meta.request_id);
    }
  }
  return { rows, pagination, meta };
}

/** @throws ContractError where the page is not what contract section 4.3 promises for `limit` rows at most. */
export function readCatalogPage(body: Buffer, filters: Filters, limit: number): CatalogPage {
  const document = parseBody(body);
  const { data, pagination, meta } = readEnvelope<unknown, CatalogPagination>(catalogShape, document, filters);
  const { has_more, next_cursor } = pagination;
  if (has_more && (next_cursor === null || next_cursor === "")) {
    throw brokenContract("`pagination.has_more` is true but there is no `pagination.next_cursor`", meta.request_id);
  }
  if (/\p{Cs}/u.test(next_cursor ?? "")) {
    throw brokenContract("`pagination.next_cursor` holds half a surrogate pair", meta.request_id);
  }
  return {
    rows: readRows(data, body, limit, meta),
    // A cursor beside `has_more: false` leads nowhere: `has_more` alone ends a walk.
    pagination: { ...pagination, next_cursor: has_more ? next_cursor : null },
    meta,
  };
}

function readRows(data: readonly unknown[], body: Buffer, most: number, { request_id }: Meta): string[] {
  if (data.length > most) {
    throw brokenContract(`${data.length} rows where at most ${most} were asked for`, request_id);
  }
  const wrong = data.findIndex((row) => !isFields(row));
  if (wrong !== -1) {
    throw brokenContract(`\`data[${wrong}]\` is not an object`, request_id);
  }
  return rawElements(rawMembers(body.toString("utf8")).get("data") ?? "[]");
}
