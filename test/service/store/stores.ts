import { Readable } from "node:stream";
import { onTestFinished } from "vitest";
import type { Product } from "../../../src/contract/product.ts";
import { rawElements } from "../../../src/contract/values/raw-json.ts";
import { type LoadOptions, loadRows } from "../../../src/service/load/load-rows.ts";
import { hashSecret } from "../../../src/service/store/access/manage-keys.ts";
import type { Session } from "../../../src/service/store/database/database-session.ts";
import { createRowStage, type Replacement } from "../../../src/service/store/product-rows/row-stage.ts";
import { openStore, type Store } from "../../../src/service/store/store.ts";
import { emptyDatabase } from "../../helpers/databases.ts";

/** A store that is closed with the test. */
export async function testStore(location?: string): Promise<Store> {
  const store = await openStore(location ?? (await emptyDatabase()));
  onTestFinished(() => store.close());
  return store;
}

/** Loads rows as a file of NDJSON. */
export async function load(store: Store, rows: readonly Product[], replacement?: Replacement) {
  return await loadContent(store, rows.map((row) => `${JSON.stringify(row)}\n`).join(""), { replacement });
}

/** Loads a file, whose content arrives in chunks of `size` bytes. */
export async function loadContent(
  store: Store,
  content: string | Uint8Array,
  { name = "rows.ndjson", size = 4096, ...options }: LoadOptions & { name?: string; size?: number } = {},
) {
  const bytes = Buffer.from(content);
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  return await loadRows(store, { name, stream: Readable.from(chunks) }, options);
}

/** Adds rows as a load whose process ends before it publishes them. */
export async function addUnpublished(store: Store, rows: readonly Product[]): Promise<void> {
  await store.prepareWrite(async (session) => {
    const stage = await createRowStage(session, () => undefined);
    await stage.add(rows.map((row) => ({ line: 0, product: row, body: JSON.stringify(row) })));
    await session.transaction("rows", stage.merge);
  });
}

/** The valid key with this secret, as a request finds it. */
export async function keyOf(store: Store, secret: string) {
  return (await store.windows("test", 60_000).countForTeam(hashSecret(secret), 0, NO_DEADLINE))?.key;
}

/** Texts of every row, read in pages of `size`. */
export async function walk(store: Store, size = 500): Promise<string[]> {
  const selection = await (await store.snapshot(NO_DEADLINE)).select({}, null);
  const texts: string[] = [];
  for (let offset = 0; offset < selection.summary.matching_rows; offset += size) {
    texts.push(...textsOf((await store.page(selection, { offset }, size, NO_DEADLINE)).bytes));
  }
  return texts;
}

/** The texts of rows, which the store reads as one. */
export function textsOf(bytes: Buffer): string[] {
  return rawElements(`[${bytes.toString()}]`);
}

/** A deadline that never passes. */
export const NO_DEADLINE = new AbortController().signal;

/** A session that adds each statement to `seen`, with its plan if it can be explained. */
export function spied(session: Session, seen: Map<string, string>): Session {
  return {
    ...session,
    query: async <T>(sql: string, parameters?: Parameters<Session["query"]>[1]) => {
      const plan = await session.query<object>(`EXPLAIN ${sql}`, parameters);
      seen.set(sql.trim(), plan.flatMap((line) => Object.values(line)).join("\n"));
      return await session.query<T>(sql, parameters);
    },
  };
}
