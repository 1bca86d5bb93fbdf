import { access, constants } from "node:fs/promises";
import { readStdin } from "../../cli/stdin.ts";
import { groupDigits } from "../../contract/values/decimal.ts";
import { FileError, UsageError } from "../../errors.ts";
import { fileError } from "../../files/system-error.ts";
import { visible } from "../../output/terminal/visible.ts";
import { LoadError, LoadFormatError } from "../../service/load/load-error.ts";
import { loadRows } from "../../service/load/load-rows.ts";
import { formatOfExtension } from "../../service/load/load-source.ts";
import type { EmbeddedStore } from "../../service/store/embedded.ts";
import { withDatabase } from "./database.ts";
import type { ServiceCall } from "./subcommand.ts";

/** Loads the files one after another; files loaded before a failing file stay loaded. */
export async function loadCommand(call: ServiceCall, files: readonly string[]): Promise<void> {
  if (files.filter((file) => file === "-").length > 1) {
    throw new UsageError("- stands for standard input, which can be read only once.");
  }
  for (const file of files.filter((name) => name !== "-")) {
    try {
      formatOfExtension(file);
      await access(file, constants.R_OK);
    } catch (error) {
      throw loadFailure(file, error);
    }
  }
  await withDatabase(call.flags.database, async (store) => {
    for (const file of files) {
      await loadFile(store, file, call);
    }
  });
}

async function loadFile(
  store: EmbeddedStore,
  file: string,
  { globals, reporter, context, signal }: ServiceCall,
): Promise<void> {
  const source =
    file === "-" ? { name: "standard input", stream: readStdin(context, signal) } : { name: file, path: file };
  const onProgress = ({ rows }: { rows: number }) => reporter.progress.update({ rows });
  try {
    const { added, alreadyPresent } = await loadRows(store, source, { signal, onProgress });
    reporter.progress.clear();
    if (!globals.quiet) {
      const present = alreadyPresent === 0 ? "" : `, ${groupDigits(alreadyPresent)} were there already`;
      context.stderr.write(`${visible(source.name)}: ${groupDigits(added)} rows added${present}\n`);
    }
  } catch (error) {
    reporter.progress.clear();
    throw loadFailure(file, error);
  }
}

function loadFailure(file: string, error: unknown): unknown {
  if (error instanceof LoadFormatError) {
    return new UsageError(`${error.message}.`, { value: file });
  }
  if (error instanceof LoadError) {
    return new FileError(`${error.message}; no row of this file was loaded`, file, error);
  }
  return error instanceof Error && "syscall" in error ? fileError(file, error) : error;
}
