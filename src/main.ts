import { type Context, type ProcessContext, processContext } from "./cli/context.ts";
import { type Correction, correct, withServiceFlags } from "./cli/errors/corrected-command.ts";
import { errorEntryOf } from "./cli/errors/error-table.ts";
import { describeError, errorAsJson } from "./cli/errors/error-text.ts";
import { missingPackageError } from "./cli/errors/missing-package.ts";
import { hideSecrets, protectKnownKeys } from "./cli/secrets.ts";
import { isColoured, terminalWidth } from "./cli/terminal/screen.ts";
import { VERSION } from "./cli/version.ts";
import type { Folders } from "./config/environment.ts";
import { ClosedPipeError, EXIT, FileError, InterruptedError } from "./contract/errors.ts";

/** Runs one command line in the context of this process; see `main`. */
export async function mainOfProcess(argv: readonly string[], folders: Folders): Promise<number> {
  return await main(argv, processContext(folders));
}

/** Runs one command line. @returns the exit code; errors have been reported on stderr */
export async function main(argv: readonly string[], own: ProcessContext): Promise<number> {
  const help: string[] = [];
  const context = hideSecrets(argv, own);
  try {
    if (argv.length === 1 && argv[0] === "--version") {
      // Same output as below, without loading commander and the commands.
      help.push(`${VERSION}\n`);
    } else {
      const { runCommandLine } = await import("./commands/program.ts");
      await protectKnownKeys(argv, context);
      const run = runCommandLine(argv, context, (text) => help.push(text));
      await Promise.race([run, uncaughtError(context.signal)]);
    }
    await context.print(help.join(""));
    return EXIT.ok;
  } catch (error) {
    const shown = context.redact(userError(error, context));
    const words = context.redact(argv);
    return report(shown, words, await acceptedCorrection(words, shown, context), context);
  }
}

/** The correction for an error, without its command line if that would be refused as well. */
async function acceptedCorrection(argv: readonly string[], error: unknown, context: Context) {
  const correction = correct(argv, error);
  const { command } = correction ?? {};
  if (command === undefined) {
    return correction;
  }
  const { isAccepted } = await import("./commands/program.ts");
  return (await isAccepted(command.slice(1), context)) ? correction : { ...correction, command: undefined };
}

/** Rejects with an uncaught error: the command might otherwise wait forever for what failed. */
function uncaughtError(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => signal.reason instanceof InterruptedError || reject(signal.reason));
  });
}

/** Messages for system errors that are shortages. */
const SHORTAGES: Readonly<Record<string, string>> = {
  EMFILE: "this process has too many open files; allow more with `ulimit -n 4096`",
  ENFILE: "this machine has too many open files; try again later",
  ENOMEM: "there is not enough memory; try again later",
};

/**
 * The error as the user sees it. A shortage or a missing package can fail any part of the tool, because modules are loaded
 * when they are needed.
 */
function userError(error: unknown, context: Context): unknown {
  if (!(error instanceof Error) || error instanceof FileError) {
    return error;
  }
  const { code = "" } = error as NodeJS.ErrnoException;
  if (/MODULE_NOT_FOUND$|^ERR_DLOPEN_FAILED$/.test(code) || error.message.includes("native binding")) {
    return missingPackageError(error, context) ?? error;
  }
  const shortage = SHORTAGES[code];
  return shortage === undefined ? error : new FileError(shortage, "", error);
}

/** Reports an error. Loads no module, because that fails in a shortage. */
function report(
  error: unknown,
  argv: readonly string[],
  correction: Partial<Correction> | undefined,
  context: Context,
): number {
  const { exitCode } = errorEntryOf(error);
  if (error instanceof ClosedPipeError) {
    return exitCode;
  }
  const text = isJsonWanted(argv)
    ? errorAsJson(error, exitCode)
    : describeError(error, {
        ...correction,
        complete: (text) => withServiceFlags(text, argv),
        colour: isColoured(context.stderr, !argv.includes("--no-color"), context.env),
        width: terminalWidth(context.stderr),
        verbose: argv.includes("--verbose") || argv.includes("-v"),
      });
  // Erases the ^C that the terminal has echoed. Ctrl-C also discards output that the terminal has not shown yet, possibly the
  // end of a synchronized update (DEC mode 2026) of the progress line.
  const isEchoed = error instanceof InterruptedError && context.stderr.isTTY && context.env.TERM !== "dumb";
  context.printError(`${isEchoed ? "\x1b[?2026l\r\x1b[K" : ""}${text.trimEnd()}\n`);
  return exitCode;
}

/** Whether `argv` asks for errors as JSON. Not taken from the parsed flags, because parsing may have failed. */
function isJsonWanted(argv: readonly string[]): boolean {
  const index = argv.lastIndexOf("--error-format");
  return argv.includes("--error-format=json") || (index >= 0 && argv[index + 1] === "json");
}
