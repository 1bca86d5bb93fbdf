import { type Context, type ProcessContext, processContext } from "./cli/context.ts";
import { aboutSameService, type Correction, correct } from "./cli/errors/correction.ts";
import { errorEntryOf } from "./cli/errors/error-table.ts";
import { describeError, errorAsJson } from "./cli/errors/error-text.ts";
import { missingPackageError } from "./cli/errors/missing-package.ts";
import { inFlagWords } from "./cli/flags/flag-words.ts";
import { hideSecrets, protectKnownKeys } from "./cli/secrets.ts";
import { isColoured, terminalWidth } from "./cli/terminal/screen.ts";
import { VERSION } from "./cli/version.ts";
import type { Folders } from "./config/environment.ts";
import { ClosedPipeError, EXIT, FileError, InputError, InterruptedError } from "./contract/errors.ts";

/** Runs one command line in the context of this process; otherwise as `main`. */
export async function mainOfProcess(argv: readonly string[], folders: Folders): Promise<number> {
  return await main(argv, processContext(folders));
}

/**
 * Runs one command line.
 *
 * @param argv the arguments after the program's name
 * @returns the exit code; every error has been reported on stderr
 */
export async function main(argv: readonly string[], own: ProcessContext): Promise<number> {
  const help: string[] = [];
  const context = hideSecrets(argv, own);
  try {
    if (argv.length === 1 && argv[0] === "--version") {
      // The same as below, without loading commander and the commands.
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
    const told = context.redact(withCauseNamed(error, context));
    const words = context.redact(argv);
    return report(told, words, await acceptedCorrection(words, told, context), context);
  }
}

/** The corrected command line of an error, left out if it would be refused, too. */
async function acceptedCorrection(argv: readonly string[], error: unknown, context: Context) {
  const correction = correct(argv, error);
  const { command } = correction ?? {};
  if (command === undefined) {
    return correction;
  }
  const { isAccepted } = await import("./commands/program.ts");
  return (await isAccepted(command.slice(1), context)) ? correction : { ...correction, command: undefined };
}

/** Rejects with an error that nothing caught: the command may wait for what failed, and so never end. */
function uncaughtError(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => signal.reason instanceof InterruptedError || reject(signal.reason));
  });
}

/** Messages for shortages of the process or the machine, by system error code. */
const SHORTAGES: Readonly<Record<string, string>> = {
  EMFILE: "too many files are open for this process; allow more with `ulimit -n 256`",
  ENFILE: "too many files are open on this machine; try again later",
  ENOMEM: "there is too little memory; try again later",
};

/** The error as a user sees it. Any part of the tool may fail from a shortage or from a package that npm left out, because modules are loaded from files. */
function withCauseNamed(error: unknown, context: Context): unknown {
  if (error instanceof InputError) {
    return inFlagWords(error);
  }
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

/** Needs no other module: after a shortage none can be loaded. */
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
        complete: (text) => aboutSameService(text, argv),
        colour: isColoured(context.stderr, !argv.includes("--no-color"), context.env),
        width: terminalWidth(context.stderr),
        verbose: argv.includes("--verbose") || argv.includes("-v"),
      });
  // The terminal has echoed ^C to the current line; erase it. Ctrl-C also discards what the terminal has not shown yet, which
  // may be the end of a synchronized update (DEC mode 2026) of the progress line.
  const isEchoed = error instanceof InterruptedError && context.stderr.isTTY && context.env.TERM !== "dumb";
  context.stderr.write(`${isEchoed ? "\x1b[?2026l\r\x1b[K" : ""}${text.trimEnd()}\n`);
  return exitCode;
}

/** Whether `argv` asks for errors as JSON; it may be the parsing that failed. */
function isJsonWanted(argv: readonly string[]): boolean {
  const index = argv.lastIndexOf("--error-format");
  return argv.includes("--error-format=json") || (index >= 0 && argv[index + 1] === "json");
}
