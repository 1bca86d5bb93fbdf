import type { FromSchema } from "json-schema-to-ts";
import { coverageSchema, coverageSummarySchema } from "./coverage.ts";
import { objectSchema } from "./object-schema.ts";
import { productSchema } from "./product.ts";

const next_cursor = {
  type: ["string", "null"],
  description: "Opaque cursor of the next page; null when there is none.",
} as const;
const has_more = { type: "boolean", description: "Whether a further page exists." } as const;

/** `pagination` of sample and coverage, which are uncursored; contract section 2.4. */
export const uncursoredPaginationSchema = objectSchema("UncursoredPagination", { next_cursor, has_more });

/** `pagination` of the catalog operation; contract section 2.4. */
export const catalogPaginationSchema = objectSchema("CatalogPagination", {
  limit: { type: ["integer", "null"], minimum: 1, maximum: 500, description: "Maximum rows requested for the page." },
  total_matching: {
    type: ["integer", "null"],
    minimum: 0,
    description: "Size of the filtered set across all pages.",
  },
  next_cursor,
  has_more,
});

const nullableString = { type: ["string", "null"] } as const;
const nullableDate = { type: ["string", "null"], format: "date" } as const;

/** `meta.resolved`: the filters the server applied, an omitted one as null; contract section 2.5. */
export const resolvedSchema = objectSchema("ResolvedFilters", {
  retailer: nullableString,
  category: nullableString,
  department: nullableString,
  rcd: nullableString,
  start_date: nullableDate,
  end_date: nullableDate,
});

/** `meta` of every envelope; contract section 2.5. */
export const metaSchema = objectSchema("Meta", {
  request_id: { type: "string", description: "Unique id of the request; quote it when reporting a problem." },
  resolved: resolvedSchema,
  coverage: coverageSummarySchema,
});

/** Envelopes of the three operations; contract section 2.6. */
export const sampleResponseSchema = objectSchema("SampleResponse", {
  data: { type: "array", maxItems: 100, items: productSchema },
  pagination: uncursoredPaginationSchema,
  meta: metaSchema,
});
export const catalogResponseSchema = objectSchema("CatalogResponse", {
  data: { type: "array", maxItems: 500, items: productSchema },
  pagination: catalogPaginationSchema,
  meta: metaSchema,
});
export const coverageResponseSchema = objectSchema("CoverageListResponse", {
  data: { type: "array", items: coverageSchema },
  pagination: uncursoredPaginationSchema,
  meta: metaSchema,
});

export type Pagination = FromSchema<typeof uncursoredPaginationSchema>;
export type CatalogPagination = FromSchema<typeof catalogPaginationSchema>;
export type ResolvedFilters = FromSchema<typeof resolvedSchema>;
export type Meta = FromSchema<typeof metaSchema>;
