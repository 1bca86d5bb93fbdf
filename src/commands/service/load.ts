import { access, constants } from "node:fs/promises";
import type { Command } from "commander";
import { type GlobalOptions, parseGlobals } from "../../cli/flags/global.ts";
import type { Context } from "../../context.ts";
import { groupDigits } from "../../contract/decimal.ts";
import { FileError, UsageError } from "../../errors.ts";
import { createProgress } from "../../output/terminal/progress/progress.ts";
import { visible } from "../../output/terminal/visible.ts";
import { LoadError } from "../../service/load/load-error.ts";
import { loadRows } from "../../service/load/load-rows.ts";
import type { EmbeddedStore } from "../../service/store/embedded.ts";
import { withDatabase } from "./database-flag.ts";

/** Loads the files one after another; files loaded before a failing file stay loaded. */
export async function loadCommand(
  files: readonly string[],
  { database }: { database: string },
  command: Command,
  context: Context,
): Promise<void> {
  const globals = parseGlobals(command);
  if (files.filter((file) => file === "-").length > 1) {
    throw new UsageError("- stands for standard input, which can be read only once.");
  }
  for (const file of files) {
    if (file !== "-") {
      await access(file, constants.R_OK).catch((error: NodeJS.ErrnoException) => {
        throw new FileError(
          `${file} cannot be read: ${error.code === "ENOENT" ? "there is no such file" : error.message}`,
          file,
          error,
        );
      });
    }
  }
  await withDatabase(database, async (store) => {
    for (const file of files) {
      await loadFile(store, file, globals, context);
    }
  });
}

async function loadFile(store: EmbeddedStore, file: string, globals: GlobalOptions, context: Context): Promise<void> {
  const source = file === "-" ? { name: "standard input", stream: context.stdin } : { name: file, path: file };
  const mode = globals.quiet ? "none" : globals.progress;
  const progress = createProgress({ stream: context.stderr, mode, now: context.now });
  try {
    const { signal } = context;
    const result = await loadRows(store, source, { signal, onProgress: ({ rows }) => progress.update({ rows }) });
    progress.clear();
    if (!globals.quiet) {
      const present = result.alreadyPresent === 0 ? "" : `, ${groupDigits(result.alreadyPresent)} were there already`;
      context.stderr.write(`${visible(source.name)}: ${groupDigits(result.added)} rows added${present}\n`);
    }
  } catch (error) {
    progress.clear();
    throw loadFailure(error, file);
  }
}

function loadFailure(error: unknown, file: string): unknown {
  if (error instanceof LoadError) {
    return new FileError(`${error.message}; nothing of it was loaded`, file, error);
  }
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  return syscall === undefined ? error : new FileError(`${file} cannot be read: ${code ?? message}`, file, error);
}
