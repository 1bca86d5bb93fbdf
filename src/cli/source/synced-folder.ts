import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../../contract/errors.ts";
import { combinationFilter } from "../../contract/filter-match.ts";
import type { Rcd } from "../../contract/filters.ts";
import { isSyncedFolder, type SyncState } from "../../folder/folder-state.ts";
import { matchingDays, readSyncedFolder } from "../../folder/synced-day.ts";
import type { SetFilters } from "../../pull/set-filters.ts";
import { resolveFilters } from "../../pull/written-filters.ts";
import type { Context } from "../context.ts";
import { filtersAsFlags } from "../flags/flag-words.ts";
import type { FolderOptions } from "../flags/source.ts";
import { flagError, quoted } from "../flags/values.ts";
import { type Reporter, withReporter } from "../reporter.ts";
import { folderFilters } from "./folder-vocabulary.ts";

/** A folder of `catalog sync`, with the filters of the command line resolved against it. */
export interface SyncedFolder {
  folder: string;
  /** What messages call the folder: nobody has named the folder of the demo. */
  name: string;
  state: SyncState;
  filters: SetFilters;
  isWanted: (combination: Rcd) => boolean;
  /** The wanted brands; undefined for all. Only prices know brands, so `days` is not narrowed by them. */
  brands: readonly string[] | undefined;
  /** Days of the folder that have matching rows and lie within the dates of the filters, oldest first. */
  days: readonly string[];
  reporter: Reporter;
  /** Aborted when the command is interrupted or its `--max-time` is over. */
  signal: AbortSignal;
}

/**
 * Opens the synced folder that the command line names, without any request. `--demo` uses a folder of demo rows, which is
 * filled once a day.
 *
 * @throws UsageError if no folder is named, or one together with `--demo`, or the folder does not know a filter value
 * @throws FileError if it is not a folder of `catalog sync`
 */
export async function withSyncedFolder<T>(
  options: FolderOptions,
  context: Context,
  use: (synced: SyncedFolder) => Promise<T>,
): Promise<T> {
  const { globals, filters: written } = options;
  return await withReporter(globals, context, async (reporter, signal) => {
    if (options.demo && options.folder !== undefined) {
      throw flagError("--demo", `uses generated rows; leave out ${quoted(options.folder)}.`);
    }
    const folder = options.demo
      ? // Loaded where it is needed: it takes the client and the demo service.
        await (await import("./demo-folder.ts")).demoFolder(globals, context)
      : await namedFolder(options.folder);
    const name = options.demo ? "the demo" : folder;
    const state = await readSyncedFolder(folder);
    if (state.incomplete) {
      reporter.warn(
        `${name} lacks days: its first sync is under way or was interrupted; \`catalog sync\` completes it`,
      );
    }
    const source = folderFilters(name, state);
    const filters = await resolveFilters(written, source, context.now());
    // Several values were checked as they were resolved, but a single one is taken as it is: a service would refuse it.
    const { retailer, category, department } = filters;
    const typed = { retailer, category, department, rcd: written.rcd && filters.rcd };
    await source.check(Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== undefined)));
    if (Object.keys(state.filters).length > 0) {
      reporter.note(`${name} holds what it was synced with: ${filtersAsFlags(state.filters)}`);
    }
    const isWanted = combinationFilter(filters);
    const days = matchingDays(state, filters);
    return await use({ folder, name, state, filters, isWanted, brands: options.brands, days, reporter, signal });
  });
}

async function namedFolder(folder: string | undefined): Promise<string> {
  if (folder !== undefined) {
    return folder;
  }
  if (await isSyncedFolder(".")) {
    return ".";
  }
  const near = await syncedFoldersBelow(".");
  throw new UsageError(
    near.length > 0
      ? `name a folder of \`catalog sync\`; the current folder is not one, but it contains ${near.join(", ")}.`
      : "name a folder of `catalog sync`; the current folder is not one. `catalog sync rows` creates one, and --demo uses generated rows.",
  );
}

/** The folders of `catalog sync` directly below a folder; none if it cannot be listed. */
async function syncedFoldersBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const synced = await Promise.all(names.map((name) => isSyncedFolder(join(folder, name))));
  return names.filter((_, index) => synced[index]).sort();
}
