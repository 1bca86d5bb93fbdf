import type { CatalogClient } from "../../api/client.ts";
import type { Filters } from "../../contract/filters.ts";

/**
 * Says that no rows match. If the filters contain dates, it also names the newest day that has rows, which takes one
 * coverage request without the dates. An error of this request is ignored, because the command has its result.
 */
export async function emptyResult({
  client,
  filters,
  signal,
}: {
  client: Pick<CatalogClient, "coverage">;
  filters: Filters;
  signal: AbortSignal;
}): Promise<string> {
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
