import { catalogResponseSchema, coverageResponseSchema, sampleResponseSchema } from "./envelope.ts";
import { COVERAGE, envelopeExample, PRODUCT } from "./examples.ts";
import { FILTER_NAMES } from "./filters.ts";
import type { EndpointGroup } from "./limits.ts";
import type { Schema } from "./object-schema.ts";
import { PROBLEM_CODES, type ProblemCode } from "./problems.ts";

export const SCOPES = ["catalog:sample", "catalog:read"] as const;
export type Scope = (typeof SCOPES)[number];

export interface Operation {
  /** Path below the base URL. */
  path: string;
  scope: Scope;
  group: EndpointGroup;
  /** Its query parameters. */
  parameters: readonly string[];
  /** Its problem codes, contract sections 4.2 to 4.4. */
  errors: readonly ProblemCode[];
  summary: string;
  /** What a successful response has. */
  result: string;
  response: Schema & {
    properties: {
      data: Schema & { items: { $id: string } };
      pagination: { required: readonly string[] };
      meta: Schema;
    };
  };
  example: object;
}

const sharedErrors = PROBLEM_CODES.filter((code) => code !== "invalid_cursor" && code !== "not_found");

/** The three operations of contract section 4. */
export const OPERATIONS = {
  sample: {
    path: "/v1/sample",
    scope: "catalog:sample",
    group: "sample",
    parameters: FILTER_NAMES,
    errors: sharedErrors,
    summary: "At most 100 rows, to judge the shape of the data",
    result: "Up to 100 of the rows that match the filters.",
    response: sampleResponseSchema,
    example: envelopeExample(PRODUCT),
  },
  catalog: {
    path: "/v1/catalog",
    scope: "catalog:read",
    group: "catalog",
    parameters: [...FILTER_NAMES, "cursor", "limit"],
    errors: [...sharedErrors, "invalid_cursor"],
    summary: "The complete filtered set, walked with a cursor",
    result: "A page of the rows that match the filters.",
    response: catalogResponseSchema,
    example: envelopeExample(PRODUCT, { limit: 100, total_matching: 1 }),
  },
  coverage: {
    path: "/v1/coverage",
    scope: "catalog:read",
    group: "catalog",
    parameters: FILTER_NAMES,
    errors: sharedErrors,
    summary: "Row counts and crawl dates of each combination",
    result: "The combinations that match the filters.",
    response: coverageResponseSchema,
    example: envelopeExample(COVERAGE),
  },
} as const satisfies Record<string, Operation>;

/** The contract has paths with and without this prefix, and does not say which ones are authoritative (section 9 rule 5). */
export const API_PREFIX = "/api";

export type OperationName = keyof typeof OPERATIONS;
