import type { CatalogClient } from "../../client/client.ts";
import { EmptyResultError } from "../../contract/errors.ts";
import type { SetFilters } from "../../pull/set-filters.ts";
import type { Reporter } from "../reporter.ts";

/** A source of counts: the service, or a synced folder. */
interface CountSource {
  client: Pick<CatalogClient, "coverage">;
  filters: SetFilters;
  signal: AbortSignal;
  reporter: Pick<Reporter, "note">;
}

/**
 * Reports that no rows match. If the filters have dates, also reports the newest day with rows.
 *
 * @throws EmptyResultError with `--fail-on-empty`
 */
export async function reportEmpty(source: CountSource, { failOnEmpty }: { failOnEmpty: boolean }): Promise<void> {
  const newest = await newestDay(source);
  const others =
    newest === undefined
      ? ""
      : newest === null
        ? "; there are none on any other day"
        : `; the newest day that has rows is ${newest}`;
  const message = `no rows match the filters${others}`;
  if (failOnEmpty) {
    throw new EmptyResultError(message);
  }
  source.reporter.note(message);
}

/**
 * The newest day with rows, by a coverage request without dates if the filters have dates.
 *
 * @returns null if no day has rows; undefined if unknown
 */
export async function newestDay({
  client,
  filters,
  signal,
}: Omit<CountSource, "reporter">): Promise<string | null | undefined> {
  const { start_date, end_date, own_days: _, ...others } = filters;
  if (start_date === undefined && end_date === undefined) {
    return undefined;
  }
  try {
    return (await client.coverage(others, signal)).meta.coverage.latest_date;
  } catch {
    // The result does not depend on it.
    signal.throwIfAborted();
    return undefined;
  }
}
