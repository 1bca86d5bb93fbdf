import { hash } from "node:crypto";
import type { CatalogClient } from "../client/client.ts";
import { createComparison, createPageCheck, isCursorRefused, OutdatedPlanError, setFactsOf } from "./checks.ts";
import { type PageRequests, pagesFrom } from "./follow-cursors.ts";
import type { Slice } from "./plan.ts";
import type { PageFacts, PageStore } from "./store/page-store.ts";

export interface WalkOptions extends PageRequests {
  /** Whether more pages are needed; asked before each request. */
  needsMore: () => boolean;
  /** Called when a page was saved. */
  onPage: () => void;
  /** Called with the reason each time the walk begins again. */
  onRestart?: ((reason: string) => void) | undefined;
  /** Called with the number of pages that are requested again, because the first of them is damaged on disk. */
  onDamage?: ((pages: number) => void) | undefined;
}

/** The cursors of a slice expire before they can be used. */
export class CursorTooShortError extends Error {
  readonly sliceId: string;

  constructor(message: string, sliceId: string) {
    super(message);
    this.sliceId = sliceId;
  }
}

/** A walk fails after this many restarts in a row that get no further than an earlier one. */
const FRUITLESS_RESTARTS = 3;

/**
 * Walks a slice from its first page to its last, and saves each page in the store. The walk continues after the pages that the
 * store has.
 *
 * If the cursor is refused, the walk begins again at the first page, as it has to (contract section 4.3), and the pages that
 * come again are compared with the earlier ones. Memory: one page, and the ids that `createPageCheck` keeps.
 *
 * @throws OutdatedPlanError if the set is not what it was; the store then has no page of the slice
 * @throws CursorTooShortError if several restarts in a row get no further
 */
export async function walkSlice(
  client: Pick<CatalogClient, "catalog">,
  slice: Slice,
  store: PageStore,
  options: WalkOptions,
): Promise<void> {
  const { id } = slice;
  let before: readonly PageFacts[] = [];
  let fruitless = 0;
  for (;;) {
    try {
      await walkOnce(client, slice, store, before, options);
      return;
    } catch (error) {
      if (error instanceof OutdatedPlanError) {
        await store.discard(id);
      }
      if (!isCursorRefused(error)) {
        throw error;
      }
      const reached = [...store.pagesOf(id)];
      fruitless = reached.length > before.length ? 0 : fruitless + 1;
      before = reached.length > before.length ? reached : before;
      const reason = "the service no longer accepts its cursor";
      if (fruitless >= FRUITLESS_RESTARTS) {
        throw new CursorTooShortError(`${reason}, ${fruitless} times at the same place`, id);
      }
      options.onRestart?.(reason);
      await store.discard(id);
    }
  }
}

async function walkOnce(
  client: Pick<CatalogClient, "catalog">,
  { id, filters, rows: counted, isExact }: Slice,
  store: PageStore,
  before: readonly PageFacts[],
  { needsMore, onPage, onDamage, ...requests }: WalkOptions,
): Promise<void> {
  const check = createPageCheck(filters, isExact ? counted : undefined);
  const again = createComparison(before);
  const earlier = store.pagesOf(id);
  if (earlier.at(-1)?.cursor === null && earlier.every(store.isIntact)) {
    return;
  }
  let start: string | null | undefined;
  let saved = 0;
  for (const page of earlier) {
    const rows = await store.read(page);
    if (rows === undefined) {
      onDamage?.(earlier.length - saved);
      store.keepFirst(id, saved);
      break;
    }
    check.add(rows, page.set, "");
    start = page.cursor;
    saved += 1;
  }
  if (!needsMore()) {
    return;
  }
  const { version } = requests;
  for await (const page of pagesFrom(start, client, filters, requests)) {
    const { rows } = page;
    const set = setFactsOf(page);
    if (version !== undefined && (set.version ?? version) !== version) {
      throw new OutdatedPlanError("the service no longer has the version of the data that it counted");
    }
    const shared = check.add(rows, set, page.meta.request_id);
    again.take(rows);
    const cursor = page.pagination.next_cursor;
    if (cursor === null) {
      again.assertDone();
      check.assertComplete();
    }
    if (rows.length > 0 || cursor === null) {
      await store.save(id, saved, rows, { rows: rows.length, digest: digestOf(rows.lines()), cursor, set: shared });
      saved += 1;
      onPage();
    }
    if (!needsMore()) {
      return;
    }
  }
}

/** The digest of a page, see `PageFacts`. */
function digestOf(lines: Buffer): string {
  return hash("sha256", lines).slice(0, 32);
}
