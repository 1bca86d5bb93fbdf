import { createHash, hash } from "node:crypto";
import type { CatalogClient } from "../api/client.ts";
import { walkPages } from "../api/pages.ts";
import type { CatalogPage } from "../api/responses/rows-response.ts";
import type { CoverageSummary } from "../contract/coverage.ts";
import type { Filters } from "../contract/filters.ts";
import { ApiError, SetChangedError } from "../errors.ts";
import type { RowBatch } from "../rows/batch.ts";
import { createPageCheck, SetMovedError } from "./row-check.ts";

/** The state of a walk after a page. Plain JSON, so that another process can continue from it. */
export interface WalkPlace {
  /** Rows of the page. */
  rows: number;
  /** SHA-256 of the page's rows as NDJSON, shortened to 128 bits. */
  digest: string;
  /** Cursor of the next page; null after the last one. */
  cursor: string | null;
  facts: SetFacts;
}

/** What a page reports about the whole set. */
interface SetFacts {
  /** Null if the service does not report it; the rows are then compared with the coverage only. */
  total: number | null;
  /** Excludes the rows outside the filters, whose number may change at any time. */
  coverage: Omit<CoverageSummary, "corpus_rows">;
}

/** A page for the caller, who owns its rows and may clear them. */
export interface WalkedPage {
  rows: RowBatch;
  place: WalkPlace;
}

export interface WalkOptions {
  pageSize: number;
  signal: AbortSignal;
  /** Pages that were passed on earlier, from the first on; the walk continues after them. */
  earlier?: readonly { place: WalkPlace; read(): Promise<RowBatch> }[];
  /** Checks the `total_matching` of the walk; an error thrown here ends the walk before any row is yielded. */
  expectTotal?: (total: number) => void;
  /** Called with the reason each time the walk begins again. */
  onRestart?: (reason: string) => void;
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
  const delivered = (options.earlier ?? []).map(({ place }) => place);
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
  { pageSize, signal, expectTotal, earlier = [] }: WalkOptions,
  delivered: WalkPlace[],
): AsyncGenerator<WalkedPage, void, void> {
  const check = createPageCheck(filters);
  let first: SetFacts | undefined;
  let walked = 0;
  for (const { place, read } of earlier) {
    if (place.facts.total !== null) {
      expectTotal?.(place.facts.total);
    }
    first ??= place.facts;
    walked += place.rows;
    check(await read(), "");
  }
  const isContinued = earlier.length > 0;
  const compareAgain = async (place: WalkPlace | undefined, cursor?: string | null) => {
    if (place !== undefined) {
      const page = await client.catalog(filters, { limit: pageSize, cursor: cursor ?? undefined }, signal);
      assertSame(place, page.rows);
    }
  };
  const compareSeam = () => compareAgain(earlier.at(-1)?.place, earlier.at(-2)?.place.cursor);
  await compareSeam();
  const again = createComparison(isContinued ? [] : [...delivered]);
  const from = isContinued ? (delivered.at(-1)?.cursor ?? undefined) : undefined;
  for await (const page of walkPages(client, filters, { limit: pageSize, from, signal })) {
    const facts = setFactsOf(page);
    if (first === undefined && delivered.length === 0 && facts.total !== null) {
      expectTotal?.(facts.total);
    }
    first ??= facts;
    assertUnmoved(first, facts);
    walked += page.rows.length;
    check(page.rows, page.meta.request_id);
    const rows = page.rows.slice(again.take(page.rows));
    const { next_cursor: cursor, has_more } = page.pagination;
    if (!has_more) {
      assertComplete(again.isDone(), walked, first.total);
      await compareAgain(delivered[0]);
      await (earlier.length > 1 ? compareSeam() : undefined);
    }
    if (rows.length > 0 || !has_more) {
      const place = { rows: rows.length, digest: pageDigest(rows), cursor, facts };
      delivered.push(place);
      yield { rows, place };
    }
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
