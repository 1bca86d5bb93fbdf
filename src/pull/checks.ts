import { createHash } from "node:crypto";
import { outsideFilters } from "../client/responses/envelope-response.ts";
import type { CatalogPage } from "../client/responses/rows-response.ts";
import type { Coverage, CoverageSummary } from "../contract/coverage.ts";
import { ApiError, SetChangedError } from "../contract/errors.ts";
import type { Filters } from "../contract/filters.ts";
import { groupDigits, plural } from "../contract/values/phrases.ts";
import type { RowBatch } from "../rows/batch.ts";
import { createFilterCheck } from "../rows/filter-check.ts";
import { createIdCheck } from "../rows/id-check.ts";
import type { Plan, Slice } from "./plan.ts";
import type { PageFacts, PageStore, SetFacts } from "./store/page-store.ts";

/**
 * The set is no longer what the plan was made for: a count or a page differs. `pull` makes a new plan; if that does not help,
 * it ends with `SetChangedError`, whose exit code is 6.
 */
export class OutdatedPlanError extends Error {}

/** How an error shows that the set has moved, so that a new plan can help; undefined for other errors. */
export function whyMoved(error: unknown): string | undefined {
  // A combination in the coverage has been removed from the service since.
  const isGone = error instanceof ApiError && /^unknown_/.test(error.problem.code ?? "");
  return isGone || error instanceof OutdatedPlanError ? error.message : undefined;
}

/** Whether the service no longer accepts the cursor of a request. */
export function isCursorRefused(error: unknown): boolean {
  return error instanceof ApiError && error.problem.code === "invalid_cursor";
}

/** @throws SetChangedError if the coverage names rows that no request can get */
export function assertPlausible(coverage: readonly Coverage[], { start_date, end_date }: Filters): void {
  const hasDates = start_date !== undefined || end_date !== undefined;
  const hidden = coverage.find(({ matching_rows, corpus_rows }) => matching_rows === 0 && corpus_rows > 0);
  if (hidden !== undefined && !hasDates) {
    throw new SetChangedError(
      `the coverage contradicts itself: ${hidden.rcd} has ${plural(hidden.corpus_rows, "row")}, but none that match, although no dates are asked for`,
    );
  }
}

/** @throws OutdatedPlanError if a slice that is counted again has another number of rows */
export function assertCountedAgain({ rows, isExact }: Slice, { matching_rows }: CoverageSummary): void {
  if (isExact && matching_rows !== rows) {
    throw new OutdatedPlanError(`coverage counted ${plural(rows, "row")}, but now ${groupDigits(matching_rows)}`);
  }
}

/** Whether the stored pages of a slice report another number of rows than the coverage. */
export function isCountedDifferently({ rows, isExact }: Slice, pages: readonly PageFacts[]): boolean {
  const total = pages.at(-1)?.set.total ?? null;
  return isExact && total !== null && total !== rows;
}

/**
 * Compares the number of stored rows of each complete group with the coverage.
 *
 * @throws OutdatedPlanError if they differ
 */
export async function assertCounted({ slices, version }: Plan, store: PageStore): Promise<void> {
  for (const group of new Set(slices.map((slice) => slice.group))) {
    const members = slices.filter((slice) => slice.group === group);
    const rows = store.rowsOf(members);
    const isComplete = members.every(({ id }) => store.pagesOf(id).at(-1)?.cursor === null);
    if (isComplete && rows !== group.rows) {
      // Pages of the plan's version count as confirmed, so they would never be read again, although they are wrong.
      if (version !== undefined) {
        for (const { id } of members) {
          await store.discard(id);
        }
      }
      throw new OutdatedPlanError(
        `coverage counted ${plural(group.rows, "row")}, but the pages have ${groupDigits(rows)}`,
      );
    }
  }
}

/**
 * Checks the pages of one walk as they pass: each row matches the filters, no row appears twice in the walk, and all pages
 * report the same set. Memory: the hashes of the ids, see `createIdCheck`.
 *
 * @param counted number of rows of the walk; undefined if the coverage does not tell it
 */
export function createPageCheck(filters: Filters, counted: number | undefined) {
  const firstOutside = createFilterCheck(filters);
  const firstRepeated = createIdCheck();
  let first: SetFacts | undefined;
  let count = 0;
  return {
    /**
     * @returns what the first page reported, which is the same
     * @throws ContractError, OutdatedPlanError
     */
    add: (rows: RowBatch, set: SetFacts, requestId: string): SetFacts => {
      if (first === undefined && counted !== undefined && set.total !== null && set.total !== counted) {
        throw new OutdatedPlanError(
          `coverage counted ${plural(counted, "row")}, but total_matching is ${groupDigits(set.total)}`,
        );
      }
      first ??= set;
      assertUnmoved(first, set);
      count += rows.length;
      const id = rows.column("product_id");
      const outside = firstOutside(rows);
      if (outside !== -1) {
        throw outsideFilters(`row ${rows.raw(outside, id)}`, requestId);
      }
      const repeated = firstRepeated(rows);
      if (repeated !== -1) {
        throw new OutdatedPlanError(`row ${rows.raw(repeated, id)} was returned twice`);
      }
      return first;
    },
    /** After the last page. @throws OutdatedPlanError if rows are missing */
    assertComplete: (): void => {
      const total = first?.total ?? null;
      if (total !== null && count !== total) {
        throw new OutdatedPlanError(
          `the walk ended after ${plural(count, "row")}, but total_matching is ${groupDigits(total)}`,
        );
      }
    },
  };
}

/** Compares rows with those of pages that were read earlier, even if the pages are cut differently now. */
export function createComparison(earlier: readonly PageFacts[]) {
  // The only page of a slice may be empty: ranges of days are cut without knowing which of them have rows.
  const left = earlier.filter(({ rows }) => rows > 0);
  let compared = 0;
  let hash = createHash("sha256");
  return {
    isDone: () => left.length === 0,
    assertDone: (): void => {
      if (left.length > 0) {
        throw new OutdatedPlanError("rows that were already read are missing now");
      }
    },
    take: (rows: RowBatch): void => {
      let taken = 0;
      for (let [page] = left; page !== undefined && taken < rows.length; [page] = left) {
        const part = rows.slice(taken, taken + page.rows - compared);
        hash.update(part.lines());
        taken += part.length;
        compared += part.length;
        if (compared === page.rows) {
          if (!hash.digest("hex").startsWith(page.digest)) {
            throw new OutdatedPlanError("rows that were already read have changed");
          }
          left.shift();
          compared = 0;
          hash = createHash("sha256");
        }
      }
    },
  };
}

/** @throws OutdatedPlanError if two pages report different sets */
export function assertUnmoved(first: SetFacts, now: SetFacts): void {
  if (now.total !== first.total) {
    throw new OutdatedPlanError(`total_matching changed from ${first.total} to ${now.total}`);
  }
  if (JSON.stringify(now.coverage) !== JSON.stringify(first.coverage)) {
    throw new OutdatedPlanError("the coverage in meta changed");
  }
}

export function setFactsOf({ pagination, meta, version }: CatalogPage): SetFacts {
  const { corpus_rows: _, ...coverage } = meta.coverage;
  return { total: pagination.total_matching, coverage, ...(version !== undefined && { version }) };
}
