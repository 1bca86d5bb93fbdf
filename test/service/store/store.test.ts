import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { LocationError } from "../../../src/service/store/database/location.ts";
import { connectToSqlite } from "../../../src/service/store/database/sqlite-connection.ts";
import type { Selection } from "../../../src/service/store/product-rows/snapshot.ts";
import { openStore, type Store } from "../../../src/service/store/store.ts";
import { StoreTimeoutError, StoreUnavailableError } from "../../../src/service/store/store-types.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { gate } from "../../helpers/gate.ts";
import { product, products } from "../../helpers/products.ts";
import { load, NO_DEADLINE, testStore, textsOf, walk } from "./stores.ts";

/** Another program that holds the whole database until its standard input ends. */
const LOCKER = `
  import Database from "libsql";
  const database = new Database(process.argv[1]);
  database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE data_version SET version = version; COMMIT");
  console.log("locked");
  process.stdin.resume();
`;
const ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

test("only its owner can read a new database", async () => {
  const path = join(await temporaryFolder(), "new folder", "a%20b?#.db");
  const store = await testStore(path);
  await load(store, [product()]);
  await store.windows("test", 60_000).count("team", 0);
  const files = [path, `${path}-wal`, `${path}-limits`, `${path}-limits-wal`];
  const modes = await Promise.all(files.map(async (file) => (await stat(file)).mode & 0o777));
  expect(modes).toEqual([0o600, 0o600, 0o600, 0o600]);
});

test("a file URL names the same database as its path", async () => {
  const path = join(await temporaryFolder(), "a b.db");
  await load(await testStore(path), [product()]);
  expect(await walk(await testStore(pathToFileURL(path).href))).toEqual([JSON.stringify(product())]);
});

test.each(["libsql://db.example", "https://db.example/x", "file://host/x.db"])(
  "the location %s is refused by name",
  async (location) => {
    await expect(testStore(location)).rejects.toThrow(LocationError);
  },
);

test("a load through another connection is visible in the next snapshot, and the earlier snapshot stays complete", async () => {
  const path = join(await temporaryFolder(), "rows.db");
  const [reader, writer] = [await testStore(path), await testStore(path)];
  await load(writer, products(3));
  const before = await reader.snapshot(NO_DEADLINE);
  await load(writer, [product({ sku: "a-first" })]);
  const after = await reader.snapshot(NO_DEADLINE);
  const skus = async (snapshot: typeof before) =>
    textsOf((await reader.page(await snapshot.select({}, null), { offset: 0 }, 10, NO_DEADLINE)).bytes).map(
      (text) => JSON.parse(text).sku,
    );
  expect(await skus(before)).toEqual(["sku-0000", "sku-0001", "sku-0002"]);
  expect(await skus(after)).toEqual(["a-first", "sku-0000", "sku-0001", "sku-0002"]);
  expect(after.version).toBeGreaterThan(before.version);
});

test("a load that changes nothing does not raise the version", async () => {
  const store = await testStore();
  await load(store, products(2));
  const { version } = await store.snapshot(NO_DEADLINE);
  await load(store, products(2));
  expect((await store.snapshot(NO_DEADLINE)).version).toBe(version);
});

test("reads use the earlier data while a load is in progress", async () => {
  const path = join(await temporaryFolder(), "rows.db");
  const store = await testStore(path);
  await load(store, products(2));
  const rowsDuring = await store.write(async (session) => {
    await session.query("DELETE FROM product");
    return await walk(store);
  });
  expect(rowsDuring).toHaveLength(2);
});

test("each of many concurrent reads gets its own rows", async () => {
  const store = await testStore();
  await load(store, products(100));
  const selection = await allRows(store);
  const pages = await Promise.all(
    Array.from({ length: 100 }, async (_, offset) =>
      textsOf((await store.page(selection, { offset }, 1, AbortSignal.timeout(30_000))).bytes),
    ),
  );
  expect(pages.flat()).toEqual(products(100).map((row) => JSON.stringify(row)));
});

/** The reason of a deadline. */
const PASSED = new StoreTimeoutError("late");

test("a query past its deadline is interrupted, and the next one works", async () => {
  const store = await testStore(join(await temporaryFolder(), "rows.db"));
  const endless = store.read((session) => session.query(ENDLESS), AbortSignal.timeout(20));
  await expect(endless).rejects.toMatchObject({ name: "TimeoutError" });
  expect((await allRows(store)).summary.matching_rows).toBe(0);
});

test("a read without a deadline ends after five minutes, and the next one works", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  const store = await testStore();
  const { passed: begun, open: begin } = gate();
  const read = store.read(async (session) => {
    begin();
    await session.query(ENDLESS);
  });
  await begun;

  vi.advanceTimersByTime(5 * 60_000);

  await expect(read).rejects.toThrow(StoreTimeoutError);
  expect(await store.read((session) => session.query("SELECT 1 AS one"))).toEqual([{ one: 1 }]);
});

test("a query whose deadline passes while it starts is interrupted too", async () => {
  const store = await testStore();
  for (let ticks = 0; ticks < 40; ticks += 1) {
    const holder = new AbortController();
    const endless = store.read((session) => session.query(ENDLESS), holder.signal);
    for (let tick = 0; tick < ticks; tick += 1) {
      await Promise.resolve();
    }
    holder.abort(PASSED);
    await expect(endless).rejects.toBe(PASSED);
    expect((await allRows(store)).summary.matching_rows).toBe(0);
  }
});

test("a read that waits for its turn rejects at its own deadline", async () => {
  const store = await testStore();
  const holder = new AbortController();
  const endless = store.read((session) => session.query(ENDLESS), holder.signal);
  await expect(store.snapshot(AbortSignal.timeout(20))).rejects.toMatchObject({ name: "TimeoutError" });
  holder.abort(PASSED);
  await expect(endless).rejects.toBe(PASSED);
});

test("a locked database is unavailable until the lock ends", async () => {
  const path = join(await temporaryFolder(), "rows.db");
  const store = await testStore(path);
  await putCopyInPlace(path);
  const holder = spawn(process.execPath, ["--input-type=module", "-e", LOCKER, path], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  expect(String(await once(holder.stdout, "data"))).toBe("locked\n");
  await expect(store.snapshot(NO_DEADLINE)).rejects.toThrow(StoreUnavailableError);
  holder.stdin.end();
  await once(holder, "exit");
  expect((await allRows(store)).summary.matching_rows).toBe(0);
});

test("a damaged database is unavailable until it is repaired", async () => {
  const path = join(await temporaryFolder(), "rows.db");
  const store = await testStore(path);
  await load(store, products(50));
  await store.close();
  await settle(path);
  await copyFile(path, `${path}.good`);
  await writeFile(path, Buffer.alloc((await readFile(path)).length, "damage"));
  await untilUnavailable(store);
  await rename(`${path}.good`, path);
  expect(await walk(store)).toHaveLength(50);
});

test.each<[string, (intact: Buffer) => Buffer]>([
  ["is no database", () => Buffer.from("damage")],
  ["has a page that cannot be read", (intact) => intact.fill("damage", 4_096)],
])("a file of windows that %s is made anew, and the operator is told", async (_, damaged) => {
  const path = join(await temporaryFolder(), "rows.db");
  const store = await testStore(path);
  await store.windows("test", 60_000).count("team", 0);
  await store.close();
  await settle(`${path}-limits`);
  await writeFile(`${path}-limits`, damaged(await readFile(`${path}-limits`)));

  const warn = vi.fn();
  const again = await openStore(path, { warn });
  onTestFinished(() => again.close());
  const counted = await again.windows("test", 60_000).count("team", 0);

  expect(counted).toEqual({ endsAt: 60_000, used: 1 });
  expect(warn.mock.calls).toEqual([[expect.stringContaining(`${path}-limits was damaged`)]]);
});

test("a database that is reached by a link and by its own name has one file of windows", async () => {
  const folder = await temporaryFolder();
  const [path, link] = [join(folder, "rows.db"), join(folder, "link.db")];
  const own = await testStore(path);
  await symlink(path, link);
  const counted = [];
  for (const store of [own, await testStore(link)]) {
    counted.push((await store.windows("test", 60_000).count("team", 0)).used);
  }

  expect(counted).toEqual([1, 2]);
});

test("a file of windows that somebody removes is made anew, and all processes count in the new one", async () => {
  const path = join(await temporaryFolder(), "rows.db");
  const stores = [await testStore(path), await testStore(path)];
  const count = async () => {
    const counted = [];
    for (const store of stores) {
      counted.push((await store.windows("test", 60_000).count("team", 0)).used);
    }
    return counted;
  };
  const before = await count();
  await Promise.all(["", "-wal", "-shm"].map((end) => rm(`${path}-limits${end}`)));

  expect({ before, count: await count() }).toEqual({ before: [1, 2], count: [1, 2] });
});

test("the operator is told why the database cannot be used, once until it works again", async () => {
  const path = join(await temporaryFolder(), "rows.db");
  const warn = vi.fn();
  const store = await openStore(path, { warn });
  onTestFinished(() => store.close());
  const failing = () => store.read((session) => session.query("SELECT * FROM absent"));
  for (let outage = 0; outage < 2; outage += 1) {
    await expect(failing()).rejects.toThrow(StoreUnavailableError);
    await expect(failing()).rejects.toThrow(StoreUnavailableError);
    await store.snapshot(NO_DEADLINE);
  }

  const told = ["the database cannot be used: no such table: absent"];
  expect(warn.mock.calls).toEqual([told, told]);
});

test("a connection whose query failed is opened again, without the transaction that it was in", async () => {
  const store = await testStore(join(await temporaryFolder(), "rows.db"));
  const failed = store.prepareWrite((session) => session.script("BEGIN; SELECT * FROM nothing"));
  await expect(failed).rejects.toThrow(StoreUnavailableError);
  expect(await load(store, products(2))).toMatchObject({ added: 2 });
});

test("a change that fails gives back the space that it took on disk", async () => {
  const path = join(await temporaryFolder(), "rows.db");
  const store = await testStore(path);
  let taken = 0;
  const failed = store.write(async (session) => {
    await session.script("CREATE TABLE large AS SELECT zeroblob(10000000) AS bytes");
    taken = (await stat(`${path}-wal`)).size;
    throw new Error("refused");
  });

  await expect(failed).rejects.toThrow("refused");

  expect(taken).toBeGreaterThan(1_000_000);
  expect((await stat(`${path}-wal`)).size).toBe(0);
});

test("a load whose temporary files have no room says so, because the database may have some", async () => {
  const store = await testStore(join(await temporaryFolder(), "rows.db"));
  const failed = store.prepareWrite(async (session) => {
    await session.script("CREATE TEMP TABLE staged (bytes); PRAGMA temp.max_page_count = 10");
    await session.transaction("stage", () => session.script("INSERT INTO staged VALUES (zeroblob(1000000))"));
  });

  await expect(failed).rejects.toThrow("the folder of temporary files is full; TMPDIR names another");
});

test("a database of another program is refused and not changed", async () => {
  const path = join(await temporaryFolder(), "other.db");
  await writeFile(path, "");
  const other = connectToSqlite(path);
  await other.use((session) => session.script("CREATE TABLE note (text TEXT)"));
  await expect(testStore(path)).rejects.toThrow("belongs to another program");
  expect(await other.use((session) => session.query("SELECT name FROM sqlite_schema"))).toEqual([{ name: "note" }]);
  await other.close();
});

test("the secret for cursors has 32 bytes and is stored in the database", async () => {
  const path = join(await temporaryFolder(), "rows.db");
  const secret = await (await testStore(path)).cursorSecret(NO_DEADLINE);
  expect(secret).toHaveLength(32);
  expect(await (await testStore(path)).cursorSecret(NO_DEADLINE)).toEqual(secret);
  expect(await (await testStore()).cursorSecret(NO_DEADLINE)).not.toEqual(secret);
});

test("day counts are added per day and operation", async () => {
  const store = await testStore();
  await store.addDayCounts([{ date: "2026-01-01", operation: "catalog", requests: 9, failures: 0 }]);
  await store.addDayCounts([{ date: "2026-01-02", operation: "sample", requests: 1, failures: 1 }]);
  await store.addDayCounts([{ date: "2026-01-02", operation: "sample", requests: 2, failures: 0 }]);
  expect(await store.dayCounts("2026-01-02")).toEqual([
    { date: "2026-01-02", operation: "sample", requests: 3, failures: 1 },
  ]);
});

async function allRows(store: Store): Promise<Selection> {
  return await (await store.snapshot(NO_DEADLINE)).select({}, null);
}

/** The store checks the file again within a second. */
async function untilUnavailable(store: Store): Promise<void> {
  await expect
    .poll(() => store.snapshot(NO_DEADLINE).catch((error) => error), { timeout: 5_000 })
    .toBeInstanceOf(StoreUnavailableError);
}

/** Moves the write-ahead log into the file, so that the file alone is the database. */
async function settle(path: string): Promise<void> {
  const connection = connectToSqlite(path);
  expect(await connection.use((session) => session.query("PRAGMA wal_checkpoint(TRUNCATE)"))).toEqual([
    { busy: 0, log: 0, checkpointed: 0 },
  ]);
  await connection.close();
}

/** The same database in a file that no connection of this process has open. */
async function putCopyInPlace(path: string): Promise<void> {
  await settle(path);
  await copyFile(path, `${path}.copy`);
  await Promise.all([rm(`${path}-wal`), rm(`${path}-shm`)]);
  await rename(`${path}.copy`, path);
}

test("changes that wait for another one do not hold up reads", async () => {
  const path = join(await temporaryFolder(), "rows.db");
  const holder = await testStore(path);
  const others = await Promise.all(Array.from({ length: 8 }, () => testStore(path)));
  const order: string[] = [];
  const waiting: Promise<unknown>[] = [];
  await holder.write(async (session) => {
    waiting.push(...others.map((store) => store.write(async () => order.push("change"))));
    await others[0]?.read((reading) => reading.query("SELECT 1"));
    await session.query("SELECT 1");
    order.push("read");
  });
  await Promise.all(waiting);
  expect(order).toEqual(["read", ...others.map(() => "change")]);
});
