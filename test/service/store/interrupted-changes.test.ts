import { expect, onTestFinished, test } from "vitest";
import { createKey, listKeys, takeBackKey } from "../../../src/service/store/access/manage-keys.ts";
import { createTeam } from "../../../src/service/store/access/manage-teams.ts";
import { removeRows } from "../../../src/service/store/product-rows/versions.ts";
import { openStore, type Store } from "../../../src/service/store/store.ts";
import { sharedDatabase } from "../../helpers/databases.ts";
import { gate } from "../../helpers/gate.ts";
import { product, products } from "../../helpers/products.ts";
import { load, testStore, walk } from "./stores.ts";

const REASON = new Error("interrupted");

/** A database with two rows, and a store on it that the signal ends. */
async function interruptible() {
  const location = await sharedDatabase();
  const other = await testStore(location);
  await load(other, products(2));
  const controller = new AbortController();
  const store = await openStore(location, { signal: controller.signal });
  onTestFinished(() => store.close());
  return { location, other, store, interrupt: () => controller.abort(REASON) };
}

/** A change that has begun, and that ends when `passed` does. */
async function begun(change: (work: () => Promise<void>) => Promise<unknown>, passed: Promise<void>) {
  const { passed: begins, open } = gate();
  const ended = change(async () => {
    open();
    await passed;
  });
  await begins;
  return { ended };
}

const CHANGES: [string, (store: Store) => Promise<unknown>][] = [
  ["removal", (store) => store.changeRows((session) => removeRows(session, {}))],
  ["load", (store) => load(store, [product({ sku: "new" })])],
  ["key", (store) => createKey(store, { name: "new" }, new Date())],
];

test.each(CHANGES)(
  "a %s that waits for another change ends with the signal, and changes nothing",
  async (_, change) => {
    const { location, other, store, interrupt } = await interruptible();
    const { passed, open } = gate();
    onTestFinished(open);
    // A file has one change at a time, PostgreSQL one of each kind.
    const held = [await begun(other.changeRows, passed)];
    if (!location.endsWith(".db")) {
      held.push(await begun(other.write, passed));
    }
    const changing = change(store);
    await store.read((session) => session.query("SELECT 1"));
    interrupt();

    await expect(changing).rejects.toBe(REASON);
    open();
    await Promise.all(held.map(({ ended }) => ended));
    expect(await walk(other)).toHaveLength(2);
    expect(await listKeys(other)).toEqual([]);
  },
);

test("a change that the signal ends holds up no other one, and its secret can be taken back", async () => {
  const { other, store, interrupt } = await interruptible();
  const secret = await createKey(store, { name: "lost" }, new Date());
  const changing = store.write(async (session) => {
    await session.query("DELETE FROM api_key");
    interrupt();
    await session.query("SELECT 1");
  });

  await expect(changing).rejects.toBe(REASON);
  await createTeam(other, "next", {}, new Date());
  expect(await listKeys(other)).toMatchObject([{ name: "lost" }]);
  await takeBackKey(store, secret);
  expect(await listKeys(other)).toEqual([]);
});

test("a change that is being committed when the signal comes is made and reported as made", async () => {
  const { other, store, interrupt } = await interruptible();
  const changing = store.changeRows(async (session) => {
    const removed = await removeRows(session, {});
    setImmediate(interrupt);
    return removed;
  });

  expect(await changing).toMatchObject({ matching_rows: 2 });
  expect(await walk(other)).toEqual([]);
});
