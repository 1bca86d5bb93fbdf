import type { CatalogClient } from "../../client/client.ts";
import { dayFilter } from "../../contract/filter-match.ts";
import { resolveFilters, serviceFilters, type WrittenFilters } from "../../pull/written-filters.ts";
import { listDayFolders, untrustedDays } from "../day-files.ts";
import { newState, readStateOf } from "../folder-state.ts";
import { assertWithinFilters, rememberedFilters } from "../remembered-filters.ts";
import { adoptDays } from "./adopt.ts";
import { timeOfRun } from "./changes.ts";
import { type ComparedRun, type ComparisonOptions, NO_COUNTS } from "./sync-run.ts";
import { stateOfPages, type UnfinishedBatch, unfinishedBatch } from "./unfinished.ts";

/** A run before its first comparison with the service. */
interface PreparedRun {
  run: ComparedRun;
  /** What an earlier run has begun. */
  unfinished: UnfinishedBatch | undefined;
  /** The filters that the folder is kept with. */
  written: WrittenFilters;
  /** Files in the day folders that sync did not write, as paths below the folder. */
  unexpectedFiles: readonly string[];
}

/**
 * Reads the state of a folder and looks at its files; writes nothing.
 *
 * @throws UsageError if the folder is a copy of another set, or has day files that the state does not list
 */
export async function prepareRun(client: CatalogClient, options: ComparisonOptions): Promise<PreparedRun> {
  const { folder, service, signal } = options;
  const unfinished = await unfinishedBatch(folder);
  const stored = await readStateOf(folder);
  const known = stored ?? stateOfPages(unfinished);
  const written = known === undefined ? options.filters : rememberedFilters(folder, known, options);
  const how = { oneWindow: true, isRemembered: known !== undefined };
  const filters = await resolveFilters(written, serviceFilters(client, signal), options.now(), how);
  const isInWindow = dayFilter(filters);
  const state = known ?? newState({ service, filters: written });
  assertWithinFilters(folder, state);
  const found = await listDayFolders(folder);
  const adopted = await adoptDays(found, stored, { ...options, isWanted: isInWindow });
  const { start_date, end_date } = filters;
  Object.assign(state, { filters: written, window: { start_date, end_date }, days: { ...state.days, ...adopted } });
  state.pending = [...new Set([...state.pending, ...Object.keys(adopted)])];
  const untrusted = await untrustedDays(folder, state, options.verify, isInWindow);
  state.pending = state.pending.filter((day) => untrusted.has(day));
  const run: ComparedRun = {
    client,
    options,
    filters,
    isInWindow,
    state,
    untrusted,
    checkedAt: timeOfRun(state.days, options.now()),
    counts: { ...NO_COUNTS },
    read: new Set(),
    changed: new Set(),
  };
  return { run, unfinished, written, unexpectedFiles: found.unexpectedFiles };
}
