import type { CatalogClient } from "../api/client.ts";
import type { Coverage, CoverageSummary } from "../contract/coverage.ts";
import { type Filters, fitsRequest } from "../contract/filters.ts";

/**
 * Wraps a client so that its coverage and sample accept an `rcd` of any length. For a long list, the coverage is requested
 * without `rcd` and filtered here. A sample covers as many combinations as fit into one request, taken from each retailer
 * in turn; its `meta.coverage` counts the whole list, and `meta.resolved.rcd` is the whole list. Combinations that the
 * service does not know are left out.
 */
export function withLongLists(client: CatalogClient): CatalogClient {
  async function coverage(filters: Filters, signal?: AbortSignal) {
    const { rcd = "", ...wide } = filters;
    const { data, meta } = await client.coverage(wide, signal);
    const wanted = new Set(rcd.split(","));
    const kept = data.filter((entry) => wanted.has(entry.rcd));
    return { data: kept, meta: { ...meta, resolved: { ...meta.resolved, rcd }, coverage: summaryOf(kept) } };
  }
  return {
    ...client,
    coverage: (filters, signal) =>
      fitsRequest(filters) ? client.coverage(filters, signal) : coverage(filters, signal),
    sample: async (filters, signal) => {
      if (fitsRequest(filters)) {
        return await client.sample(filters, signal);
      }
      const whole = await coverage(filters, signal);
      const matching = whole.data.filter(({ matching_rows }) => matching_rows > 0).map(({ rcd }) => rcd);
      const part = spread(matching.length === 0 ? (filters.rcd ?? "").split(",") : matching);
      const response = await client.sample({ ...filters, rcd: part }, signal);
      return { ...response, meta: { ...whole.meta, request_id: response.meta.request_id } };
    },
  };
}

/** `meta.coverage` of some entries (contract section 2.3). */
export function summaryOf(entries: readonly Coverage[]): CoverageSummary {
  const matching = entries.filter(({ matching_rows }) => matching_rows > 0);
  const sum = (name: "matching_rows" | "corpus_rows") => entries.reduce((total, entry) => total + entry[name], 0);
  const days = (name: "earliest_date" | "latest_date") => matching.map((entry) => entry[name]).sort();
  return {
    combinations: entries.length,
    matching_rows: sum("matching_rows"),
    corpus_rows: sum("corpus_rows"),
    earliest_date: days("earliest_date")[0] ?? null,
    latest_date: days("latest_date").at(-1) ?? null,
  };
}

/** As many of the triples as fit into one request, taken from each retailer in turn. */
function spread(triples: readonly string[]): string {
  const turns = new Map<string, number>();
  const inTurn = triples
    .map((triple) => {
      const [retailer = ""] = triple.split(":");
      const turn = turns.get(retailer) ?? 0;
      turns.set(retailer, turn + 1);
      return { triple, turn };
    })
    .sort((a, b) => a.turn - b.turn);
  let list = "";
  for (const { triple } of inTurn) {
    const longer = list === "" ? triple : `${list},${triple}`;
    if (!fitsRequest({ rcd: longer })) {
      break;
    }
    list = longer;
  }
  return list;
}
