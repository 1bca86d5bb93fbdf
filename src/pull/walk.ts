import { createHash, hash } from "node:crypto";
import type { CatalogClient } from "../api/client.ts";
import { walkPages } from "../api/pages.ts";
import type { CatalogPage } from "../api/responses/rows-response.ts";
import type { Filters } from "../contract/filters.ts";
import { ApiError, SetChangedError } from "../errors.ts";
import type { RowBatch } from "../rows/batch.ts";
import { createPageCheck, SetMovedError } from "./row-check.ts";
import type { SetFacts, StoredPage, WalkPlace } from "./store/stored-page.ts";

/** A page for the caller, who owns its rows and may clear them. */
export interface WalkedPage {
  rows: RowBatch;
  place: WalkPlace;
  /** Absent if the page is not in the store yet. */
  stored?: StoredPage;
}

export interface WalkOptions {
  pageSize: number;
  signal: AbortSignal;
  /**
   * Pages in the store, from the first on. They are checked and yielded like the others, and the walk continues after them.
   * `read` gives undefined for a damaged page; it and the pages after it are requested again.
   */
  earlier?: readonly (StoredPage & { read(): Promise<RowBatch | undefined> })[];
  /** Checks the `total_matching` of the walk; an error thrown here ends the walk before any row is yielded. */
  expectTotal?: (total: number) => void;
  /** Called with the reason each time the walk begins again. */
  onRestart?: (reason: string) => void;
  /** Called with the number of pages that are requested again, because the first of them is damaged on disk. */
  onDamage?: (pages: number) => void;
}

/** Number of restarts in a row without a new row after which a walk fails. */
const FRUITLESS_RESTARTS = 5;

/** Rows that were passed on are no longer what the service returns: the caller must remove them or give up. */
export class DeliveredRowsMovedError extends Error {
  override readonly name = "DeliveredRowsMovedError";
}

/**
 * Walks one filtered set from its first page to its last and yields each row exactly once, page by page. The last page
 * is yielded only after the count of all rows was found correct.
 *
 * The first page is requested again at the end. If the walk continues after `earlier` pages, the last of them is requested
 * again at the start and at the end. A total cannot show that one row was removed and another was added.
 *
 * If the cursor is refused, the total changes or a row repeats, the walk begins again at the first page. Rows that were
 * yielded before are compared by digest and not yielded again. Memory: one page, a digest for each page, and the ids that
 * `createPageCheck` keeps.
 *
 * @throws DeliveredRowsMovedError if yielded rows are no longer the first rows of the set
 * @throws SetChangedError if several restarts in a row bring no new row
 */
export async function* walkSlice(
  client: CatalogClient,
  filters: Filters,
  options: WalkOptions,
): AsyncGenerator<WalkedPage, void, void> {
  const delivered: WalkPlace[] = [];
  let fruitless = 0;
  for (let attempt = 0; ; attempt += 1) {
    const before = delivered.length;
    try {
      yield* walkOnce(client, filters, attempt === 0 ? options : { ...options, earlier: [] }, delivered);
      return;
    } catch (error) {
      const reason = reasonToRestart(error);
      fruitless = delivered.length > before ? 0 : fruitless + 1;
      if (reason === undefined) {
        throw error;
      }
      if (fruitless >= FRUITLESS_RESTARTS) {
        throw new SetChangedError(`the set cannot be read completely: ${reason}, ${fruitless} times at the same place`);
      }
      options.onRestart?.(reason);
    }
  }
}

function reasonToRestart(error: unknown): string | undefined {
  if (error instanceof ApiError && error.problem.code === "invalid_cursor") {
    return "the service no longer accepts its cursor";
  }
  return error instanceof SetMovedError ? error.message : undefined;
}

async function* walkOnce(
  client: CatalogClient,
  filters: Filters,
  options: WalkOptions,
  delivered: WalkPlace[],
): AsyncGenerator<WalkedPage, void, void> {
  const { pageSize, signal, expectTotal, earlier = [] } = options;
  const walk: RunningWalk = { check: createPageCheck(filters), first: undefined, rows: 0 };
  yield* storedPages(earlier, walk, delivered, options);
  const isContinued = earlier.length > 0 && delivered.length > 0;
  if (isContinued && delivered.at(-1)?.cursor === null) {
    return;
  }
  const seam = isContinued ? delivered.length - 1 : -1;
  const compareAgain = async (place: WalkPlace | undefined, cursor?: string | null) => {
    if (place !== undefined) {
      const page = await client.catalog(filters, { limit: pageSize, cursor: cursor ?? undefined }, signal);
      assertSame(place, page.rows);
    }
  };
  const compareSeam = () => compareAgain(delivered[seam], delivered[seam - 1]?.cursor);
  await compareSeam();
  const again = createComparison(isContinued ? [] : [...delivered]);
  const from = isContinued ? (delivered.at(-1)?.cursor ?? undefined) : undefined;
  for await (const page of walkPages(client, filters, { limit: pageSize, from, signal })) {
    const facts = setFactsOf(page);
    if (walk.first === undefined && delivered.length === 0 && facts.total !== null) {
      expectTotal?.(facts.total);
    }
    walk.first ??= facts;
    assertUnmoved(walk.first, facts);
    walk.rows += page.rows.length;
    walk.check(page.rows, page.meta.request_id);
    const rows = page.rows.slice(again.take(page.rows));
    const { next_cursor: cursor, has_more } = page.pagination;
    if (!has_more) {
      assertComplete(again.isDone(), walk.rows, walk.first.total);
      await compareAgain(delivered[0]);
      await (seam > 0 ? compareSeam() : undefined);
    }
    if (rows.length > 0 || !has_more) {
      const place = { rows: rows.length, digest: pageDigest(rows), cursor, facts };
      delivered.push(place);
      yield { rows, place };
    }
  }
}

/** What one walk has seen. */
interface RunningWalk {
  check: ReturnType<typeof createPageCheck>;
  first: SetFacts | undefined;
  rows: number;
}

/** Checks and yields the pages in the store, up to a damaged one. */
async function* storedPages(
  earlier: NonNullable<WalkOptions["earlier"]>,
  walk: RunningWalk,
  delivered: WalkPlace[],
  { expectTotal, onDamage }: WalkOptions,
): AsyncGenerator<WalkedPage, void, void> {
  for (const [index, { read, ...stored }] of earlier.entries()) {
    const { place } = stored;
    const rows = await read();
    if (rows === undefined) {
      onDamage?.(earlier.length - index);
      return;
    }
    if (place.facts.total !== null) {
      expectTotal?.(place.facts.total);
    }
    walk.first ??= place.facts;
    assertUnmoved(walk.first, place.facts);
    walk.rows += place.rows;
    walk.check(rows, "");
    if (place.cursor === null) {
      assertComplete(true, walk.rows, walk.first.total);
    }
    delivered.push(place);
    yield { rows, place, stored };
  }
}

function assertComplete(isAllThere: boolean, walked: number, total: number | null): void {
  if (!isAllThere) {
    throw new DeliveredRowsMovedError("rows that were already read are missing now");
  }
  if (total !== null && walked !== total) {
    throw new SetMovedError(`the walk ended after ${walked} rows, but total_matching is ${total}`);
  }
}

/**
 * Compares a page that was requested again. If a row that was read is removed and another row is added further on, the total
 * stays the same, but the rows in between move to an earlier page, and a walk misses one.
 */
function assertSame(place: WalkPlace, page: RowBatch): void {
  // The first rows of a page may have been passed on with an earlier one.
  const rows = page.slice(Math.max(0, page.length - place.rows));
  if (pageDigest(rows) !== place.digest) {
    throw new DeliveredRowsMovedError("rows that were already read have changed");
  }
}

/** Compares rows with those that were passed on earlier, even if the pages are cut differently now. */
function createComparison(delivered: readonly WalkPlace[]) {
  const left = delivered.filter(({ rows }) => rows > 0);
  let compared = 0;
  let hash = createHash("sha256");
  return {
    isDone: () => left.length === 0,
    /** Returns how many of the rows were passed on earlier. */
    take: (rows: RowBatch): number => {
      let taken = 0;
      for (let [page] = left; page !== undefined && taken < rows.length; [page] = left) {
        const part = rows.slice(taken, taken + page.rows - compared);
        hash.update(part.lines());
        taken += part.length;
        compared += part.length;
        if (compared === page.rows) {
          if (!hash.digest("hex").startsWith(page.digest)) {
            throw new DeliveredRowsMovedError("rows that were already read have changed");
          }
          left.shift();
          compared = 0;
          hash = createHash("sha256");
        }
      }
      return taken;
    },
  };
}

/** The digest of a page, see `WalkPlace`. */
export function pageDigest(rows: RowBatch): string {
  return hash("sha256", rows.lines()).slice(0, 32);
}

function setFactsOf({ pagination, meta }: CatalogPage): SetFacts {
  const { corpus_rows: _, ...coverage } = meta.coverage;
  return { total: pagination.total_matching, coverage };
}

function assertUnmoved(first: SetFacts, now: SetFacts): void {
  if (now.total !== first.total) {
    throw new SetMovedError(`total_matching changed from ${first.total} to ${now.total}`);
  }
  if (JSON.stringify(now.coverage) !== JSON.stringify(first.coverage)) {
    throw new SetMovedError("meta.coverage changed");
  }
}
