import { expect, test } from "vitest";
import { oneRowEach } from "../../../helpers/products.ts";
import { sharedService, startTestService } from "../../../helpers/service.ts";

const rows = oneRowEach("acme:lamps:home", "acme:chairs:home", "bolt:lamps:lights", "bolt:lamp-shades:lights");
const shared = sharedService({ rows, errorBase: "https://docs.example" });
const ofTriples = sharedService({
  rows: oneRowEach("nordwind:kettles:kitchen", "nordwind:phones:electronics", "acme:kettles:electronics"),
});

test("the response to a mistyped retailer names the closest real one first", async () => {
  const service = await shared();

  const { body } = await service.get("/v1/coverage?retailer=acm");

  expect(body).toEqual({
    type: "https://docs.example/errors#unknown_retailer",
    title: "Unknown retailer",
    status: 400,
    detail: 'There is no retailer "acm".',
    code: "unknown_retailer",
    retryable: false,
    recovery: "Use one of `valid_options`, or list every retailer with a coverage request without filters.",
    request_id: expect.stringMatching(/^req_[\w-]{24}$/),
    field: "retailer",
    valid_options: ["acme"],
  });
});

test("categories are suggested from the queried retailer only", async () => {
  const service = await shared();

  const { body } = await service.get("/v1/coverage?retailer=acme&category=lamp-shades");

  expect(body).toMatchObject({ code: "unknown_category", valid_options: ["chairs", "lamps"] });
});

test.each([
  ["nordwind:kettles:home", ["nordwind:kettles:kitchen"]],
  ["nordwind:kitchen:kettles", ["nordwind:kettles:kitchen"]],
  ["kitchen:kettles:nordwind", ["nordwind:kettles:kitchen"]],
  ["nordwnd:kettles:kitchen", ["nordwind:kettles:kitchen"]],
  ["nordwind:phnes:electronics", ["nordwind:phones:electronics"]],
  ["nordwind:zzzzzzzzz:yyyyyyyyyy", ["nordwind:kettles:kitchen", "nordwind:phones:electronics"]],
  [
    "xxxxxxxxx:zzzzzzzzz:yyyyyyyyyy",
    ["acme:kettles:electronics", "nordwind:kettles:kitchen", "nordwind:phones:electronics"],
  ],
])("the options for the triple %s share the most parts with it", async (triple, options) => {
  const { body } = await (await ofTriples()).get(`/v1/coverage?rcd=${triple}`);

  expect(body).toMatchObject({ field: "rcd", valid_options: options });
});

test("a retailer that a team cannot see does not exist for it, not even as a suggestion", async () => {
  const service = await startTestService({ rows });
  const key = await service.createKey({ name: "narrow", team: "narrow", retailers: ["bolt"] });

  const seen = [
    await service.get("/v1/coverage?retailer=acme", { key }),
    await service.get("/v1/coverage?category=chairs", { key }),
    await service.get("/v1/coverage?rcd=acme:lamps:home", { key }),
  ].map(({ status, body: { code, valid_options } }) => ({ status, code, valid_options }));

  expect(seen).toEqual([
    { status: 400, code: "unknown_retailer", valid_options: ["bolt"] },
    { status: 400, code: "unknown_category", valid_options: ["lamp-shades", "lamps"] },
    { status: 400, code: "unknown_retailer", valid_options: ["bolt:lamps:lights"] },
  ]);
});

test("every operation shows a team only the retailers that it can see", async () => {
  const service = await startTestService({ rows });
  const key = await service.createKey({ name: "narrow", team: "narrow", retailers: ["bolt"] });

  for (const operation of ["sample", "catalog", "coverage"]) {
    const { body } = await service.get(`/v1/${operation}`, { key });
    expect(body.data.map(({ retailer }: { retailer: string }) => retailer)).toEqual(["bolt", "bolt"]);
    expect(body.meta.coverage).toMatchObject({ combinations: 2, matching_rows: 2, corpus_rows: 2 });
  }
});

test("a team that can see nothing gets an empty vocabulary", async () => {
  const service = await startTestService({ rows });
  const key = await service.createKey({ name: "blind", team: "blind", retailers: [] });

  const { body } = await service.get("/v1/coverage?retailer=acme", { key });

  expect(body).toMatchObject({ code: "unknown_retailer", valid_options: [] });
});

test("an unknown triple of 198 characters is refused quickly, also with a large vocabulary", async () => {
  const triples = Array.from(
    { length: 2_000 },
    (_, index) => `acme:${"lamp".repeat(10)}-${index}:${"home".repeat(10)}-${index}`,
  );
  const service = await startTestService({ rows: oneRowEach(...triples) });
  const unknown = ["acme", "lame".repeat(24), "hoem".repeat(24)].join(":");

  const { status, body } = await service.get(`/v1/catalog?rcd=${unknown}`);

  expect({ status, code: body.code, valid_optionCount: body.valid_options.length }).toEqual({
    status: 400,
    code: "unknown_category",
    valid_optionCount: 5,
  });
});
