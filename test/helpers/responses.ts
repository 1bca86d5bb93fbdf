import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect } from "vitest";
import { OPERATIONS } from "../../src/contract/operations.ts";
import { problemSchema } from "../../src/contract/problems.ts";
import { statusFeedSchema } from "../../src/contract/status.ts";

export interface TestResponse {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test states what it expects of the body.
  body: any;
}

// Schemas of the OpenAPI document refer to `components`, which is not a keyword of JSON Schema.
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, keywords: ["components"] });
addFormats.default(ajv);
ajv.addFormat("slug", /^\S+$/);
ajv.addFormat("url", URL.canParse);
ajv.addFormat("url-or-empty", (text) => text === "" || URL.canParse(text));

const bodies = new Map<string, object>([
  ...Object.values(OPERATIONS).map(({ path, response }) => [path, response] as const),
  ["/status.json", statusFeedSchema],
]);

/** Reads a response and checks it against the rules of the contract for all responses. */
export async function readResponse(response: Response): Promise<TestResponse> {
  const { status, headers } = response;
  const text = await response.text();
  const { pathname } = new URL(response.url);
  if (/^(\/api)?\/v1\b/.test(pathname)) {
    checkLimitHeaders(status, headers);
  }
  if (status !== 200) {
    return { status, headers, text, body: checkProblem(status, headers, text) };
  }
  const schema = bodies.get(pathname.replace(/^\/api/, ""));
  const isJson = headers.get("content-type") === "application/json";
  const body = isJson && text !== "" ? JSON.parse(text) : undefined;
  if (schema !== undefined && text !== "") {
    expect(headers.get("content-type")).toBe("application/json");
    check(schema, body);
  }
  return { status, headers, text, body };
}

/** Checks a body against a schema of the contract. */
export function check(schema: object, body: unknown): void {
  const valid = ajv.validate(schema, body);
  expect(valid ? [] : ajv.errors).toEqual([]);
}

/** Checks an error body. A response to HEAD has none. */
function checkProblem(status: number, headers: Headers, text: string): unknown {
  expect(headers.get("content-type")).toBe("application/problem+json");
  if (text === "") {
    return undefined;
  }
  const body = JSON.parse(text);
  check(problemSchema, body);
  expect(body.status).toBe(status);
  return body;
}

function checkLimitHeaders(status: number, headers: Headers): void {
  for (const name of ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"]) {
    expect(headers.get(name), name).toMatch(/^\d+$/);
  }
  if (status === 429) {
    expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  }
}
