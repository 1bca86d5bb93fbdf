import fc from "fast-check";
import { expect, test } from "vitest";
import type { Product } from "../../../../src/contract/product.ts";
import { publishVersion, removeRows } from "../../../../src/service/store/product-rows/versions.ts";
import type { Store } from "../../../../src/service/store/store.ts";
import { DATABASE_RUNS, sharedDatabase } from "../../../helpers/databases.ts";
import { product, products } from "../../../helpers/products.ts";
import { startTestService } from "../../../helpers/service.ts";
import { addUnpublished, load, NO_DEADLINE, testStore, textsOf } from "../stores.ts";

const retailers = fc.constantFrom("acme", "bolt");
const days = fc.constantFrom("2026-01-15", "2026-01-16");
const someRows = fc.uniqueArray(
  fc
    .tuple(retailers, days, fc.integer({ min: 0, max: 3 }), fc.constantFrom("one", "two"))
    .map(([retailer, crawl_date, number, title]) => product({ retailer, crawl_date, sku: `sku-${number}`, title })),
  { selector: (row) => row.product_id, minLength: 1, maxLength: 8 },
);

type Slice = { retailer: string; day: string };
type Change =
  | { kind: "replace"; rows: Product[] }
  | ({ kind: "slice"; rows: Product[] } & Slice)
  | ({ kind: "remove" } & Slice);
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant("replace" as const), rows: someRows }),
  fc.record({ kind: fc.constant("slice" as const), rows: someRows, retailer: retailers, day: days }),
  fc.record({ kind: fc.constant("remove" as const), retailer: retailers, day: days }),
);

test("after any replacements and removals, each version has exactly the rows that it had when it was the newest", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
      const store = await testStore();
      let model = new Map<string, Product>();
      const versions = new Map<number, Product[]>();
      for (const step of changes) {
        model = await changed(store, model, step);
        versions.set((await store.snapshot(NO_DEADLINE)).version, [...model.values()]);
      }
      for (const [version, expected] of versions) {
        expect(await rowsAt(store, version)).toEqual(inOrder(expected));
      }
    }),
    { numRuns: DATABASE_RUNS },
  );
});

/** Makes a change of the store. @returns the rows that it should have then, by `product_id` */
async function changed(store: Store, model: ReadonlyMap<string, Product>, step: Change): Promise<Map<string, Product>> {
  const isOfSlice = ({ retailer, crawl_date }: Product) =>
    step.kind !== "replace" && retailer === step.retailer && crawl_date === step.day;
  const kept = [...model].filter(([, row]) => !isOfSlice(row));
  if (step.kind === "remove") {
    await store.changeRows((session) =>
      removeRows(session, { retailer: step.retailer, start_date: step.day, end_date: step.day }),
    );
    return new Map(kept);
  }
  const rows = step.kind === "replace" ? step.rows : step.rows.filter(isOfSlice);
  if (rows.length === 0) {
    return new Map(model);
  }
  await load(store, rows, step.kind === "slice" ? step : "same-ids");
  return new Map([...kept, ...rows.map((row) => [row.product_id, row] as const)]);
}

function inOrder(rows: readonly Product[]): Product[] {
  const key = ({ sku, retailer, crawl_date }: Product) => `${sku} ${retailer} ${crawl_date}`;
  return rows.toSorted((one, other) => (key(one) < key(other) ? -1 : 1));
}

async function rowsAt(store: Store, version: number): Promise<Product[]> {
  const selection = await (await store.snapshotAt(version, NO_DEADLINE))?.select({}, null);
  const total = selection?.summary.matching_rows ?? 0;
  const page = selection && (await store.page(selection, { offset: 0 }, total, NO_DEADLINE));
  return page === undefined ? [] : textsOf(page.bytes).map((text) => JSON.parse(text) as Product);
}

const OLD = [...products(4), ...products(4, { retailer: "bolt" })];

test("a walk across a replacement and a removal gets the old rows exactly, and a new walk the new ones", async () => {
  const { store, get, addRows } = await startTestService({ rows: OLD });
  const page = async (cursor?: string) => {
    const { body } = await get(`/v1/catalog?limit=3${cursor === undefined ? "" : `&cursor=${cursor}`}`);
    return body;
  };
  const walkFrom = async (first: Awaited<ReturnType<typeof page>>) => {
    const pages = [first];
    while (pages.at(-1).pagination.has_more) {
      pages.push(await page(pages.at(-1).pagination.next_cursor));
    }
    return pages;
  };
  const first = await page();

  const again = product({ sku: "sku-0001", title: "Crawled again" });
  expect(await load(store, [again], "same-ids")).toMatchObject({ added: 1, removed: 1 });
  expect((await store.changeRows((session) => removeRows(session, { retailer: "bolt" }))).matching_rows).toBe(4);
  await addRows([product({ sku: "sku-0000a", retailer: "new" })]);
  const old = await walkFrom(first);
  const fresh = await walkFrom(await page());
  const { body: coverage } = await get("/v1/coverage");

  expect(old.flatMap(({ data }) => data)).toEqual(inOrder(OLD));
  expect(new Set(old.map(({ pagination }) => pagination.total_matching))).toEqual(new Set([8]));
  expect(new Set(old.map(({ meta }) => JSON.stringify(meta.coverage))).size).toBe(1);
  const acme = products(4).map((row) => (row.sku === again.sku ? again : row));
  expect(fresh.flatMap(({ data }) => data)).toEqual(inOrder([...acme, product({ sku: "sku-0000a", retailer: "new" })]));
  expect(coverage.data.map((entry: Record<string, unknown>) => [entry.retailer, entry.corpus_rows])).toEqual([
    ["acme", 4],
    ["new", 1],
  ]);
  expect((await get("/v1/catalog?retailer=bolt")).body.code).toBe("unknown_retailer");
});

test("rows removed more than a day ago make room, and a walk from before then has to begin again", async () => {
  const { store, get, addRows } = await startTestService({ rows: OLD });
  const { body } = await get("/v1/catalog?limit=3");
  await store.changeRows((session) => removeRows(session, { retailer: "bolt" }));
  // The next version is of a day later.
  await store.write((session) =>
    session.script(`UPDATE data_version SET version = version + ${24 * 3_600_000 + 60_000}`),
  );
  const next = async () => (await get(`/v1/catalog?limit=3&cursor=${body.pagination.next_cursor}`)).body;
  const before = await next();
  await addRows([product({ sku: "other" })]);

  expect({ dataCount: before.data?.length, code: (await next()).code }).toEqual({
    dataCount: 3,
    code: "invalid_cursor",
  });
  expect(
    await store.read((session) => session.query("SELECT count(*) AS count FROM product WHERE removed > 0")),
  ).toEqual([{ count: 0 }]);
});

test("a load that ends between its commit and its publication is not read, until the next load publishes it", async () => {
  const { store, get } = await startTestService({ rows: products(4) });
  const { body: first } = await get("/v1/catalog?limit=3");
  await addUnpublished(store, products(2, { retailer: "bolt" }));
  const [during, retailer] = [await get("/v1/catalog"), await get("/v1/catalog?retailer=bolt")];
  expect(await load(store, products(4), "same-ids")).toMatchObject({ added: 0, removed: 0 });
  const [after, rest] = [
    await get("/v1/catalog"),
    await get(`/v1/catalog?limit=3&cursor=${first.pagination.next_cursor}`),
  ];

  expect({ data: during.body.data, code: retailer.body.code }).toEqual({ data: products(4), code: "unknown_retailer" });
  expect([...first.data, ...rest.body.data]).toEqual(products(4));
  expect(after.body.data).toEqual(inOrder([...products(4), ...products(2, { retailer: "bolt" })]));
});

test("a version is published when all its rows are there, as on servers that commit one after the other", async () => {
  const database = await sharedDatabase();
  const [store, other] = [await testStore(database), await testStore(database)];
  const totalOf = async () => (await (await store.snapshot(NO_DEADLINE)).select({}, null)).summary.matching_rows;
  await addUnpublished(store, products(3));
  const late = (by: string) =>
    store.write((session) => session.query(`UPDATE product SET added = added ${by} 1 WHERE day > 0`));
  await late("+");
  let looks = 0;
  const publication = other.prepareWrite((session) =>
    publishVersion({
      ...session,
      query: (...statement) => {
        looks += 1;
        return session.query(...statement);
      },
    }),
  );
  await expect.poll(() => looks).toBeGreaterThan(6);
  const before = await totalOf();
  await late("-");
  await publication;

  expect({ before, total: await totalOf() }).toEqual({ before: 0, total: 3 });
});

test("a database that has lost its version is not read as an empty one", async () => {
  const store = await testStore();
  await load(store, products(2), "same-ids");
  await store.write((session) => session.query("DELETE FROM data_version"));

  await expect(store.snapshot(NO_DEADLINE)).rejects.toThrow(
    "the database has lost a row: SELECT version, published FROM data_version",
  );
});
