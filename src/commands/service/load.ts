import { access, constants } from "node:fs/promises";
import { readStdin } from "../../cli/stdin.ts";
import { groupDigits } from "../../contract/values/decimal.ts";
import { FileError, UsageError } from "../../errors.ts";
import { fileError } from "../../files/system-error.ts";
import { visible } from "../../output/terminal/visible.ts";
import { LoadError } from "../../service/load/load-error.ts";
import { loadRows } from "../../service/load/load-rows.ts";
import type { EmbeddedStore } from "../../service/store/embedded.ts";
import { withDatabase } from "./database.ts";
import type { ServiceCall } from "./subcommand.ts";

/** Loads the files one after another; files loaded before a failing file stay loaded. */
export async function loadCommand(call: ServiceCall, files: readonly string[]): Promise<void> {
  if (files.filter((file) => file === "-").length > 1) {
    throw new UsageError("- stands for standard input, which can be read only once.");
  }
  for (const file of files.filter((name) => name !== "-")) {
    await access(file, constants.R_OK).catch((error: unknown) => {
      throw fileError(file, error);
    });
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
    if (error instanceof LoadError) {
      throw new FileError(`${error.message}; no row of this file was loaded`, file, error);
    }
    throw error instanceof Error && "syscall" in error ? fileError(file, error) : error;
  }
}
