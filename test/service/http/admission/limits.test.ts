import { expect, onTestFinished, test } from "vitest";
import { revokeKey } from "../../../../src/service/store/access/manage-keys.ts";
import { openStore } from "../../../../src/service/store/store.ts";
import { StoreUnavailableError } from "../../../../src/service/store/store-types.ts";
import { sharedDatabase } from "../../../helpers/databases.ts";
import { products } from "../../../helpers/products.ts";
import { startInstance, startTestService, withoutKeys } from "../../../helpers/service.ts";

function figures(headers: Headers): (number | null)[] {
  return ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"].map((name) => Number(headers.get(name)));
}

test("the published limits are 120 and 30 requests a minute", async () => {
  const service = await startTestService({ now: () => 0 });

  expect(figures((await service.get("/v1/catalog")).headers)).toEqual([120, 119, 60]);
  expect(figures((await service.get("/v1/sample")).headers)).toEqual([30, 29, 60]);
});

test("catalog and coverage share one bucket under both prefixes, and sample has its own", async () => {
  const service = await startTestService();
  const remaining = async (path: string) => (await service.get(path)).headers.get("ratelimit-remaining");

  expect([
    await remaining("/v1/catalog"),
    await remaining("/v1/coverage"),
    await remaining("/api/v1/catalog"),
    await remaining("/v1/sample"),
    await remaining("/api/v1/sample"),
  ]).toEqual(["119", "118", "117", "29", "28"]);
});

test("the keys of one team share its buckets, another team has its own", async () => {
  const service = await startTestService();
  const [one, two] = [
    await service.createKey({ name: "1", team: "crew" }),
    await service.createKey({ name: "2", team: "crew" }),
  ];
  const other = await service.createKey({ name: "3", team: "others" });

  const remaining = [];
  for (const key of [one, two, other]) {
    remaining.push((await service.get("/v1/catalog", { key })).headers.get("ratelimit-remaining"));
  }

  expect(remaining).toEqual(["119", "118", "119"]);
});

test("an exhausted window gives 429 with the seconds to wait, and then opens again", async () => {
  let now = 0;
  const service = await startTestService({ rateLimit: 1, windowSeconds: 90, now: () => now });
  await service.get("/v1/catalog");

  now = 30_500;
  const refused = await service.get("/v1/coverage");
  now += 60_000;
  const later = await service.get("/v1/coverage");

  expect({ status: refused.status, retryAfter: refused.headers.get("retry-after") }).toEqual({
    status: 429,
    retryAfter: "60",
  });
  expect(refused.body).toMatchObject({
    code: "rate_limited",
    detail: "The team has no requests left in this window.",
    retryable: true,
  });
  expect(figures(refused.headers)).toEqual([1, 0, 60]);
  expect(later.status).toBe(200);
});

test("a window and a deadline of a month are kept, beyond the longest time of a timer", async () => {
  const month = 30 * 86_400;
  const service = await startTestService({ windowSeconds: month, queryTimeout: month * 1_000, now: () => 0 });

  const { status, headers } = await service.get("/v1/coverage");

  expect([status, ...figures(headers)]).toEqual([200, 120, 119, month]);
});

test("a request with invalid parameters counts against the limit", async () => {
  const service = await startTestService({ now: () => 0 });
  await service.get("/v1/catalog?limit=0");

  expect(figures((await service.get("/v1/catalog?retailer=nobody")).headers)).toEqual([120, 118, 60]);
});

test("a path without an operation tells what the team has left, and takes nothing of it", async () => {
  let now = 0;
  const service = await startTestService({ now: () => now });
  for (const used of ["/v1/catalog", "/v1/coverage", "/v1/sample"]) {
    await service.get(used);
  }
  now = 30_000;
  const revoked = await service.createKey({ name: "revoked" });
  await revokeKey(service.store, "revoked", new Date());
  const paths = [
    ["/v1/products", "GET", 404, [120, 118, 30]],
    ["/api/v1/retailers", "GET", 404, [120, 118, 30]],
    ["/v1", "GET", 404, [120, 118, 30]],
    ["/v1/catalog", "POST", 404, [120, 118, 30]],
    ["/v1/sample", "POST", 404, [30, 29, 30]],
    ["/v1/%zz", "GET", 400, [120, 118, 30]],
  ] as const;

  for (const [path, method, status, expected] of paths) {
    const ofTeam = await service.get(path, { method });
    const ofOthers = [
      await service.get(path, { method, key: revoked }),
      await service.get(path, { method, key: "wrong" }),
    ];
    expect({ path, status: ofTeam.status, figures: figures(ofTeam.headers) }).toEqual({
      path,
      status,
      figures: expected,
    });
    expect(ofOthers.map(({ headers }) => figures(headers))).toEqual(Array(2).fill([expected[0], expected[0], 60]));
  }
});

test("an error under an escaped spelling of /v1 carries the limit headers", async () => {
  const away = async () => Promise.reject(new StoreUnavailableError("away"));
  const service = await startTestService({
    faults: (store) => ({ windows: withoutKeys(store, away) }),
  });

  const { status, headers } = await service.get("/%761/catalog");

  expect([status, ...figures(headers)]).toEqual([503, 120, 120, 60]);
});

test("instances at once, and one that was started anew, admit together exactly the limit of a team and of an address", async () => {
  const location = await sharedDatabase();
  const options = { database: location, rateLimit: 40, now: () => 1_000_000, rows: products(1) };
  const first = await startTestService(options);
  const start = async () => await startInstance(await openStore(location), options);
  const others = [await start(), await start()];
  onTestFinished(async () => void (await Promise.all(others.map((service) => service.close()))));
  const authorization = `Bearer ${first.key}`;
  const ask = async (url: string) => {
    const { status, headers } = await fetch(`${url}/v1/catalog`, { headers: { authorization } });
    return { status, remaining: Number(headers.get("ratelimit-remaining")) };
  };
  const urls = [first.url, ...others.map(({ url }) => url)];
  const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => ask(urls[index % 3] ?? "")));
  const admitted = answers.filter(({ status }) => status === 200);
  expect(admitted.map(({ remaining }) => remaining).sort((a, b) => a - b)).toEqual([...Array(40).keys()]);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(60);

  const restarted = await start();
  others.push(restarted);
  expect(await ask(restarted.url)).toEqual({ status: 429, remaining: 0 });

  const wrong = { headers: { authorization: "Bearer wrong" } };
  const attempts = await Promise.all(
    Array.from({ length: 30 }, (_, index) => fetch(`${urls[index % 3]}/v1/catalog`, wrong)),
  );
  expect(attempts.filter(({ status }) => status === 401)).toHaveLength(20);
  expect(attempts.filter(({ status }) => status === 429)).toHaveLength(10);
});

test("the seconds to wait last until the end of a window that began with another length, before a restart", async () => {
  let now = 0;
  const database = await sharedDatabase();
  const options = { database, rateLimit: 1, now: () => now };
  const first = await startTestService({ ...options, windowSeconds: 60 });
  await first.get("/v1/catalog");
  const restarted = await startInstance(await openStore(database), { ...options, windowSeconds: 5 });
  onTestFinished(restarted.close);
  const ask = async () => {
    const { status, headers } = await fetch(`${restarted.url}/v1/catalog`, {
      headers: { authorization: `Bearer ${first.key}` },
    });
    return [status, headers.get("retry-after"), headers.get("ratelimit-reset")];
  };

  now = 20_000;
  const refused = await ask();
  now = 60_000;

  expect({ refused, ask: await ask() }).toEqual({ refused: [429, "40", "40"], ask: [200, null, "5"] });
});
