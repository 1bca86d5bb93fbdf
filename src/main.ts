import { Command, CommanderError } from "commander";
import { refuseOtherChoices, refuseRepeatedFlags } from "./cli/flags/declared.ts";
import { addGlobalFlags, errorFormatOf } from "./cli/flags/global.ts";
import { helpLayout } from "./cli/help-layout.ts";
import { isColoured, terminalWidth } from "./cli/terminal.ts";
import { COMMANDS } from "./commands/registry.ts";
import { type Context, type Folders, processContext } from "./context.ts";
import { errorEntryOf } from "./error-table.ts";
import { ClosedPipeError, EXIT, FileError, InterruptedError } from "./errors.ts";
import { VERSION } from "./version.ts";

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
export async function main(argv: readonly string[], context: Context): Promise<number> {
  // For completion, a whole command line is one argument.
  const words = new Set(argv.flatMap((argument) => argument.split(/\s+/)));
  const help: string[] = [];
  let program: Command | undefined;
  try {
    program = await createProgram(
      context,
      (name) => words.has(name),
      (text) => help.push(text),
    );
    await parse(program, argv);
    await context.print(help.join(""));
    return EXIT.ok;
  } catch (error) {
    return await report(await namedError(error, argv, program), argv, context);
  }
}

async function parse(program: Command, argv: readonly string[]): Promise<void> {
  try {
    await program.parseAsync(argv.length === 0 ? ["--help"] : argv, { from: "user" });
  } catch (error) {
    // Commander also throws after --help and --version.
    if (!(error instanceof CommanderError && error.exitCode === 0)) {
      throw error;
    }
  }
}

const FIRST_STEPS = `First steps:
  $ catalog coverage --demo                 what it looks like, without an account
  $ catalog auth login --base-url https://api.example.com
  $ catalog coverage --group-by retailer    which retailers there are
  $ catalog export --date yesterday -o rows.csv

Every morning, on the folder that \`catalog sync rows\` keeps:
  $ catalog movers rows --only drop                       what dropped in a week
  $ catalog history SKU rows                              is this a new low
  $ catalog history --search 'MODEL OR TITLE' rows        who is the cheapest
  $ catalog diff rows --from latest-7d --to latest --only appeared --category SLUG
                                                          what is new there
  $ catalog coverage --from rows --group-by retailer      how fresh each one is`;

/** Declares every command; commands that are not wanted get only their summary. */
export async function createProgram(
  context: Context,
  isWanted: (name: string) => boolean,
  showHelp: (text: string) => void,
): Promise<Command> {
  const program = new Command("catalog")
    .description("Coverage, samples and complete, verified exports of crawled retail rows.")
    .exitOverride()
    .configureOutput({
      writeOut: showHelp,
      // Usage errors are reported once, by the same code as every other error.
      writeErr: () => undefined,
      getOutHelpWidth: () => context.stdout.columns || 80,
      outputError: () => undefined,
    })
    .configureHelp(helpLayout(FIRST_STEPS))
    .version(VERSION, "--version", "show the version")
    .showHelpAfterError(false)
    .showSuggestionAfterError(false)
    .helpCommand(false)
    .addHelpText("after", "\nTopics: `catalog help exit-codes`, `catalog help environment`, `catalog help formats`.");
  addGlobalFlags(program);
  for (const { name, group, summary, load } of COMMANDS) {
    const command = program.command(name, { hidden: group === undefined }).summary(summary);
    command.helpGroup(group ?? "");
    if (isWanted(name)) {
      const { declare } = await load();
      declare(command, context);
    }
  }
  refuseOtherChoices(program);
  refuseRepeatedFlags(program);
  return program;
}

/** Messages for shortages of the process or the machine, by system error code. */
const SHORTAGES: Readonly<Record<string, string>> = {
  EMFILE: "too many files are open for this process; allow more with `ulimit -n 256`",
  ENFILE: "too many files are open on this machine; try again later",
  ENOMEM: "there is too little memory; try again later",
};

/** Any part of the tool may fail from a shortage, because even modules are loaded from files. */
function withShortageNamed(error: unknown): unknown {
  const shortage = SHORTAGES[error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? "") : ""];
  return shortage === undefined || error instanceof FileError ? error : new FileError(shortage, "", error);
}

/** What is reported: a shortage or a wrong command line in other words than Node.js and commander have. */
async function namedError(thrown: unknown, argv: readonly string[], program: Command | undefined): Promise<unknown> {
  if (!(thrown instanceof CommanderError) || program === undefined) {
    return withShortageNamed(thrown);
  }
  try {
    const { usageErrorOf } = await import("./cli/errors/parse-error.ts");
    return usageErrorOf(thrown, argv, program);
  } catch (error) {
    return withShortageNamed(error);
  }
}

async function report(error: unknown, argv: readonly string[], context: Context): Promise<number> {
  const { exitCode, code, title } = errorEntryOf(error);
  if (error instanceof ClosedPipeError) {
    return exitCode;
  }
  const isJson = errorFormatOf(argv) === "json";
  const printer = await Promise.all([
    import("./output/terminal/errors/error-text.ts"),
    import("./cli/errors/correction.ts"),
  ]).catch(() => undefined);
  if (printer === undefined) {
    const detail = error instanceof Error ? error.message : String(error);
    const document = { type: "about:blank", title, detail, code, retryable: false, exit_code: exitCode };
    context.stderr.write(isJson ? `${JSON.stringify(document)}\n` : `error: ${detail}\n`);
    return exitCode;
  }
  const [{ describeError, errorAsJson }, { correct }] = printer;
  const text = isJson
    ? errorAsJson(error, exitCode)
    : describeError(error, {
        ...correct(argv, error),
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
