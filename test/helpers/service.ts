import { onTestFinished, vi } from "vitest";
import { SCOPES } from "../../src/contract/operations.ts";
import type { Product } from "../../src/contract/product.ts";
import { createApp } from "../../src/service/http/app.ts";
import type { ServiceOptions } from "../../src/service/http/service-options.ts";
import { createKey, type NewKey } from "../../src/service/store/access/manage-keys.ts";
import { createRowStage } from "../../src/service/store/product-rows/row-stage.ts";
import { openStore, type Store } from "../../src/service/store/store.ts";
import { emptyDatabase } from "./databases.ts";
import { afterAllTests, type OnEnd } from "./endings.ts";
import { onceEach } from "./once-each.ts";
import { readResponse, type TestResponse } from "./responses.ts";

/** A row, or its JSON text as it is stored. */
type TestRow = Product | string;

export interface TestServiceOptions extends ServiceOptions {
  rows?: readonly TestRow[];
  /** Faulty methods that replace methods of the real store. */
  faults?: (store: Store) => Partial<Store>;
  /** Default: an empty one. */
  database?: string;
  /** A standby of it. */
  replica?: string;
  /** Registers closing. Default: after the test. */
  onEnd?: OnEnd;
}

export interface TestService {
  url: string;
  store: Store;
  /** Secret of a key with every scope that sees every retailer. */
  key: string;
  /** Creates a key. A key with grants gets a new team, unless it names one. */
  createKey(key: NewKey): Promise<string>;
  /** Loads more rows. */
  addRows(rows: readonly TestRow[]): Promise<void>;
  /** Loads these rows in the place of all others. */
  replaceRows(rows: readonly TestRow[]): Promise<void>;
  /** Sends a GET and checks the response against the contract; `key: null` sends no credential. */
  get(
    path: string,
    options?: { key?: string | null; headers?: Record<string, string>; method?: string },
  ): Promise<TestResponse>;
  close(): Promise<void>;
}

/** A service on a free port with a real database. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const { rows = [], faults, database, replica, onEnd = onTestFinished, ...service } = options;
  const store = await openStore(database ?? (await emptyDatabase()), { replica });
  await addRows(store, rows);
  const key = await createKey(store, { name: "all" }, new Date());
  const { url, close } = await startInstance({ ...store, ...faults?.(store) }, service);
  onEnd(close);
  return {
    url,
    store,
    key,
    createKey: (other) => {
      const ownTeam = other.scopes === undefined && other.retailers === undefined ? "default" : other.name;
      return createKey(store, { team: ownTeam, scopes: SCOPES, ...other }, new Date());
    },
    addRows: (more) => addRows(store, more),
    replaceRows: (others) => addRows(store, others, REMOVE_ALL),
    get: async (path, { key: used = key, headers = {}, method = "GET" } = {}) => {
      const authorization = used === null ? {} : { authorization: `Bearer ${used}` };
      return readResponse(await fetch(`${url}${path}`, { method, headers: { ...authorization, ...headers } }));
    },
    close,
  };
}

/** A service on a free port. Closing it closes its store. */
export async function startInstance(store: Store, options: ServiceOptions) {
  const app = createApp(store, options);
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= app.close().then(() => store.close());
    return closed;
  };
  return { url, close };
}

/** A service that the tests of a file share; the first one starts it. Call it at the top of the file. */
export function sharedService(options: TestServiceOptions = {}): () => Promise<TestService> {
  const onEnd = afterAllTests();
  return onceEach(() => startTestService({ ...options, onEnd }));
}

/** Faults of a store whose rows cannot be read while there is an `error`. */
export function rowsFail(error: () => Error | false | undefined): NonNullable<TestServiceOptions["faults"]> {
  return (store) => ({
    snapshot: async (deadline) => {
      const failure = error();
      if (failure) {
        throw failure;
      }
      return await store.snapshot(deadline);
    },
  });
}

/** Windows of the store that find no team of a key, as a fault. */
export function withoutKeys(store: Store, countForTeam: () => Promise<never>): Store["windows"] {
  return (name, length) => ({ ...store.windows(name, length), countForTeam });
}

/** Removes all rows, also from earlier versions. */
export const REMOVE_ALL = "DELETE FROM product; DELETE FROM combination; DELETE FROM row_version";

/** @param before statements that make room for the rows */
async function addRows(store: Store, rows: readonly TestRow[], before?: string): Promise<void> {
  await store.changeRows(async (session) => {
    await (before && session.script(before));
    const stage = await createRowStage(session, () => undefined);
    await stage.add(
      rows.map((row) => {
        const body = typeof row === "string" ? row : JSON.stringify(row);
        return { line: 0, product: JSON.parse(body), body };
      }),
    );
    await stage.merge();
  });
}

/** Lets a test say when five seconds are over, after which a service writes its counts. */
export function holdIntervals(): void {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
}
