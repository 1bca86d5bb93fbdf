import { parseFilters } from "../../cli/flags/filter.ts";
import { type FlagsOf, flagError } from "../../cli/flags/values.ts";
import { unknownValueError } from "../../cli/source/folder-vocabulary.ts";
import type { CoverageSummary } from "../../contract/coverage.ts";
import { UsageError } from "../../contract/errors.ts";
import type { Filters } from "../../contract/filters.ts";
import { describeUnknown, findUnknownValue } from "../../contract/unknown-value.ts";
import { plural } from "../../contract/values/phrases.ts";
import { type FilterSource, resolveFilters } from "../../pull/written-filters.ts";
import type { Snapshot } from "../../service/store/product-rows/snapshot.ts";
import { removeRows } from "../../service/store/product-rows/versions.ts";
import { storeCommand } from "./database.ts";
import type { addRemoveFlags } from "./service-flags.ts";

export const removeCommand = storeCommand({
  parse: (flags: FlagsOf<typeof addRemoveFlags>, _: [], context) => {
    const { all = false, dryRun = false, ...others } = flags;
    const filters = parseFilters(others, context.now());
    const isFiltered = Object.keys(filters).length > 0;
    if (!isFiltered && !all) {
      throw new UsageError(
        "no filter is given: name the rows, for example by --retailer and --date, or give --all to remove every row.",
      );
    }
    if (isFiltered && all) {
      throw flagError("--all", "removes every row and takes no filters; leave it out to remove the matching rows.");
    }
    return { filters, dryRun };
  },
  run: async ({ options, store, context, signal, now }) => {
    const { globals, dryRun } = options;
    const snapshot = await store.snapshot(signal);
    const source = snapshotFilters(snapshot);
    const filters = await resolveFilters(options.filters, source, now.getTime());
    if (filters.daysByRetailer !== undefined) {
      throw new UsageError("the retailers have different newest days; name one retailer, or the days as YYYY-MM-DD.");
    }
    await source.check(filters);
    const summary = dryRun
      ? (await snapshot.select(filters, null)).summary
      : await store.changeRows((session) => removeRows(session, filters));
    if (!globals.quiet) {
      context.printError(`${describe(summary, dryRun ? "would be removed" : "removed")}\n`);
    }
  },
});

function describe({ matching_rows, combinations, earliest_date, latest_date }: CoverageSummary, what: string): string {
  const days = earliest_date === latest_date ? `on ${earliest_date}` : `from ${earliest_date} to ${latest_date}`;
  const where = matching_rows === 0 ? "" : `: ${plural(combinations, "combination")}, ${days}`;
  return `${plural(matching_rows, "row")} ${what}${where}`;
}

function snapshotFilters(snapshot: Snapshot): FilterSource {
  const check = async (filters: Filters) => {
    const unknown = findUnknownValue(filters, snapshot.combinations(null));
    if (unknown !== undefined) {
      throw unknownValueError(`the database has no rows of the ${describeUnknown(unknown)}.`, unknown);
    }
  };
  return {
    check,
    combinations: async (filters) => {
      await check(filters);
      return (await snapshot.select(filters, null)).coverage();
    },
  };
}
