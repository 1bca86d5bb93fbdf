import { createHash, type Hash } from "node:crypto";
import type { CatalogClient } from "../api/client.ts";
import { walkPages } from "../api/pages.ts";
import type { CatalogPage } from "../api/rows-answer.ts";
import type { CoverageSummary } from "../contract/coverage.ts";
import type { Filters } from "../contract/filters.ts";
import { ApiError, SetChangedError } from "../errors.ts";
import type { RowBatch } from "../rows/batch.ts";
import { createPageCheck, RepeatedRowError } from "./row-check.ts";

export interface WalkOptions {
  pageSize: number;
  signal: AbortSignal;
  /** Judges the first page's `total_matching`; what it throws ends the walk before any row is yielded. */
  expectTotal?: (total: number) => void;
  /** Told each time the walk has to begin again, with the reason in words. */
  onRestart?: (reason: string) => void;
}

/** Restarts in a row that bring no new row, after which a walk is given up. */
const FRUITLESS_RESTARTS = 5;

/** What was already handed on is not what the service now says: the caller must take it back or give up. */
export class DeliveredRowsMovedError extends Error {
  override readonly name = "DeliveredRowsMovedError";
}

/** A walk whose set moved under it; it is walked again. */
class SetMovedError extends Error {
  override readonly name = "SetMovedError";
}

/**
 * Walks one filtered set from its first page to its last and yields its rows, page by page, each row exactly once.
 *
 * Where the cursor is refused, the total moves or a row repeats, the walk begins again from the first page: rows that
 * were yielded before are compared by digest and not yielded again, so that memory stays at one page. What is yielded is
 * the caller's, who may clear it to let the page go.
 *
 * @throws DeliveredRowsMovedError where yielded rows are no longer the first rows of the set
 * @throws SetChangedError where the walk comes no further after several restarts
 */
export async function* walkSlice(
  client: CatalogClient,
  filters: Filters,
  options: WalkOptions,
): AsyncGenerator<RowBatch, void, void> {
  const delivered = { rows: 0, digest: createHash("sha256") };
  let fruitless = 0;
  for (;;) {
    const before = delivered.rows;
    try {
      yield* walkOnce(client, filters, options, delivered);
      return;
    } catch (error) {
      const reason = reasonToRestart(error);
      fruitless = delivered.rows > before ? 0 : fruitless + 1;
      if (reason === undefined) {
        throw error;
      }
      if (fruitless >= FRUITLESS_RESTARTS) {
        throw new SetChangedError(`the set cannot be read to its end: ${reason}, ${fruitless} times at the same place`);
      }
      options.onRestart?.(reason);
    }
  }
}

function reasonToRestart(error: unknown): string | undefined {
  if (error instanceof ApiError && error.problem.code === "invalid_cursor") {
    return "the service no longer takes its cursor";
  }
  return error instanceof SetMovedError || error instanceof RepeatedRowError ? error.message : undefined;
}

async function* walkOnce(
  client: CatalogClient,
  filters: Filters,
  { pageSize, signal, expectTotal }: WalkOptions,
  delivered: { rows: number; digest: Hash },
): AsyncGenerator<RowBatch, void, void> {
  const check = createPageCheck(filters);
  const again = { left: delivered.rows, digest: createHash("sha256") };
  let walked = 0;
  let first: SetFacts | undefined;
  for await (const page of walkPages(client, filters, { limit: pageSize, signal })) {
    const facts = factsOf(page);
    if (first === undefined && delivered.rows === 0 && facts.total !== null) {
      expectTotal?.(facts.total);
    }
    first ??= facts;
    assertUnmoved(first, facts);
    walked += page.rows.length;
    check(page.rows, page.meta.request_id);
    const known = page.rows.slice(0, again.left);
    if (known.length > 0) {
      again.digest.update(known.lines());
      again.left -= known.length;
      if (again.left === 0 && !sameDigest(again.digest, delivered.digest)) {
        throw new DeliveredRowsMovedError("rows that were read before are no longer the same");
      }
    }
    const fresh = page.rows.slice(known.length);
    if (fresh.length > 0) {
      delivered.digest.update(fresh.lines());
      delivered.rows += fresh.length;
      yield fresh;
    }
  }
  if (again.left > 0) {
    throw new DeliveredRowsMovedError("rows that were read before are gone");
  }
  if (first !== undefined && first.total !== null && walked !== first.total) {
    throw new SetMovedError(`the walk ended after ${walked} rows where total_matching is ${first.total}`);
  }
}

/** What a page says of the whole set. */
interface SetFacts {
  /** Null where the service does not tell it; the rows are then counted against the coverage alone. */
  total: number | null;
  /** Without the rows outside the filters, which may come and go. */
  coverage: Omit<CoverageSummary, "corpus_rows">;
}

function factsOf({ pagination, meta }: CatalogPage): SetFacts {
  const { corpus_rows: _, ...coverage } = meta.coverage;
  return { total: pagination.total_matching, coverage };
}

function assertUnmoved(first: SetFacts, now: SetFacts): void {
  if (now.total !== first.total) {
    throw new SetMovedError(`total_matching moved from ${first.total} to ${now.total}`);
  }
  if (JSON.stringify(now.coverage) !== JSON.stringify(first.coverage)) {
    throw new SetMovedError("meta.coverage moved");
  }
}

function sameDigest(a: Hash, b: Hash): boolean {
  return a.copy().digest("hex") === b.copy().digest("hex");
}
