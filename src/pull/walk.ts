import { createHash, hash } from "node:crypto";
import type { CatalogClient } from "../client/client.ts";
import type { CatalogPage } from "../client/responses/rows-response.ts";
import { ApiError, SetChangedError } from "../contract/errors.ts";
import type { Filters } from "../contract/filters.ts";
import type { RowBatch } from "../rows/batch.ts";
import { createPageCheck, PlanOutdatedError, pagesFrom, SetMovedError } from "./page-check.ts";
import type { PageFacts, SetFacts, StoredPage } from "./store/page-store.ts";

/** A page for the caller, who owns its rows and may clear them. */
export interface WalkedPage {
  rows: RowBatch;
  facts: PageFacts;
  /** Absent if the page is not in the store yet. */
  stored?: StoredPage;
}

export interface WalkOptions {
  pageSize: number;
  signal: AbortSignal;
  /** Of the data, that the coverage was of. Undefined if the service names none. */
  version?: string | undefined;
  /**
   * Pages in the store, from the first on, and a function that reads them. They are checked and yielded like the others, and
   * the walk continues after them. `read` gives undefined for a damaged page; it and those after it are requested again.
   */
  earlier?: readonly StoredPage[];
  read?: (page: StoredPage) => Promise<RowBatch | undefined>;
  /** Number of the rows, if the coverage tells it. */
  counted?: number | undefined;
  /** Called with the reason each time the walk begins again. */
  onRestart?: ((reason: string) => void) | undefined;
  /** Called with the number of pages that are requested again, because the first of them is damaged on disk. */
  onDamage?: ((pages: number) => void) | undefined;
}

/** Number of restarts in a row without a new row after which a walk fails. */
const FRUITLESS_RESTARTS = 5;

/**
 * Walks one filtered set from its first page to its last and yields each row exactly once, page by page. The last page
 * is yielded only after the count of all rows was found correct.
 *
 * The first page is requested again at the end. If the walk continues after `earlier` pages, the last of them is requested
 * again at the start and at the end. A total cannot show that one row was removed and another was added. If all pages are
 * of one known version of the data, none is requested again.
 *
 * If the cursor is refused, the total changes or a row repeats, the walk begins again at the first page. Rows that were
 * yielded before are compared by digest and not yielded again. Memory: one page, a digest for each page, and the ids that
 * `createPageCheck` keeps.
 *
 * @throws PlanOutdatedError if yielded rows are no longer the first rows of the set, their number is not the counted one, or pages are
 *   of another version
 * @throws SetChangedError if several restarts in a row bring no new row
 */
export async function* walkSlice(
  client: Pick<CatalogClient, "catalog">,
  filters: Filters,
  options: WalkOptions,
): AsyncGenerator<WalkedPage, void, void> {
  const delivered: PageFacts[] = [];
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
  client: Pick<CatalogClient, "catalog">,
  filters: Filters,
  options: WalkOptions,
  delivered: PageFacts[],
): AsyncGenerator<WalkedPage, void, void> {
  const { pageSize, signal, version, counted, earlier = [], read, onDamage } = options;
  const check = createPageCheck(filters, version, counted);
  const before = [...delivered];
  for (const [index, stored] of earlier.entries()) {
    const rows = await read?.(stored);
    if (rows === undefined) {
      onDamage?.(earlier.length - index);
      break;
    }
    check.add(rows, stored.set, "");
    if (stored.cursor === null) {
      check.assertComplete();
    }
    delivered.push(stored);
    yield { rows, facts: stored, stored };
  }
  // Of the pages in the store, the walk goes on after the last one. Other pages are compared as they come again.
  const seam = delivered.length > before.length ? delivered.length - 1 : -1;
  const start = delivered[seam]?.cursor;
  if (start === null) {
    return;
  }
  const ask = (cursor: string | undefined) => client.catalog(filters, { limit: pageSize, cursor, version }, signal);
  const compareAgain = async (index: number) => {
    const known = delivered[index];
    if (known !== undefined && !check.isOfVersion()) {
      await compareRows(known, pagesFrom(delivered[index - 1]?.cursor, ask));
    }
  };
  await compareAgain(seam);
  const again = createComparison(before);
  for await (const page of pagesFrom(start, ask)) {
    const set = setFactsOf(page);
    if ((set.version ?? version) !== version && version !== undefined) {
      throw new PlanOutdatedError("the service no longer has the version of the data that it counted");
    }
    check.add(page.rows, set, page.meta.request_id);
    const cursor = page.pagination.next_cursor;
    const rows = page.rows.slice(again.take(page.rows));
    if (cursor === null) {
      again.assertDone();
      check.assertComplete();
      await compareAgain(0);
      await (seam > 0 ? compareAgain(seam) : undefined);
    }
    if (rows.length > 0 || cursor === null) {
      const facts = { rows: rows.length, digest: pageDigest(rows), cursor, set };
      delivered.push(facts);
      yield { rows, facts };
    }
  }
}

/**
 * Compares a page with what the service returns from its cursor now, in pages that may be shorter. If a row that was read is
 * removed and another row is added further on, the total stays the same, but the rows in between move to an earlier page, and
 * a walk misses one.
 */
async function compareRows(known: PageFacts, pages: AsyncIterable<CatalogPage>): Promise<void> {
  const again = createComparison([known]);
  for await (const { rows } of pages) {
    again.take(rows);
    if (again.isDone()) {
      break;
    }
  }
  again.assertDone();
}

/** Compares rows with those that were passed on earlier, even if the pages are cut differently now. */
function createComparison(delivered: readonly PageFacts[]) {
  const left = [...delivered];
  let compared = 0;
  let hash = createHash("sha256");
  return {
    isDone: () => left.length === 0,
    assertDone: (): void => {
      if (left.length > 0) {
        throw new PlanOutdatedError("rows that were already read are missing now");
      }
    },
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
            throw new PlanOutdatedError("rows that were already read have changed");
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

/** The digest of a page, see `PageFacts`. */
function pageDigest(rows: RowBatch): string {
  return hash("sha256", rows.lines()).slice(0, 32);
}

function setFactsOf({ pagination, meta, version }: CatalogPage): SetFacts {
  const { corpus_rows: _, ...coverage } = meta.coverage;
  return { total: pagination.total_matching, coverage, ...(version !== undefined && { version }) };
}
