import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { Readable } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { loadRows } from "../../src/service/load/load-rows.ts";
import { listKeys } from "../../src/service/store/access/manage-keys.ts";
import { RefusedChangeError, StoreTimeoutError, StoreUnavailableError } from "../../src/service/store/store-types.ts";
import { emptyDatabase, emptySchema, runSql } from "../helpers/databases.ts";
import { gate } from "../helpers/gate.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product, products } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";
import { load, testStore, walk } from "../service/store/stores.ts";

/** A connection to the database that can be lost, and comes back at the same address. */
async function losableDatabase() {
  const url = new URL(await emptyDatabase());
  const [host, port] = [url.hostname, Number(url.port)];
  const sockets = new Set<Socket>();
  let isLost = false;
  const server = createServer((client) => {
    const upstream = connect(port, host);
    for (const socket of [client, upstream]) {
      sockets.add(socket.on("error", () => undefined).on("close", () => sockets.delete(socket)));
    }
    if (isLost) {
      client.destroy();
      upstream.destroy();
    } else {
      client.pipe(upstream).pipe(client);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  url.port = String((server.address() as AddressInfo).port);
  const lose = () => {
    isLost = true;
    const lost = sockets.size;
    for (const socket of sockets) {
      socket.destroy();
    }
    return lost;
  };
  const restore = () => {
    isLost = false;
  };
  /** From now on, the other end takes nothing and says nothing, but closes no connection. */
  const silence = () => {
    for (const socket of sockets) {
      socket.unpipe();
      socket.pause();
    }
  };
  return { location: url.href, lose, restore, silence };
}

test("while the database is away, the service answers 503, and goes on when it is back", async () => {
  const { location, lose, restore } = await losableDatabase();
  const service = await startTestService({ database: location, rows: products(3) });
  const before = await service.get("/v1/catalog");
  expect(lose()).toBeGreaterThan(0);
  const away = await service.get("/v1/catalog");
  const { status: ready } = await fetch(`${service.url}/readyz`);
  restore();
  const back = await service.get("/v1/catalog");
  expect({ beforeStatus: before.status, awayStatus: away.status, ready, backStatus: back.status }).toEqual({
    beforeStatus: 200,
    awayStatus: 503,
    ready: 503,
    backStatus: 200,
  });
  expect(away.headers.get("retry-after")).toMatch(/^\d+$/);
});

test("a query that loses its connection fails as unavailable, and so does a change, which leaves nothing", async () => {
  const { location, lose, restore } = await losableDatabase();
  const store = await testStore(location);
  const sleep = store.read((session) => session.query("SELECT pg_sleep(60)"));
  await vi.waitFor(async () => expect(await running(store, "pg_sleep(60)")).toBe(1));
  const change = store.write(async (session) => {
    await session.query("INSERT INTO team (name, scopes, created_at) VALUES ('lost', '[]', '')");
    lose();
    await session.query("SELECT 1");
  });
  await expect(sleep).rejects.toThrow(StoreUnavailableError);
  await expect(change).rejects.toThrow(StoreUnavailableError);
  restore();
  expect(await store.read((session) => session.query("SELECT name FROM team"))).toEqual([]);
});

/** The same database, as a server that takes no changes shows it. */
function readOnly(location: string): string {
  const url = new URL(location);
  url.searchParams.set("options", `${url.searchParams.get("options")} -c default_transaction_read_only=on`);
  return url.href;
}

test("a store is closed although its database has fallen silent", async () => {
  const { location, silence } = await losableDatabase();
  const store = await testStore(location);
  await store.read((session) => session.query("SELECT 1 AS one"));
  silence();
  const { passed: asked, open: ask } = gate();
  const unanswered = expect(
    store.read((session) => {
      ask();
      return session.query("SELECT 2 AS two");
    }),
  ).rejects.toThrow(StoreUnavailableError);
  await asked;

  await store.close();

  await unanswered;
});

test("after a change that a read-only server refuses, its connection can be used", async () => {
  const location = await emptyDatabase();
  await testStore(location);
  const store = await testStore(readOnly(location));
  await expect(store.addKeyUses([])).rejects.toThrow(StoreUnavailableError);
  expect(await store.read((session) => session.query("SELECT name FROM team"))).toEqual([]);
});

test("a service whose server takes no changes is not ready", async () => {
  const location = await emptyDatabase();
  let now = await testStore(location);
  const service = await startTestService({
    database: location,
    faults: () => ({
      snapshot: (deadline) => now.snapshot(deadline),
      windows: (name, length) => ({
        ...now.windows(name, length),
        count: (...request) => now.windows(name, length).count(...request),
      }),
    }),
  });
  const before = await fetch(`${service.url}/readyz`);
  now = await testStore(readOnly(location));
  const refused = await fetch(`${service.url}/readyz`);
  expect({
    beforeStatus: before.status,
    refusedStatus: refused.status,
    retryAfter: refused.headers.get("retry-after"),
  }).toEqual({ beforeStatus: 200, refusedStatus: 503, retryAfter: "5" });
});

test("a request that waits for its count ends at its deadline, on the server too, and does not ask again", async () => {
  const database = await emptyDatabase();
  let asked = 0;
  const service = await startTestService({
    database,
    queryTimeout: 300,
    faults: (store) => ({
      windows: (...parameters) => {
        const windows = store.windows(...parameters);
        return {
          ...windows,
          readForTeam: async (...request) => {
            asked += 1;
            return await windows.readForTeam(...request);
          },
        };
      },
    }),
  });
  const refused = await service.get("/v1/catalog", { key: "unknown" });
  const answer = await (await testStore(database)).write(async (session) => {
    await session.query("SELECT key FROM request_window FOR UPDATE");
    const late = await service.get("/v1/catalog", { key: "unknown" });
    const waiting = `SELECT count(*) FROM pg_locks
      WHERE relation = 'request_window'::regclass AND pid <> pg_backend_pid()`;
    await vi.waitFor(async () => expect(await session.query(waiting)).toEqual([{ count: 0 }]), 30_000);
    return late;
  });
  expect({ refusedStatus: refused.status, answerStatus: answer.status, code: answer.body.code, asked }).toEqual({
    refusedStatus: 401,
    answerStatus: 504,
    code: "upstream_timeout",
    asked: 0,
  });
});

test("a query that passes its deadline ends on the server too", async () => {
  const store = await testStore();
  const sleep = "SELECT pg_sleep(61)";
  const late = new AbortController();
  const endless = store.read((session) => session.query(sleep), late.signal);
  await vi.waitFor(async () => expect(await running(store, sleep)).toBe(1));
  const passed = new StoreTimeoutError("late");
  late.abort(passed);
  await expect(endless).rejects.toBe(passed);
  await vi.waitFor(async () => expect(await running(store, sleep)).toBe(0), 30_000);
});

test("processes that open an empty database at once create its tables once", async () => {
  const location = await emptyDatabase();
  const stores = await Promise.all(Array.from({ length: 4 }, () => testStore(location)));
  const secrets = await Promise.all(
    stores.map((store) => store.read((session) => session.query("SELECT cursor FROM secret"))),
  );
  expect(new Set(secrets.map((rows) => JSON.stringify(rows))).size).toBe(1);
  expect(secrets[0]).toHaveLength(1);
});

test("loads at once add each row once, and count it once", async () => {
  const location = await emptyDatabase();
  const stores = await Promise.all(Array.from({ length: 4 }, () => testStore(location)));
  const all = products(400);
  const results = await Promise.all(stores.map((store, index) => load(store, all.slice(index * 50, index * 50 + 250))));
  const [first] = stores;
  expect(results.reduce((sum, { added }) => sum + added, 0)).toBe(400);
  expect(first && (await walk(first))).toEqual(all.map((row) => JSON.stringify(row)));
});

test("a load that ends half way adds nothing, and the next load adds all", async () => {
  const { location, lose, restore } = await losableDatabase();
  const store = await testStore(location);
  async function* lines() {
    yield* products(300).map((row) => Buffer.from(`${JSON.stringify(row)}\n`));
    expect(lose()).toBeGreaterThan(0);
    yield Buffer.from(`${JSON.stringify(product({ product_id: "last" }))}\n`);
  }
  const failed = loadRows(store, { name: "rows.ndjson", stream: Readable.from(lines()) });
  await expect(failed).rejects.toThrow(StoreUnavailableError);
  restore();
  expect(await walk(store)).toEqual([]);
  expect(await load(store, products(300))).toMatchObject({ added: 300 });
});

test("tables of another program, or of a newer service, are left alone", async () => {
  const [foreign, newer] = [await emptyDatabase(), await emptyDatabase()];
  const store = await testStore(newer);
  await store.write((session) => session.query("UPDATE catalog_schema SET version = version + 1"));
  await expect(testStore(newer)).rejects.toThrow(/^the database has schema 10, this service reads schema 9$/);
  await store.write((session) => session.script("DROP TABLE catalog_schema"));
  await expect(testStore(newer)).rejects.toThrow(/^the database belongs to another program$/);
  await expect(testStore(foreign)).resolves.toBeDefined();
});

test("a database of an earlier version is migrated in place, by one of several processes", async () => {
  const database = await emptySchema();
  await runSql(database, await readFile(new URL("databases/schema-8.sql", import.meta.url), "utf8"));
  const [store, other] = await Promise.all([testStore(database), testStore(database)]);
  const prices = (texts: string[]) => texts.map((text) => JSON.parse(text).selling_price);
  expect(await listKeys(store)).toMatchObject([{ name: "laptop", team: "sales", retailers: ["shop-00"] }]);
  expect([prices(await walk(store)), prices(await walk(other))]).toEqual([
    [15, 17, 16.5],
    [15, 17, 16.5],
  ]);
  expect(await tablesOf(database)).toEqual(await tablesOf(await newDatabase()));
  expect(await load(other, products(2))).toMatchObject({ added: 2 });
});

async function newDatabase(): Promise<string> {
  const database = await emptySchema();
  await testStore(database);
  return database;
}

/** The columns and indexes of the tables. */
async function tablesOf(database: string) {
  const { rows } = await runSql(
    database,
    `SELECT table_name, column_name, data_type, is_nullable, collation_name, identity_generation, NULL AS "index"
     FROM information_schema.columns WHERE table_schema = current_schema()
     UNION ALL
     SELECT tablename, NULL, NULL, NULL, NULL, NULL, replace(indexdef, current_schema() || '.', '')
     FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1, 2, 7`,
  );
  return rows;
}

test("a sku or the name of a team that is too long for an index of PostgreSQL is refused", async () => {
  const store = await testStore();
  const sku = Array.from({ length: 1_000 }, (_, index) => String(index * 7_919)).join(".");
  await expect(load(store, [product({ sku })])).rejects.toThrow(RefusedChangeError);
  expect(await walk(store)).toEqual([]);

  const { code, stderr } = await runInProcess(["service", "load", "-", "--database", await emptyDatabase()], {
    stdin: JSON.stringify(product({ sku })),
  });
  expect({ code, stderr }).toEqual({
    code: EXIT.usage,
    stderr: expect.stringContaining(
      "error: standard input: PostgreSQL takes no sku, product_id or name as long as this; no row",
    ),
  });
  expect(await runInProcess(["service", "teams", "create", sku, "--database", await emptyDatabase()])).toMatchObject({
    code: EXIT.usage,
    stderr: "error: PostgreSQL takes no sku, product_id or name as long as this.\n",
  });
});

test("messages name the database without its password", async () => {
  const place = "postgres://me:s3cret@127.0.0.1:1/db?password=s3cret";
  const failed = await runInProcess(["service", "keys", "list", "--database", place]);
  expect(failed).toMatchObject({ code: EXIT.unavailable, stdout: "" });
  expect(failed.stderr).toMatch(
    /^error: the database server of postgres:\/\/me@127\.0\.0\.1:1\/db is not available: .*ECONNREFUSED/,
  );
  expect(failed.stderr).not.toContain("s3cret");
});

/** Queries of this text that the server runs now. */
async function running(store: Awaited<ReturnType<typeof testStore>>, text: string): Promise<unknown> {
  const active = "SELECT count(*) AS count FROM pg_stat_activity WHERE state = 'active' AND query LIKE ? || '%'";
  const [row] = await store.read((session) =>
    session.query<{ count: number }>(active, [text.startsWith("SELECT") ? text : `SELECT ${text}`]),
  );
  return row?.count;
}
