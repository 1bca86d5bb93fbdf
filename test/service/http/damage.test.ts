import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createKey } from "../../../src/service/store/access/manage-keys.ts";
import { connectToSqlite } from "../../../src/service/store/database/sqlite-connection.ts";
import { openStore } from "../../../src/service/store/writable-store.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { products } from "../../helpers/products.ts";
import { startServiceCommand } from "../../helpers/service-command.ts";
import { load } from "../store/stores.ts";

/** A database file with three rows and a key, all of it in one file. */
async function database(): Promise<{ path: string; key: string }> {
  const path = join(await temporaryFolder(), "rows.db");
  const store = await openStore(path);
  await load(store, products(3));
  const key = await createKey(store, { name: "all" }, new Date());
  await store.close();
  const connection = connectToSqlite(path, { lockWait: 5_000 });
  await connection.use((session) => session.query("PRAGMA wal_checkpoint(TRUNCATE)"));
  await connection.close();
  return { path, key };
}

/** Flips one bit of `text`, which is in the file once. */
async function flipBit(path: string, text: string, bit: number): Promise<void> {
  const bytes = await readFile(path);
  const at = bytes.indexOf(text);
  expect([at > 0, bytes.indexOf(text, at + 1)]).toEqual([true, -1]);
  const file = await open(path, "r+");
  await file.write(Buffer.of((bytes[at] ?? 0) ^ (1 << bit)), 0, 1, at);
  await file.close();
}

// The highest bit makes text that is not UTF-8, the lowest another letter.
test.each([7, 0])(
  "a row with flipped bit %i is an internal_error with a line in the log, and the service keeps running",
  async (bit) => {
    const { path, key } = await database();
    await flipBit(path, "Title of sku-0001", bit);
    const { url, log } = await startServiceCommand(["--database", path]);
    const get = async (path: string) => {
      const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } });
      return { status: response.status, body: JSON.parse(await response.text()) };
    };

    const { status, body } = await get("/v1/catalog");
    const whole = await get("/v1/catalog?limit=1");

    expect([status, body.code]).toEqual([500, "internal_error"]);
    expect(log()).toMatch(new RegExp(`^${body.request_id}: DamagedDataError: the row \\d+ in the database is damaged`));
    expect([whole.status, whole.body.data]).toEqual([200, products(1)]);
  },
);
