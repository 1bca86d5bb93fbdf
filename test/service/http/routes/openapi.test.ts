import { expect, test } from "vitest";
import { OPERATIONS } from "../../../../src/contract/operations.ts";
import { products } from "../../../helpers/products.ts";
import { check } from "../../../helpers/responses.ts";
import { startTestService } from "../../../helpers/service.ts";

test("the document is OpenAPI 3.1.0 for version 0.2.0 with three draft operations", async () => {
  const service = await startTestService();

  const { body } = await service.get("/openapi.json");

  expect([body.openapi, body.info.version]).toEqual(["3.1.0", "0.2.0"]);
  expect(Object.entries(body.paths).map(([path, item]) => [path, Object.keys(item as object)])).toEqual(
    Object.values(OPERATIONS).map(({ path }) => [path, ["get"]]),
  );
  for (const { path } of Object.values(OPERATIONS)) {
    expect(body.paths[path].get["x-status"]).toBe("draft");
  }
});

test("every operation declares its parameters, the same classes of responses, and their limit headers", async () => {
  const service = await startTestService();

  const { body } = await service.get("/openapi.json");

  for (const { path, parameters } of Object.values(OPERATIONS)) {
    const { get } = body.paths[path];
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

test("the schemas have the names of the contract", async () => {
  const service = await startTestService();

  const { body } = await service.get("/openapi.json");

  expect(Object.keys(body.components.schemas).sort()).toEqual([
    "Coverage",
    "CoverageListResponse",
    "CoverageSummary",
    "Meta",
    "Pagination",
    "Problem",
    "Product",
    "ProductListResponse",
  ]);
  const { required, properties } = body.components.schemas.Pagination;
  expect([required, Object.keys(properties)]).toEqual([
    ["next_cursor", "has_more"],
    ["limit", "total_matching", "next_cursor", "has_more"],
  ]);
});

test("each reference points to a component", async () => {
  const service = await startTestService();

  const { body, text } = await service.get("/openapi.json");

  const references = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/([\w-]+)"/g)];
  expect(references.length).toBeGreaterThan(0);
  expect(references.filter(([, kind = "", name = ""]) => body.components[kind]?.[name] === undefined)).toEqual([]);
  expect(references).toHaveLength([...text.matchAll(/"\$ref"/g)].length);
});

test("responses conform to the schemas of the document", async () => {
  const service = await startTestService({ rows: products(3) });
  const { body: description } = await service.get("/openapi.json");

  for (const { path } of Object.values(OPERATIONS)) {
    const { responses } = description.paths[path].get;
    const whole = (schema: object) => ({ ...schema, components: description.components });
    check(whole(responses["200"].content["application/json"].schema), (await service.get(path)).body);
    const { body } = await service.get(`${path}?retailer=nobody`);
    check(whole(responses["400"].content["application/problem+json"].schema), body);
  }
});

test("each example conforms to its schema, and each parameter but the cursor has one", async () => {
  const service = await startTestService();
  const { paths, components } = (await service.get("/openapi.json")).body;

  for (const { path } of Object.values(OPERATIONS)) {
    const { parameters, responses } = paths[path].get;
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

test.each(["sample", "coverage"])("the schema of %s allows no limit and no total_matching", async (name) => {
  const service = await startTestService({ rows: products(1) });
  const { paths, components } = (await service.get("/openapi.json")).body;
  const { schema } = paths[`/v1/${name}`].get.responses["200"].content["application/json"];
  const { body } = await service.get(`/v1/${name}`);

  check({ ...schema, components }, body);
  for (const member of ["limit", "total_matching"]) {
    const wrong = { ...body, pagination: { ...body.pagination, [member]: 1 } };
    expect(() => check({ ...schema, components }, wrong)).toThrow("to deeply equal");
  }
});

test.each([
  ["/v1/sample", 100],
  ["/v1/catalog", 500],
])("the schema of %s allows %i rows and no more", async (path, most) => {
  const service = await startTestService({ rows: products(1) });
  const { paths, components } = (await service.get("/openapi.json")).body;
  const { schema } = paths[path].get.responses["200"].content["application/json"];
  const { body } = await service.get(path);
  const withRows = (count: number) => ({ ...body, data: Array(count).fill(body.data[0]) });

  check({ ...schema, components }, withRows(most));
  expect(() => check({ ...schema, components }, withRows(most + 1))).toThrow("instancePath: '/data',");
});
