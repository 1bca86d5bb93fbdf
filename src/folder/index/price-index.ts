import { createHash } from "node:crypto";
import { realpath, rename, rm, stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { FileError, SetChangedError } from "../../contract/errors.ts";
import { type DuckDb, type DuckDbOptions, filePattern, openDuckDb, sqlText } from "../../files/duckdb.ts";
import { assertOwnFolder } from "../../files/own-file.ts";
import { type ScratchFolder, scratchFolder } from "../../files/scratch-folder.ts";
import { placeOfDay } from "../day-files.ts";
import { ownFolderOf } from "../folder-lock.ts";
import type { SyncState } from "../folder-state.ts";
import { readSyncedFolder } from "../synced-day.ts";
import ADD_DAYS from "./add-days.sql";
import { crawledRows } from "./crawled-rows.ts";
import MARK_ROWS from "./mark-rows.sql";
import { areInPlace, openDays } from "./opened-days.ts";
import { SUSPECT_FACTOR } from "./suspect-factor.ts";
import SUSPECT_ROWS from "./suspect-rows.sql";
import TABLES from "./tables.sql";
import VIEWS from "./views.sql";

/** Another one for each change of the tables, their content or the views. */
const VERSION = createHash("sha256").update([TABLES, ADD_DAYS, SUSPECT_ROWS, MARK_ROWS, VIEWS].join()).digest("hex");

/** Day files whose rows are in memory together. */
const FILES_AT_ONCE = 90;

/** Maximum number of threads of DuckDB. Each needs memory of its own. */
const MOST_THREADS = 4;

export interface PriceIndexRequest {
  folder: string;
  state: SyncState;
  signal: AbortSignal;
  /** Bytes that DuckDB may use. */
  memory?: number | undefined;
  /** Files that statements may write. */
  outputs?: readonly string[] | undefined;
  /** Called before days are read. */
  onBuild?: ((days: number) => void) | undefined;
  /** Called if the index cannot be stored in the folder. It is then in memory, for this command alone. */
  onNotStored?: ((reason: string) => void) | undefined;
}

/** The index of a folder, open for reading; closed by `await using`. */
export interface OpenPriceIndex extends DuckDb {
  /** The state of the folder that the index was made of. */
  state: SyncState;
}

export function priceIndexPath(folder: string): string {
  return join(ownFolderOf(folder), "prices.duckdb");
}

/**
 * Opens the index of a synced folder, brought up to date: days whose SHA-256 changed are read again. The new index is written
 * beside the old one and renamed, so that other readers go on with theirs. One that is missing, damaged or of another version is
 * built anew. Where the folder cannot be written, it is built in memory.
 *
 * @throws FileError if a day's file is missing or was altered
 * @throws SetChangedError if a sync is about to replace one
 */
export async function openPriceIndex(request: PriceIndexRequest): Promise<OpenPriceIndex> {
  const path = priceIndexPath(request.folder);
  const current = await openIfCurrent(path, request);
  if (current !== undefined) {
    return current;
  }
  await using scratch = await besideIndex(request);
  if (scratch === undefined) {
    return await build(undefined, request);
  }
  const next = join(scratch.path, "prices.duckdb");
  const built = await build(next, request).catch((error: Error) => {
    // A file system without fsync, or a full one.
    if (!error.message.startsWith("IO Error")) {
      throw error;
    }
    request.onNotStored?.(error.message);
  });
  if (!built) {
    return await build(undefined, request);
  }
  await built[Symbol.asyncDispose]();
  try {
    // Who opened the older one for writing may have left changes to it.
    await rm(`${path}.wal`, { force: true });
    await rename(next, path);
  } catch (error) {
    request.onNotStored?.((error as Error).message);
  }
  const opened = await openIfCurrent(path, { ...request, state: built.state });
  // Another command may have placed the index of a newer state meanwhile.
  return opened ?? (await build(undefined, request));
}

/** A folder of the tool's own in which a new index is built; undefined if there can be none. */
async function besideIndex({ folder, onNotStored }: PriceIndexRequest): Promise<ScratchFolder | undefined> {
  const own = ownFolderOf(folder);
  await assertOwnFolder(own);
  try {
    // DuckDB writes the log of such a database beside another path.
    return own.includes("?") ? void onNotStored?.("its path has a question mark") : await scratchFolder(own);
  } catch (error) {
    onNotStored?.((error as Error).message);
    return undefined;
  }
}

/** The index at a path if it is that of the state; undefined if it is another one, or cannot be read. */
async function openIfCurrent(path: string, request: PriceIndexRequest): Promise<OpenPriceIndex | undefined> {
  const { state, signal, outputs = [] } = request;
  if ((await stat(path).catch(() => undefined))?.isFile() !== true) {
    return undefined;
  }
  let duckDb: DuckDb | undefined;
  try {
    duckDb = await openDuckDb({ ...settings(request), database: path, readOnly: true, files: outputs });
    const [row] = await rowsOf(duckDb, "SELECT version, days FROM meta");
    if (row?.[0] === VERSION && row[1] === daysKey(state)) {
      return { ...duckDb, state, until: untilDamaged(path, duckDb) };
    }
  } catch {
    signal.throwIfAborted();
  }
  await duckDb?.[Symbol.asyncDispose]();
  return undefined;
}

/** What DuckDB says of blocks whose checksum is wrong, and afterwards. */
const DAMAGED = /corrupt database file|database has been invalidated/i;

/** As `until` of an open index, which is removed if it turns out to be damaged. */
function untilDamaged(path: string, duckDb: DuckDb): DuckDb["until"] {
  return async (action) => {
    try {
      return await duckDb.until(action);
    } catch (error) {
      if (!(error instanceof Error && DAMAGED.test(error.message))) {
        throw error;
      }
      await rm(path, { force: true });
      throw new FileError(
        `${path} is damaged and was removed; run the command again, which makes it anew`,
        path,
        error,
      );
    }
  };
}

function settings({ signal, memory = 512 * 1024 ** 2 }: Pick<PriceIndexRequest, "signal" | "memory">) {
  return {
    threads: Math.min(availableParallelism(), MOST_THREADS),
    memory,
    spills: true,
    signal,
  } satisfies Partial<DuckDbOptions>;
}

/** Identifies the days of a state with their content. */
function daysKey({ days }: SyncState): string {
  const hash = createHash("sha256");
  for (const day of Object.keys(days).sort()) {
    hash.update(`${day} ${days[day]?.sha256}\n`);
  }
  return hash.digest("hex");
}

/** Builds an index as a file, or in memory without a path, reading what an older one does not have. */
async function build(database: string | undefined, request: PriceIndexRequest): Promise<OpenPriceIndex> {
  const { folder, signal } = request;
  let isOldUsable = database !== undefined;
  for (let { state } = request; ; state = await readSyncedFolder(folder)) {
    const { duckDb, kept } = await openEmpty(database, request, state, isOldUsable);
    const changed = Object.keys(state.days).filter((day) => !kept.has(day));
    request.onBuild?.(changed.length);
    let files: Awaited<ReturnType<typeof openDays>>;
    let isBuilt = false;
    try {
      files = await openDays(folder, changed, state);
      if (files !== undefined) {
        const paths = files.map(({ path }) => path);
        await fill(duckDb, paths, kept, state);
        isBuilt = await areInPlace(files);
      }
    } catch (error) {
      signal.throwIfAborted();
      const isOfFiles = files !== undefined && !(await areInPlace(files));
      if (!isOfFiles && (error instanceof FileError || error instanceof SetChangedError || kept.size === 0)) {
        throw error;
      }
      // The older index may be damaged.
      isOldUsable = isOfFiles;
    } finally {
      await Promise.all(files?.map(({ close }) => close()) ?? []);
      if (!isBuilt) {
        await duckDb[Symbol.asyncDispose]();
      }
    }
    if (isBuilt) {
      return { ...duckDb, state };
    }
    // A sync has replaced a file while it was read.
    if (database !== undefined) {
      await rm(database, { force: true });
    }
  }
}

/** An empty database for an index, and the days that it can take from the older index, which is then attached as `old`. */
async function openEmpty(
  database: string | undefined,
  { folder, signal, outputs = [] }: PriceIndexRequest,
  state: SyncState,
  isOldUsable: boolean,
): Promise<{ duckDb: DuckDb; kept: ReadonlySet<string> }> {
  const root = await realpath(folder);
  const options = {
    ...settings({ signal }),
    ...(database !== undefined && { database }),
    files: [...Object.keys(state.days).map((day) => join(root, placeOfDay(day))), ...outputs],
  };
  const path = priceIndexPath(folder);
  if (isOldUsable && (await stat(path).catch(() => undefined))?.isFile()) {
    let duckDb: DuckDb | undefined;
    try {
      duckDb = await openDuckDb({ ...options, setUp: [`ATTACH ${sqlText(path)} AS old (READ_ONLY)`] });
      const [meta] = await rowsOf(duckDb, "SELECT version FROM old.meta");
      const days = meta?.[0] === VERSION ? await rowsOf(duckDb, "SELECT day::VARCHAR, sha256 FROM old.day") : [];
      const kept = days.filter(([day, sha256]) => state.days[String(day)]?.sha256 === sha256);
      return { duckDb, kept: new Set(kept.map(([day]) => String(day))) };
    } catch {
      await duckDb?.[Symbol.asyncDispose]();
      signal.throwIfAborted();
    }
  }
  return { duckDb: await openDuckDb(options), kept: new Set() };
}

/** @throws FileError naming a file without SKUs or prices: its rows would be left out silently */
async function assertPriced(duckDb: DuckDb, files: readonly string[]): Promise<void> {
  const list = files.map((file) => sqlText(filePattern(file))).join(", ");
  const sql = `SELECT file_name, count(*) FILTER (name = 'sku') FROM parquet_schema([${list}])
    GROUP BY file_name HAVING count(*) FILTER (name IN ('sku', 'selling_price')) < 2 LIMIT 1`;
  const [lacking] = (await duckDb.until((connection) => connection.runAndReadAll(sql))).getRows();
  if (lacking !== undefined) {
    const what = Number(lacking[1]) === 0 ? "text in the column sku" : "number in the column selling_price";
    const file = String(lacking[0]);
    throw new FileError(`${file} cannot be read as Parquet: row 1 has no ${what}`, file);
  }
}

async function fill(
  duckDb: DuckDb,
  files: readonly string[],
  kept: ReadonlySet<string>,
  state: SyncState,
): Promise<void> {
  const run = (sql: string) => duckDb.until((connection) => connection.run(sql));
  await run(TABLES);
  await run(
    `CREATE TEMP TABLE unmarked (product INTEGER, day DATE, place INTEGER, listing INTEGER, currency VARCHAR,
      mrp DECIMAL(18, 4), selling_price DECIMAL(18, 4), discount_pct DOUBLE)`,
  );
  if (kept.size > 0) {
    await run(`INSERT INTO product FROM old.product; INSERT INTO listing FROM old.listing;
      INSERT INTO unmarked SELECT product, day, place, listing, currency, mrp, selling_price, discount_pct
      FROM old.price_row WHERE day IN (${[...kept].map(sqlText).join(", ")})`);
  }
  if (files.length > 0) {
    try {
      await assertPriced(duckDb, files);
      for (let first = 0; first < files.length; first += FILES_AT_ONCE) {
        const some = files.slice(first, first + FILES_AT_ONCE);
        await run(`CREATE OR REPLACE TEMP VIEW crawled_row AS ${crawledRows(some)}`);
        await run(ADD_DAYS);
      }
    } catch (error) {
      if (error instanceof FileError) {
        throw error;
      }
      const message = (error as Error).message.replace(/\n[\s\S]*$/, "");
      throw new FileError(`a file of the folder cannot be read as Parquet: ${message}`, files[0] ?? "", error);
    }
  }
  await run(`SET VARIABLE suspect_factor = ${SUSPECT_FACTOR}::DECIMAL(15, 6)`);
  await run(SUSPECT_ROWS);
  await run(MARK_ROWS);
  await run("CREATE TABLE price_row AS FROM marked ORDER BY product, day, place");
  await run(`CREATE TABLE row_count AS SELECT day, retailer, department, category, brand, count(*)::INTEGER AS rows
    FROM price_row JOIN listing USING (product, listing) GROUP BY ALL`);
  await run(VIEWS);
  const days = Object.entries(state.days).map(
    ([day, { sha256, rows }]) => `(DATE ${sqlText(day)}, ${sqlText(sha256)}, ${rows})`,
  );
  if (days.length > 0) {
    await run(`INSERT INTO day VALUES ${days.join(", ")}`);
  }
  await run(`INSERT INTO meta VALUES (${sqlText(VERSION)}, ${sqlText(daysKey(state))})`);
  await run("CHECKPOINT");
}

async function rowsOf(duckDb: DuckDb, sql: string): Promise<readonly (readonly unknown[])[]> {
  return (await duckDb.until((connection) => connection.runAndReadAll(sql))).getRows();
}
