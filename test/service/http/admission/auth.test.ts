import { expect, test } from "vitest";
import { revokeKey } from "../../../../src/service/store/access/manage-keys.ts";
import { products } from "../../../helpers/products.ts";
import { startTestService } from "../../../helpers/service.ts";

const operations = [
  "/v1/sample",
  "/v1/catalog",
  "/v1/coverage",
  "/api/v1/sample",
  "/api/v1/catalog",
  "/api/v1/coverage",
];

test("every operation under both prefixes accepts a valid key and asks for a missing one", async () => {
  const service = await startTestService({ rows: products(1) });

  const statuses = [];
  for (const path of operations) {
    const [good, none] = [await service.get(path), await service.get(path, { key: null })];
    statuses.push([path, good.status, none.status, none.body.code, none.headers.get("www-authenticate")]);
  }

  const challenge = 'Bearer realm="retail-catalog"';
  expect(statuses).toEqual(operations.map((path) => [path, 200, 401, "missing_credentials", challenge]));
});

test("the scheme may have any letter case and any number of spaces, and anything else is no Bearer credential", async () => {
  const service = await startTestService({ rateLimit: 1_000 });
  const ask = async (written: string) => {
    const authorization = written.replace("KEY", service.key);
    const { status, body } = await service.get("/v1/coverage", { key: null, headers: { authorization } });
    return [written, status, body.code, body.detail];
  };

  for (const scheme of ["bearer KEY", "BEARER KEY", "bEaReR    KEY"]) {
    expect(await ask(scheme)).toEqual([scheme, 200, undefined, undefined]);
  }
  const others = ["Basic dXNlcjpwYXNz", "Basic KEY", "x-Bearer KEY", "BearerKEY", "bearerabc", "Token abc"];
  for (const written of [...others, "Bearer", "Bearer   ", "Bearer\t", ""]) {
    const refused = [written, 401, "missing_credentials", "The request has no Bearer credential."];
    expect(await ask(written)).toEqual(refused);
  }
});

test("a key is 43 characters without a prefix, and no two are alike", async () => {
  const service = await startTestService();
  const keys = [await service.createKey({ name: "1" }), await service.createKey({ name: "2" })];

  expect(keys).toEqual([expect.stringMatching(/^[\w-]{43}$/), expect.stringMatching(/^[\w-]{43}$/)]);
  expect(keys[0]).not.toBe(keys[1]);
});

test("a repeated scheme, a shortened key, a lengthened key and a foreign key are all unknown", async () => {
  const service = await startTestService();
  const wrong = [
    `Bearer ${service.key}`,
    service.key.slice(0, 42),
    `${service.key}A`,
    "A".repeat(43),
    "A".repeat(9_000),
  ];

  for (const key of wrong) {
    const { status, body, headers } = await service.get("/v1/coverage", { key });
    expect({ status, code: body.code, detail: body.detail, wwwAuthenticate: headers.get("www-authenticate") }).toEqual({
      status: 401,
      code: "invalid_credentials",
      detail: "The key is unknown or revoked.",
      wwwAuthenticate: 'Bearer realm="retail-catalog", error="invalid_token"',
    });
  }
});

test("a revoked key is refused at the very next request, with the response of an unknown one", async () => {
  const service = await startTestService();
  const key = await service.createKey({ name: "short-lived" });
  const before = await service.get("/v1/coverage", { key });

  await revokeKey(service.store, "short-lived", new Date());
  const revoked = await service.get("/v1/coverage", { key });
  const unknown = await service.get("/v1/coverage", { key: "A".repeat(43) });

  expect(before.status).toBe(200);
  expect(revoked.status).toBe(401);
  expect({ ...revoked.body, request_id: "" }).toEqual({ ...unknown.body, request_id: "" });
});

test("revoking one key of a team does not affect its other keys", async () => {
  const service = await startTestService();
  const kept = await service.createKey({ name: "kept", team: "crew" });
  await service.createKey({ name: "gone", team: "crew" });

  await revokeKey(service.store, "gone", new Date());

  expect((await service.get("/v1/coverage", { key: kept })).status).toBe(200);
});

test("a key opens the operations of its scopes and no others, and a missing scope is named", async () => {
  const service = await startTestService();
  const sample = await service.createKey({ name: "s", scopes: ["catalog:sample"] });
  const read = await service.createKey({ name: "r", scopes: ["catalog:read"] });

  const answers = [];
  for (const path of ["/v1/sample", "/v1/catalog", "/v1/coverage"]) {
    for (const key of [sample, read]) {
      const { status, body } = await service.get(path, { key });
      answers.push(status === 200 ? status : `${status} ${body.detail}`);
    }
  }

  const lacks = (scope: string) => `403 The team of this key lacks the scope ${scope}.`;
  expect(answers).toEqual([
    ...[200, lacks("catalog:sample")],
    ...[lacks("catalog:read"), 200],
    ...[lacks("catalog:read"), 200],
  ]);
});

test("failed attempts from an address are throttled for the window, and a valid key from there still works", async () => {
  let now = Date.parse("2026-01-01T00:00:00Z");
  const service = await startTestService({ now: () => now });
  const bad = (index: number, path = "/v1/catalog") => service.get(path, { key: index % 2 === 0 ? null : "bad" });

  const answers = [];
  for (let index = 0; index < 21; index += 1) {
    const { status, headers } = await bad(index);
    answers.push([status, ...["limit", "remaining", "reset"].map((name) => headers.get(`ratelimit-${name}`))]);
  }
  const sample = await bad(21, "/v1/sample");
  const good = await service.get("/v1/catalog");
  now += 45_000;
  const throttled = await bad(21);
  now += 15_000;
  const later = await bad(22);

  expect(answers).toEqual([...Array(20).fill([401, "120", "120", "60"]), [429, "120", "0", "60"]]);
  expect({ status: sample.status, ratelimitLimit: sample.headers.get("ratelimit-limit") }).toEqual({
    status: 429,
    ratelimitLimit: "30",
  });
  // Failed attempts take nothing of a team's limit.
  expect({ status: good.status, ratelimitRemaining: good.headers.get("ratelimit-remaining") }).toEqual({
    status: 200,
    ratelimitRemaining: "119",
  });
  expect({ status: throttled.status, retryAfter: throttled.headers.get("retry-after"), body: throttled.body }).toEqual({
    status: 429,
    retryAfter: "15",
    body: expect.objectContaining({
      code: "rate_limited",
      detail: "Too many failed authentications from this address.",
    }),
  });
  expect(later.status).toBe(401);
});
