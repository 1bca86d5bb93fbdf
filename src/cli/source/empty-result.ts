import type { CatalogClient } from "../../api/client.ts";
import type { Filters } from "../../contract/filters.ts";
import { EmptyResultError } from "../../errors.ts";
import type { Reporter } from "../reporter.ts";

/** A source of counts: the service, or a synced folder. */
interface CountSource {
  client: Pick<CatalogClient, "coverage">;
  filters: Filters;
  signal: AbortSignal;
  reporter: Pick<Reporter, "note">;
}

/**
 * Reports that no rows match. If the filters contain dates, it also names the newest day that has rows.
 *
 * @throws EmptyResultError with `--fail-on-empty`
 */
export async function reportEmpty(source: CountSource, { failOnEmpty }: { failOnEmpty?: boolean }): Promise<void> {
  const message = `no rows match the filters${await newestDay(source)}`;
  if (failOnEmpty) {
    throw new EmptyResultError(message);
  }
  source.reporter.note(message);
}

/** Sends one coverage request without the dates. Its error is ignored, because the command has its result. */
async function newestDay({ client, filters, signal }: CountSource): Promise<string> {
  const { start_date, end_date, ...others } = filters;
  if (start_date === undefined && end_date === undefined) {
    return "";
  }
  try {
    const { latest_date } = (await client.coverage(others, signal)).meta.coverage;
    return latest_date === null
      ? "; there are none on any other day"
      : `; the newest day that has rows is ${latest_date}`;
  } catch {
    signal.throwIfAborted();
    return "";
  }
}
