import { catalogPaginationSchema, catalogResponseSchema, coverageResponseSchema, metaSchema } from "./envelope.ts";
import { LIMITS } from "./limits.ts";
import { OPERATIONS, type OperationName, PREFIXES } from "./operations.ts";
import { PROBLEMS, problemSchema } from "./problems.ts";

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
type JsonObject = { readonly [name: string]: Json };

/** One schema for all operations (contract section 2.4). Sample and coverage have no `limit` and `total_matching`. */
const pagination = { ...catalogPaginationSchema, $id: "Pagination", required: ["next_cursor", "has_more"] };
const { $id: _unnamed, ...resolved } = metaSchema.properties.resolved;
const meta = { ...metaSchema, properties: { ...metaSchema.properties, resolved } };

/** The envelopes, with the names of contract section 2.6. */
const productList = {
  ...catalogResponseSchema,
  $id: "ProductListResponse",
  properties: { ...catalogResponseSchema.properties, pagination, meta },
};
const coverageList = {
  ...coverageResponseSchema,
  $id: "CoverageListResponse",
  properties: { ...coverageResponseSchema.properties, pagination, meta },
};

const RESPONSE_SCHEMAS = {
  sample: productList,
  catalog: productList,
  coverage: coverageList,
} as const satisfies Record<OperationName, JsonObject>;

const SUMMARIES: Record<OperationName, string> = {
  sample: "At most 100 rows, to judge the shape of the data",
  catalog: "The complete filtered set, walked with a cursor",
  coverage: "Row counts and crawl dates of each combination",
};

const text = { type: "string" } as const;
const date = { type: "string", format: "date" } as const;

const PARAMETERS: Readonly<Record<string, JsonObject>> = {
  retailer: { description: "Restrict to the retailer.", schema: text },
  category: { description: "Restrict to the category, scoped by `retailer` if given.", schema: text },
  department: { description: "Restrict to the department, scoped by `retailer` if given.", schema: text },
  rcd: { description: "One or more `retailer:category:department` triples separated by commas.", schema: text },
  start_date: { description: "Only rows crawled on or after this date.", schema: date },
  end_date: { description: "Only rows crawled on or before this date.", schema: date },
  cursor: { description: "`pagination.next_cursor` of the previous page, exactly as received.", schema: text },
  limit: { description: "Maximum rows in this page.", schema: { type: "integer", ...LIMITS.pageSize } },
};

const HEADERS = {
  "RateLimit-Limit": { description: "Requests of the endpoint group per window.", schema: { type: "integer" } },
  "RateLimit-Remaining": { description: "Requests left in the current window.", schema: { type: "integer" } },
  "RateLimit-Reset": { description: "Seconds until the window resets.", schema: { type: "integer" } },
  "Retry-After": { description: "Minimum of seconds to wait.", schema: { type: "integer" } },
} as const satisfies Record<string, JsonObject>;

const ERROR_CLASSES: Readonly<Record<string, string>> = {
  "400": "The request is wrong.",
  "401": "No credential, or one that is unknown or revoked.",
  "403": "The team is not entitled to the operation.",
  "429": "No requests are left in this window.",
  "5XX": "The service failed. Reads are safe to repeat.",
};

/**
 * The OpenAPI 3.1.0 document of the three operations, generated from the schemas of the responses.
 *
 * @param portal address of the developer portal, if there is one
 */
export function openApiDocument(portal?: string): JsonObject {
  const schemas: Record<string, Json> = {};
  const paths: Record<string, Json> = {};
  for (const name of Object.keys(OPERATIONS) as OperationName[]) {
    paths[OPERATIONS[name].path] = { get: operation(name, component(RESPONSE_SCHEMAS[name], schemas)) };
  }
  component(problemSchema, schemas);
  return {
    openapi: "3.1.0",
    info: {
      title: "Retail Catalog Read API",
      version: "0.2.0",
      description: "Read-only access to product rows crawled from retailer web pages.",
    },
    ...(portal !== undefined && {
      externalDocs: { url: portal, description: "The developer portal, where people create API keys." },
    }),
    servers: PREFIXES.map((prefix) => ({ url: prefix || "/" })),
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas,
      headers: HEADERS,
      securitySchemes: { apiKey: { type: "http", scheme: "bearer", description: "An API key of 43 characters." } },
    },
  };
}

function operation(name: OperationName, schema: Json): JsonObject {
  const { scope, parameters, errors } = OPERATIONS[name];
  return {
    operationId: name,
    summary: SUMMARIES[name],
    description: `Requires the scope \`${scope}\`.`,
    "x-status": "draft",
    security: [{ apiKey: [scope] }],
    parameters: parameters.map((parameter) => ({ name: parameter, in: "query", ...PARAMETERS[parameter] })),
    responses: {
      "200": {
        description: "The rows that match the filters.",
        headers: headers(),
        content: { "application/json": { schema } },
      },
      ...Object.fromEntries(
        Object.entries(ERROR_CLASSES).map(([status, description]) => {
          const codes = errors.filter((code) => responseClass(PROBLEMS[code].status) === status);
          return [status, problemResponse(status, description, codes)];
        }),
      ),
    },
  };
}

function responseClass(status: number): string {
  return status >= 500 ? "5XX" : String(status);
}

function problemResponse(status: string, description: string, codes: readonly string[]): JsonObject {
  return {
    description: `${description} Codes: ${codes.map((code) => `\`${code}\``).join(", ")}.`,
    headers: headers(status === "429" ? ["Retry-After"] : []),
    content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
  };
}

function headers(more: readonly (keyof typeof HEADERS)[] = []): JsonObject {
  const names = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", ...more];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Adds all named schemas inside `value` to the components. Returns `value` with references to them. */
function component(value: Json, schemas: Record<string, Json>): Json {
  if (Array.isArray(value)) {
    return value.map((item) => component(item, schemas));
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const { $id, ...rest } = value as JsonObject;
  const body = Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, component(item, schemas)]));
  if (typeof $id !== "string") {
    return body;
  }
  schemas[$id] = body;
  return { $ref: `#/components/schemas/${$id}` };
}
