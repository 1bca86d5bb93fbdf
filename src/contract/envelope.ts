import type { FromSchema } from "json-schema-to-ts";
import { coverageSchema, coverageSummarySchema } from "./coverage.ts";
import { productSchema } from "./product.ts";

const next_cursor = {
  type: ["string", "null"],
  description: "Opaque cursor of the next page; null when there is none.",
} as const;
const has_more = { type: "boolean", description: "Whether a further page exists." } as const;

/** `pagination` of sample and coverage, which are uncursored; contract section 2.4. */
export const uncursoredPaginationSchema = {
  $id: "UncursoredPagination",
  type: "object",
  additionalProperties: false,
  required: ["next_cursor", "has_more"],
  properties: { next_cursor, has_more },
} as const;

/** `pagination` of the catalog operation; contract section 2.4. */
export const catalogPaginationSchema = {
  $id: "CatalogPagination",
  type: "object",
  additionalProperties: false,
  required: ["limit", "total_matching", "next_cursor", "has_more"],
  properties: {
    limit: { type: ["integer", "null"], minimum: 1, maximum: 500, description: "Maximum rows requested for the page." },
    total_matching: {
      type: ["integer", "null"],
      minimum: 0,
      description: "Size of the filtered set across all pages.",
    },
    next_cursor,
    has_more,
  },
} as const;

const nullableString = { type: ["string", "null"] } as const;
const nullableDate = { type: ["string", "null"], format: "date" } as const;

/** `meta.resolved`: the filters the server applied, an omitted one as null; contract section 2.5. */
export const resolvedSchema = {
  $id: "ResolvedFilters",
  type: "object",
  additionalProperties: false,
  required: ["retailer", "category", "department", "rcd", "start_date", "end_date"],
  properties: {
    retailer: nullableString,
    category: nullableString,
    department: nullableString,
    rcd: nullableString,
    start_date: nullableDate,
    end_date: nullableDate,
  },
} as const;

/** `meta` of every envelope; contract section 2.5. */
export const metaSchema = {
  $id: "Meta",
  type: "object",
  additionalProperties: false,
  required: ["request_id", "resolved", "coverage"],
  properties: {
    request_id: { type: "string", description: "Unique id of the request; quote it when reporting a problem." },
    resolved: resolvedSchema,
    coverage: coverageSummarySchema,
  },
} as const;

/** Envelope of `GET /v1/sample`; contract section 2.6. */
export const sampleResponseSchema = {
  $id: "SampleResponse",
  type: "object",
  additionalProperties: false,
  required: ["data", "pagination", "meta"],
  properties: {
    data: { type: "array", maxItems: 100, items: productSchema },
    pagination: uncursoredPaginationSchema,
    meta: metaSchema,
  },
} as const;

/** Envelope of `GET /v1/catalog`; contract section 2.6. */
export const catalogResponseSchema = {
  $id: "CatalogResponse",
  type: "object",
  additionalProperties: false,
  required: ["data", "pagination", "meta"],
  properties: {
    data: { type: "array", maxItems: 500, items: productSchema },
    pagination: catalogPaginationSchema,
    meta: metaSchema,
  },
} as const;

/** Envelope of `GET /v1/coverage`; contract section 2.6. */
export const coverageResponseSchema = {
  $id: "CoverageListResponse",
  type: "object",
  additionalProperties: false,
  required: ["data", "pagination", "meta"],
  properties: {
    data: { type: "array", items: coverageSchema },
    pagination: uncursoredPaginationSchema,
    meta: metaSchema,
  },
} as const;

export type Pagination = FromSchema<typeof uncursoredPaginationSchema>;
export type CatalogPagination = FromSchema<typeof catalogPaginationSchema>;
export type ResolvedFilters = FromSchema<typeof resolvedSchema>;
export type Meta = FromSchema<typeof metaSchema>;
