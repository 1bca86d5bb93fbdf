import { catalogPaginationSchema, metaSchema } from "./envelope.ts";
import { PRODUCT, problemExample } from "./examples.ts";
import { formatRcd } from "./filters.ts";
import { LIMITS } from "./limits.ts";
import type { Schema } from "./object-schema.ts";
import { API_PREFIX, OPERATIONS, type Operation, type OperationName } from "./operations.ts";
import { PROBLEMS, problemSchema } from "./problems.ts";

export type OpenApiDocument = ReturnType<typeof openApiDocument>;

/** One schema for all operations (contract section 2.4); `boundsOf` adds the differences. */
const pagination = { ...catalogPaginationSchema, $id: "Pagination", required: ["next_cursor", "has_more"] };
const { $id: _unnamed, ...resolved } = metaSchema.properties.resolved;
const meta = { ...metaSchema, properties: { ...metaSchema.properties, resolved } };

/** The envelope of a list, under its name in contract section 2.6. */
function listSchema({ properties: { data }, ...schema }: Operation["response"]): Schema {
  const { maxItems: _most, ...list } = data;
  return { ...schema, $id: `${data.items.$id}ListResponse`, properties: { data: list, pagination, meta } };
}

/** What an operation adds to the schema that it shares with others. */
function boundsOf({ properties: { data, pagination } }: Operation["response"]): Schema {
  const { required } = pagination;
  return {
    properties: {
      ...(data.maxItems !== undefined && { data: { maxItems: data.maxItems } }),
      pagination: { required, maxProperties: required.length },
    },
  };
}

const text = { type: "string" } as const;
const date = { type: "string", format: "date" } as const;

const PARAMETERS: Readonly<
  Record<
    (typeof OPERATIONS.catalog.parameters)[number],
    { description: string; schema: Schema; example?: string | number }
  >
> = {
  retailer: { description: "Restrict to the retailer.", schema: text, example: PRODUCT.retailer },
  category: {
    description: "Restrict to the category, scoped by `retailer` if given.",
    schema: text,
    example: PRODUCT.category,
  },
  department: {
    description: "Restrict to the department, scoped by `retailer` if given.",
    schema: text,
    example: PRODUCT.department,
  },
  rcd: {
    description: "One or more `retailer:category:department` triples separated by commas.",
    schema: text,
    example: formatRcd(PRODUCT),
  },
  start_date: { description: "Only rows crawled on or after this date.", schema: date, example: PRODUCT.crawl_date },
  end_date: { description: "Only rows crawled on or before this date.", schema: date, example: PRODUCT.crawl_date },
  cursor: { description: "`pagination.next_cursor` of the previous page, exactly as received.", schema: text },
  limit: { description: "Maximum rows in this page.", schema: { type: "integer", ...LIMITS.pageSize }, example: 500 },
};

const integer = { type: "integer" } as const;
const HEADERS = {
  "RateLimit-Limit": { description: "Requests of the endpoint group per window.", schema: integer },
  "RateLimit-Remaining": { description: "Requests left in the current window.", schema: integer },
  "RateLimit-Reset": { description: "Seconds until the window resets.", schema: integer },
  "Cache-Control": { description: "`no-store`: no cache keeps the response.", schema: text },
  "Data-Version": { description: "Version of the data. It changes with every load.", schema: integer },
  Vary: { description: "The request headers that select between forms of the response.", schema: text },
  "WWW-Authenticate": { description: "The expected credential (RFC 6750).", schema: text },
  "Retry-After": { description: "Minimum number of seconds to wait before the next attempt.", schema: integer },
} as const;

type HeaderName = keyof typeof HEADERS;

const COMMON_HEADERS = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "Cache-Control"] as const;

/** The description and the additional headers of each class of error responses. */
const ERROR_CLASSES: Readonly<Record<string, readonly [string, ...HeaderName[]]>> = {
  "400": ["The request is wrong."],
  "401": ["No credential, or one that is unknown or revoked.", "WWW-Authenticate"],
  "403": ["The team is not entitled to the operation.", "WWW-Authenticate"],
  "404": ["Nothing at this path that the team can see."],
  "429": ["No requests are left in this window.", "Retry-After"],
  "5XX": ["The service failed. Reads are safe to repeat.", "Retry-After"],
};

/**
 * The OpenAPI 3.1.0 document of the three operations, generated from the response schemas.
 *
 * @param portal address of the developer portal, if there is one
 * @param root path of the service on its host, without a final slash
 */
export function openApiDocument(portal?: string, root = "") {
  const schemas: Record<string, Schema> = {};
  const paths: Record<string, { get: ReturnType<typeof operation> }> = {};
  for (const name of Object.keys(OPERATIONS) as OperationName[]) {
    const { path, response } = OPERATIONS[name];
    const schema = component(listSchema(response), schemas);
    paths[path] = { get: operation(name, { ...schema, ...boundsOf(response) }) };
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
    servers: ["", API_PREFIX].map((prefix) => ({ url: `${root}${prefix}` || "/" })),
    security: [{ apiKey: [] }],
    paths,
    components: {
      schemas,
      headers: HEADERS,
      securitySchemes: { apiKey: { type: "http", scheme: "bearer", description: "An API key of 43 characters." } },
    },
  };
}

const JSON_TYPE = "application/json";
const PROBLEM_TYPE = "application/problem+json";
const PROBLEM_REF = { $ref: "#/components/schemas/Problem" };

function operation(name: OperationName, schema: Schema) {
  const { summary, result, scope, parameters, errors, example } = OPERATIONS[name];
  return {
    operationId: name,
    summary,
    description: `Requires the scope \`${scope}\`.`,
    "x-status": "draft",
    security: [{ apiKey: [scope] }],
    parameters: parameters.map((parameter) => ({ name: parameter, in: "query", ...PARAMETERS[parameter] })),
    responses: Object.fromEntries([
      ["200", response(result, JSON_TYPE, schema, example, ["Data-Version", "Vary"])],
      ...Object.entries(ERROR_CLASSES).map(([status, [description, ...headers]]) => {
        const codes = [...errors, "not_found" as const].filter(
          (code) => responseClass(PROBLEMS[code].status) === status,
        );
        const text = `${description} Codes: ${codes.map((code) => `\`${code}\``).join(", ")}.`;
        const [code = "internal_error"] = codes;
        return [status, response(text, PROBLEM_TYPE, PROBLEM_REF, problemExample(code), headers)] as const;
      }),
    ] as const),
  };
}

function responseClass(status: number): string {
  return status >= 500 ? "5XX" : String(status);
}

function response(description: string, type: string, schema: Schema, example: object, own: readonly HeaderName[]) {
  const headers = Object.fromEntries(
    [...COMMON_HEADERS, ...own].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
  return { description, headers, content: { [type]: { schema, example } } };
}

/** Moves all named schemas inside `schema` to the components, and returns `schema` with references to them. */
function component({ $id, ...schema }: Schema, schemas: Record<string, Schema>): Schema {
  const body = { ...schema };
  if (schema.items !== undefined) {
    body.items = component(schema.items, schemas);
  }
  if (schema.properties !== undefined) {
    const members = Object.entries(schema.properties);
    body.properties = Object.fromEntries(members.map(([name, member]) => [name, component(member, schemas)]));
  }
  if ($id === undefined) {
    return body;
  }
  schemas[$id] = body;
  return { $ref: `#/components/schemas/${$id}` };
}
