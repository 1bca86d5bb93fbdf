import { FILTER_NAMES } from "./filters.ts";
import type { EndpointGroup } from "./limits.ts";
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
  },
  catalog: {
    path: "/v1/catalog",
    scope: "catalog:read",
    group: "catalog",
    parameters: [...FILTER_NAMES, "cursor", "limit"],
    errors: [...sharedErrors, "invalid_cursor"],
  },
  coverage: {
    path: "/v1/coverage",
    scope: "catalog:read",
    group: "catalog",
    parameters: FILTER_NAMES,
    errors: sharedErrors,
  },
} as const satisfies Record<string, Operation>;

/** The contract has paths with and without `/api`, and does not say which ones are authoritative (section 9 rule 5). */
export const PREFIXES = ["", "/api"] as const;

export type OperationName = keyof typeof OPERATIONS;
