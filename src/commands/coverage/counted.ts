import type { CoverageResponse } from "../../api/responses/coverage-response.ts";
import type { DayCounts } from "./day-counts.ts";
import {
  type CombinationEntry,
  type CoverageGroup,
  type DayGroup,
  type Dimension,
  groupCoverage,
  groupDays,
  listed,
  withAge,
} from "./groups.ts";
import type { CoverageOptions } from "./options.ts";
import type { CoverageSource } from "./source.ts";

/** What is written: days, or combinations and groups of them. */
export type Counted = { response: CoverageResponse } & (
  | { days: DayCounts; entries: readonly DayGroup[] }
  | { days?: undefined; groupBy: Dimension | undefined; entries: readonly (CombinationEntry | CoverageGroup)[] }
);

export async function countedBy(
  { groupBy, list }: CoverageOptions,
  response: CoverageResponse,
  source: CoverageSource,
  now: number,
): Promise<Counted> {
  if (groupBy === "day") {
    const days = await source.days(response.data);
    return { response, days, entries: listed(groupDays(days, now), list) };
  }
  const entries =
    groupBy === undefined
      ? response.data.map((entry) => withAge(entry, now))
      : groupCoverage(response.data, groupBy, now);
  return { response, groupBy, entries: listed<CombinationEntry | CoverageGroup>(entries, list) };
}
