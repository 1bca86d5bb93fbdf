import { access, constants, stat } from "node:fs/promises";
import { type FlagsOf, flagError, valueError } from "../../cli/flags/values.ts";
import { FileError, UsageError } from "../../contract/errors.ts";
import { isFromLatest } from "../../contract/values/date-expression.ts";
import { firstFew, groupDigits, plural, quoted } from "../../contract/values/phrases.ts";
import { visible } from "../../contract/values/visible.ts";
import { contentFlaw } from "../../files/content-error.ts";
import { readPipe, readStream } from "../../files/read-text.ts";
import { fileError } from "../../files/system-error.ts";
import { resolveDays } from "../../pull/written-filters.ts";
import { loadRows } from "../../service/load/load-rows.ts";
import { checkExtension } from "../../service/load/load-source.ts";
import type { Replacement } from "../../service/store/product-rows/row-stage.ts";
import type { Store } from "../../service/store/store.ts";
import { RefusedChangeError } from "../../service/store/store-types.ts";
import { withDatabase } from "./database.ts";
import type { addLoadFlags } from "./service-flags.ts";
import { type ServiceCall, subcommand } from "./subcommand.ts";

type LoadFlags = FlagsOf<typeof addLoadFlags>;

interface LoadOptions {
  /** Paths; `-` is stdin. */
  files: readonly string[];
  replacement: Replacement | undefined;
}

export const loadCommand = subcommand({
  parse: (flags: LoadFlags, [files]: [readonly string[]], context): LoadOptions => {
    const replacement = parseReplacement(flags, files, context.now());
    if (files.filter((file) => file === "-").length > 1) {
      throw new UsageError("- stands for standard input, which can only be read once.");
    }
    return { files, replacement };
  },
  run: loadFiles,
});

/** Loads the files in order. If one fails, those before it stay loaded. */
async function loadFiles(call: ServiceCall<LoadOptions>): Promise<void> {
  const { signal } = call;
  const { database, files } = call.options;
  for (const file of files.filter((name) => name !== "-")) {
    try {
      checkExtension(file);
      await access(file, constants.R_OK);
    } catch (error) {
      throw loadFailure(file, error);
    }
  }
  await withDatabase({ database, signal }, async (store) => {
    for (const file of files) {
      await loadFile(store, file, call);
    }
  });
}

/** @throws UsageError if the flags contradict each other, or name only a part of what to replace */
function parseReplacement(
  { replace, retailer, date }: LoadFlags,
  files: readonly string[],
  now: number,
): Replacement | undefined {
  if (retailer === undefined && date === undefined) {
    return replace === true ? "same-ids" : undefined;
  }
  const [given, missing] = retailer === undefined ? ["--date", "--retailer"] : ["--retailer", "--date"];
  if (retailer === undefined || date === undefined) {
    throw flagError(given, `needs ${missing}: together they name the rows that --replace replaces.`);
  }
  if (replace !== true) {
    throw flagError(given, "needs --replace; without it, all rows of the file are added.");
  }
  if (/[\s,]/.test(retailer) || retailer === "") {
    throw valueError("--retailer", retailer, "must be one retailer slug; the file replaces that retailer's day.");
  }
  if (isFromLatest(date)) {
    throw valueError("--date", date, "depends on the loaded rows; give the re-crawled day, e.g. 2026-01-31.");
  }
  if (files.length > 1) {
    throw new UsageError(
      `one file replaces the rows of ${quoted(retailer)} on a day; ${files.length} files are given. Put their rows into one file.`,
    );
  }
  return { retailer, day: resolveDays({ start_date: date }, now).start_date ?? date };
}

async function loadFile(
  store: Store,
  file: string,
  { options: { globals, replacement }, reporter, context, signal }: ServiceCall<LoadOptions>,
): Promise<void> {
  const name = nameOf(file);
  const source =
    file === "-"
      ? { name, stream: readStream(context.stdin, signal) }
      : { name, ...((await stat(file)).isFIFO() ? { stream: readPipe(file, signal) } : { path: file }) };
  const onProgress = ({ rows }: { rows: number }) => reporter.progress.update({ rows });
  try {
    const loaded = await loadRows(store, source, { signal, onProgress, replacement });
    const { added, alreadyPresent, removed, unknownCurrencies } = loaded;
    reporter.progress.clear();
    if (unknownCurrencies.length > 0) {
      reporter.warn(
        `${name}: unknown currency codes (ISO 4217): ${firstFew(unknownCurrencies, 5)}; rows with them were loaded unchanged.`,
      );
    }
    if (!globals.quiet) {
      const present =
        alreadyPresent === 0
          ? ""
          : `, ${groupDigits(alreadyPresent)} ${alreadyPresent === 1 ? "was" : "were"} there already`;
      const replaced = replacement === undefined ? "" : `, ${plural(removed, "earlier row")} removed`;
      context.printError(`${visible(name)}: ${plural(added, "row")} added${present}${replaced}\n`);
    }
  } catch (error) {
    reporter.progress.clear();
    throw loadFailure(file, error);
  }
}

function loadFailure(file: string, error: unknown): unknown {
  const flaw = contentFlaw(nameOf(file), error);
  if (flaw !== undefined) {
    return new FileError(`${flaw}; no row of this file was loaded`, file, error);
  }
  if (error instanceof RefusedChangeError) {
    return new RefusedChangeError(`${nameOf(file)}: ${error.message}; no row of this file was loaded`);
  }
  return error instanceof Error && "syscall" in error ? fileError(file, error) : error;
}

function nameOf(file: string): string {
  return file === "-" ? "standard input" : file;
}
