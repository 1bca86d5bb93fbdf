import type { CatalogClient } from "../../api/client.ts";
import type { Filters } from "../../contract/filters.ts";
import { EmptyResultError } from "../../errors.ts";
import type { Reporter } from "../reporter.ts";

/** A source of counts: the service, or a synced folder. */
interface Source {
  client: Pick<CatalogClient, "coverage">;
  filters: Filters;
  signal: AbortSignal;
}

/**
 * Reports that no rows match.
 *
 * @throws EmptyResultError with `--fail-on-empty`
 */
export async function reportEmpty(
  source: Source & { reporter: Pick<Reporter, "note"> },
  { failOnEmpty }: { failOnEmpty?: boolean },
): Promise<void> {
  const message = await emptyResult(source);
  if (failOnEmpty) {
    throw new EmptyResultError(message);
  }
  source.reporter.note(message);
}

/**
 * Says that no rows match. If the filters contain dates, it also names the newest day that has rows, which takes one
 * coverage request without the dates. An error of this request is ignored, because the command has its result.
 */
async function emptyResult({ client, filters, signal }: Source): Promise<string> {
  const { start_date, end_date, ...others } = filters;
  if (start_date === undefined && end_date === undefined) {
    return "no rows match the filters";
  }
  try {
    const { latest_date } = (await client.coverage(others, signal)).meta.coverage;
    const newest =
      latest_date === null ? "there are none on any other day" : `the newest day that has rows is ${latest_date}`;
    return `no rows match the filters; ${newest}`;
  } catch {
    signal.throwIfAborted();
    return "no rows match the filters";
  }
}
