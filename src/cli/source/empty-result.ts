import type { CatalogClient } from "../../client/client.ts";
import { EmptyResultError } from "../../contract/errors.ts";
import type { SetFilters } from "../../pull/set-filters.ts";
import type { Reporter } from "../reporter.ts";

/**
 * Reports that no rows match.
 *
 * @param newest day with rows without the date filters; null if there is none, undefined if it is not known
 * @throws EmptyResultError with `--fail-on-empty`
 */
export function reportNoRows(
  newest: string | null | undefined,
  failOnEmpty: boolean,
  { note }: Pick<Reporter, "note">,
): void {
  const others =
    newest === undefined
      ? ""
      : newest === null
        ? "; there are none on any other day"
        : `; the newest day that has rows is ${newest}`;
  reportEmptyResult(`no rows match the filters${others}`, failOnEmpty, { note });
}

/** Reports why a result is empty. @throws EmptyResultError with `--fail-on-empty` */
export function reportEmptyResult(message: string, failOnEmpty: boolean, { note }: Pick<Reporter, "note">): void {
  if (failOnEmpty) {
    throw new EmptyResultError(message);
  }
  note(message);
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
}: {
  client: Pick<CatalogClient, "coverage">;
  filters: SetFilters;
  signal: AbortSignal;
}): Promise<string | null | undefined> {
  const { start_date, end_date, daysByRetailer: _, ...others } = filters;
  if (start_date === undefined && end_date === undefined) {
    return undefined;
  }
  try {
    return (await client.coverage(others, signal)).meta.coverage.latest_date;
  } catch {
    // It is only a hint in a message.
    signal.throwIfAborted();
    return undefined;
  }
}
