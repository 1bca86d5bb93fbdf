import { expect, test } from "vitest";
import { OPERATIONS } from "../../../../src/contract/operations.ts";
import { products } from "../../../helpers/products.ts";
import { check } from "../../../helpers/responses.ts";
import { sharedService } from "../../../helpers/service.ts";

const shared = sharedService({ rows: products(3) });

/** The document, and what it says of the successful response of an operation. */
async function description() {
  const { get } = await shared();
  const { body, text } = await get("/openapi.json");
  const { paths, components } = body;
  const responseOf = (path: string) => ({
    ...paths[path].get.responses["200"].content["application/json"].schema,
    components,
  });
  return { get, body, text, paths, components, responseOf };
}

const PATHS = Object.values(OPERATIONS).map(({ path }) => path);

test("the document is OpenAPI 3.1.0 for version 0.2.0 with three draft operations", async () => {
  const { body, paths } = await description();

  expect({ openapi: body.openapi, version: body.info.version }).toEqual({ openapi: "3.1.0", version: "0.2.0" });
  expect(Object.entries<object>(paths).map(([path, item]) => [path, Object.keys(item)])).toEqual(
    PATHS.map((path) => [path, ["get"]]),
  );
  expect(PATHS.map((path) => paths[path].get["x-status"])).toEqual(Array(3).fill("draft"));
});

test("every operation declares its parameters, the same classes of responses, and their limit headers", async () => {
  const { paths } = await description();

  for (const { path, parameters } of Object.values(OPERATIONS)) {
    const { get } = paths[path];
    expect(get.parameters.map(({ name }: { name: string }) => name)).toEqual(parameters);
    const common = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "Cache-Control"];
    const headers = Object.entries<{ headers: object }>(get.responses).map(([status, response]) => [
      status,
      Object.keys(response.headers),
    ]);
    expect(Object.fromEntries(headers)).toEqual({
      200: [...common, "Data-Version", "Vary"],
      400: common,
      401: [...common, "WWW-Authenticate"],
      403: [...common, "WWW-Authenticate"],
      404: common,
      429: [...common, "Retry-After"],
      "5XX": [...common, "Retry-After"],
    });
  }
});

test("the schemas have the names of the contract, and each reference points to one", async () => {
  const { components, text } = await description();

  expect(Object.keys(components.schemas).sort()).toEqual([
    "Coverage",
    "CoverageListResponse",
    "CoverageSummary",
    "Meta",
    "Pagination",
    "Problem",
    "Product",
    "ProductListResponse",
  ]);
  const { required, properties } = components.schemas.Pagination;
  expect({ required, keys: Object.keys(properties) }).toEqual({
    required: ["next_cursor", "has_more"],
    keys: ["limit", "total_matching", "next_cursor", "has_more"],
  });
  const references = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/([\w-]+)"/g)];
  expect(references.length).toBeGreaterThan(0);
  expect(references.filter(([, kind = "", name = ""]) => components[kind]?.[name] === undefined)).toEqual([]);
  expect(references).toHaveLength([...text.matchAll(/"\$ref"/g)].length);
});

test("responses and examples conform to the schemas, and each parameter but the cursor has an example", async () => {
  const { get, paths, components, responseOf } = await description();

  for (const path of PATHS) {
    const { parameters, responses } = paths[path].get;
    check(responseOf(path), (await get(path)).body);
    const { body } = await get(`${path}?retailer=nobody`);
    check({ ...responses["400"].content["application/problem+json"].schema, components }, body);
    for (const { content } of Object.values<{ content: Record<string, { schema: object; example: object }> }>(
      responses,
    )) {
      for (const { schema, example } of Object.values(content)) {
        check({ ...schema, components }, example);
      }
    }
    for (const { name, schema, example } of parameters.filter(({ name }: { name: string }) => name !== "cursor")) {
      expect(example, name).toBeDefined();
      check(schema, example);
    }
  }
});

test("the schemas of sample and coverage allow no limit and no total_matching", async () => {
  const { get, responseOf } = await description();

  for (const path of ["/v1/sample", "/v1/coverage"]) {
    const { body } = await get(path);
    for (const member of ["limit", "total_matching"]) {
      const wrong = { ...body, pagination: { ...body.pagination, [member]: 1 } };
      expect(() => check(responseOf(path), wrong), path).toThrow("to deeply equal");
    }
  }
});

test.each([
  ["/v1/sample", 100],
  ["/v1/catalog", 500],
])("the schema of %s allows %i rows and no more", async (path, most) => {
  const { get, responseOf } = await description();
  const { body } = await get(path);
  const withRows = (count: number) => ({ ...body, data: Array(count).fill(body.data[0]) });

  check(responseOf(path), withRows(most));
  expect(() => check(responseOf(path), withRows(most + 1))).toThrow("instancePath: '/data',");
});
