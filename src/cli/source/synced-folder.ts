import { refuseTilde } from "../../config/expanded-path.ts";
import { UsageError } from "../../contract/errors.ts";
import { quoted } from "../../contract/values/phrases.ts";
import { operand, quoteCommand } from "../../contract/values/quote-command.ts";
import {
  isSyncedFolder,
  readSyncedFolder,
  type SyncState,
  syncCommand,
  syncedFoldersBelow,
} from "../../folder/folder-state.ts";
import { matchingDays } from "../../folder/matching-days.ts";
import type { SetFilters } from "../../pull/set-filters.ts";
import { filtersAsFlags, resolveFilters } from "../../pull/written-filters.ts";
import type { Context } from "../context.ts";
import type { FolderOptions } from "../flags/source.ts";
import { flagError } from "../flags/values.ts";
import { type Reporter, type Reporting, startReporting } from "../reporter.ts";
import { folderFilters } from "./folder-vocabulary.ts";

/** A folder of `catalog sync`, and the filters of the command line, resolved against it. */
export interface SyncedFolder {
  folder: string;
  /** What messages call the folder: its path, or `the demo`. */
  name: string;
  state: SyncState;
  filters: SetFilters;
  /** Days with rows that match the filters, of any brand, oldest first. */
  days: readonly string[];
  reporter: Reporter;
  /** Aborted when the command is interrupted or its `--max-time` is over. */
  signal: AbortSignal;
}

/**
 * Opens the synced folder of the command line, without any request. `--demo` stands for a folder of demo rows, which is
 * filled once a day.
 *
 * @throws UsageError if no folder is named, or one together with `--demo`, or a filter value is unknown in the folder
 * @throws FileError if it is not a folder of `catalog sync`
 */
export async function openSyncedFolder(options: FolderOptions, context: Context): Promise<SyncedFolder & Disposable> {
  const reporting = startReporting(options.globals, context);
  try {
    return { ...(await readFolder(options, reporting, context)), [Symbol.dispose]: () => reporting[Symbol.dispose]() };
  } catch (error) {
    reporting[Symbol.dispose]();
    throw error;
  }
}

async function readFolder(
  { globals, demo, folder: path, filters: written }: FolderOptions,
  { reporter, signal }: Reporting,
  context: Context,
): Promise<SyncedFolder> {
  if (demo && path !== undefined) {
    throw flagError("--demo", `uses generated rows; leave out ${quoted(path)}.`);
  }
  // Imported on demand, because it loads the client and the demo service.
  const folder = demo ? await (await import("./demo-folder.ts")).demoFolder(globals, context) : await namedFolder(path);
  const name = demo ? "the demo" : folder;
  const state = await readSyncedFolder(folder);
  if (state.incomplete) {
    reporter.warn(
      `${name} lacks days: its first sync is still running or was interrupted; \`${syncCommand(folder)}\` completes it`,
    );
  }
  const source = folderFilters(name, state);
  const filters = await resolveFilters(written, source, context.now());
  // resolveFilters has checked lists of values only. It passes on single values, because a service refuses unknown ones.
  const { retailer, category, department } = filters;
  const typed = { retailer, category, department, rcd: written.rcd && filters.rcd };
  await source.check(Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== undefined)));
  if (Object.keys(state.filters).length > 0) {
    reporter.note(`${name} has only what it was synced with: ${filtersAsFlags(state.filters)}`);
  }
  const days = matchingDays(state, filters);
  return { folder, name, state, filters, days, reporter, signal };
}

async function namedFolder(folder: string | undefined): Promise<string> {
  if (folder !== undefined) {
    // Commands that take several words declare them as one list, so the check of declared paths does not see the folder.
    refuseTilde(folder, "the folder");
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

/**
 * For a command that takes its folder last: tells a user who put it first, as in most commands, to move it.
 *
 * @throws UsageError if one of the other words is a synced folder, and the last word is none
 */
export async function refuseFolderFirst(
  { folder = ".", demo }: Pick<FolderOptions, "folder" | "demo">,
  otherWords: readonly string[],
  example: string,
): Promise<void> {
  if (demo || (await isSyncedFolder(folder))) {
    return;
  }
  for (const word of otherWords) {
    if (await isSyncedFolder(word)) {
      throw new UsageError(
        `${word} is a folder of \`catalog sync\`; name it last, as in \`${example} ${quoteCommand([operand(word)])}\`.`,
      );
    }
  }
}

/** The error of a question that needs a row of a folder. */
export function noMatchingRows({ name }: Pick<SyncedFolder, "name">): UsageError {
  return new UsageError(`${name} has no rows that match the filters.`);
}
