import type { CatalogClient } from "../api/client.ts";
import type { Filters } from "../contract/filters.ts";
import { type PullOptions, pull } from "../pull/pull.ts";
import { ofRetailer } from "../pull/set-filters.ts";
import type { DiffSource } from "./compare.ts";

export interface ServiceDaysOptions extends Pick<PullOptions, "pageSize" | "concurrency" | "signal"> {
  /** Without dates. */
  filters: Filters;
  onRestart?: ((reason: string) => void) | undefined;
}

/** Days of a service, each pulled like an export: whole, checked, and replanned if it changes. */
export function serviceDays(client: CatalogClient, options: ServiceDaysOptions): DiffSource {
  const { filters, signal, onRestart } = options;
  return {
    retailersAtOnce: 1,
    countRows: async (day) => {
      const { data } = await client.coverage(onDay(filters, day), signal);
      return data.map(({ retailer, matching_rows }) => [retailer, matching_rows]);
    },
    read: async (day, retailers, sink, onRows) => {
      const observer = { onRows, onRestart: (reason: string) => onRestart?.(reason) };
      const [retailer] = retailers ?? [];
      const narrowed = onDay(retailer === undefined ? filters : ofRetailer(filters, retailer), day);
      const { rows } = await pull(client, sink, { ...options, filters: narrowed, observer });
      return rows;
    },
  };
}

function onDay(filters: Filters, day: string): Filters {
  return { ...filters, start_date: day, end_date: day };
}
