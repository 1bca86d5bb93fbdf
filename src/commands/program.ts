import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { CommanderError } from "commander";
import type { Context } from "../cli/context.ts";
import {
  refuseFlagsAsValues,
  refuseOtherChoices,
  refuseRepeatedFlags,
  refuseUnusablePaths,
} from "../cli/flags/flag-checks.ts";
import { addGlobalFlags } from "../cli/flags/global.ts";
import { helpLayout } from "../cli/help-layout.ts";
import { VERSION } from "../cli/version.ts";
import { COMMANDS } from "./command-list.ts";

/**
 * Runs the command that a command line names.
 *
 * @param showHelp gets the output of --help and --version
 * @throws UsageError for a wrong command line; whatever the command throws
 */
export async function runCommandLine(
  argv: readonly string[],
  context: Context,
  showHelp: (text: string) => void,
): Promise<void> {
  // The argument of `__complete --line` is a whole command line.
  const named = new Set(argv.flatMap((argument) => argument.split(/\s+/)));
  const program = await createProgram(context, (name) => named.has(name), showHelp);
  try {
    // A SQL query that begins with a comment is not a flag.
    const sql = argv.indexOf("sql");
    const words = argv.map((word, at) => (sql !== -1 && at > sql && /^--\s/.test(word) ? ` ${word}` : word));
    await program.parseAsync(asksForHelp(argv) ? [...argv.slice(0, -1), "--help"] : words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      throw error;
    }
    // Commander also throws after --help and --version.
    if (error.exitCode !== 0) {
      const { usageErrorOf } = await import("../cli/errors/parse-error.ts");
      throw usageErrorOf(error, argv, program);
    }
  }
}

/** Whether a command line parses. Does not run it, and does not check how flags combine. */
export async function isAccepted(argv: readonly string[], context: Context): Promise<boolean> {
  const program = await createProgram(
    context,
    (name) => argv.includes(name),
    () => undefined,
  );
  replaceActions(program);
  try {
    await program.parseAsync(argv, { from: "user" });
    return true;
  } catch (error) {
    // Commander also throws after --help and --version.
    return error instanceof CommanderError && error.exitCode === 0;
  }
}

function replaceActions(command: CommandUnknownOpts): void {
  if (command.commands.length === 0) {
    command.action(() => undefined);
  }
  command.commands.forEach(replaceActions);
}

/** Whether a command line is empty or `COMMAND help`. A file named `help` can be given as `./help`. */
function asksForHelp([command, word, ...more]: readonly string[]): boolean {
  return (
    command === undefined || (word === "help" && more.length === 0 && COMMANDS.some(({ name }) => name === command))
  );
}

const FIRST_STEPS = `First steps:
  $ catalog coverage --demo                 # what it looks like, without an account
  $ catalog auth login                      # asks for the address and the key
  $ catalog coverage --group-by retailer    # which retailers there are
  $ catalog export --date yesterday -o rows.csv

Every morning, on the folder that \`catalog sync rows\` keeps:
  $ catalog report rows --html morning.html          # all of it on one page
  $ catalog movers rows --since last --only drop     # what dropped since last time
  $ catalog history --search 'MODEL OR TITLE' rows   # who is the cheapest, and is it a low
  $ catalog latest rows --group-by brand             # discounts by brand
  $ catalog coverage rows --fail-if 'days_old > 2'   # exit code 8 if a retailer is stale`;

/** Declares all commands, those that `isNeeded` rejects with their summary only. */
export async function createProgram(
  context: Context,
  isNeeded: (name: string) => boolean,
  showHelp: (text: string) => void,
): Promise<Command> {
  const program = new Command("catalog")
    .description("Coverage, samples and complete, verified exports of crawled retail rows.")
    .exitOverride()
    // The flags of a subcommand may have names that its parent has, too: `sync log -f csv`.
    .enablePositionalOptions()
    .configureOutput({
      writeOut: showHelp,
      // Usage errors are reported once, by the same code as every other error.
      writeErr: () => undefined,
      getOutHelpWidth: () => context.stdout.columns || 80,
    })
    .configureHelp(helpLayout(FIRST_STEPS))
    .version(VERSION, "--version", "show the version")
    .showSuggestionAfterError(false)
    .helpCommand(false)
    .addHelpText("after", "\nTopics: `catalog help exit-codes`, `catalog help environment`, `catalog help formats`.");
  addGlobalFlags(program);
  for (const { name, group, summary, load } of COMMANDS) {
    const command = program.command(name, { hidden: group === "" }).summary(summary);
    command.helpGroup(group);
    if (isNeeded(name)) {
      const { declare } = await load();
      declare(command, context);
    }
  }
  refuseOtherChoices(program);
  refuseFlagsAsValues(program);
  refuseRepeatedFlags(program);
  refuseUnusablePaths(program);
  program.hook("preAction", async (_, command) => {
    const { output, html } = command.opts();
    if ((output ?? html) !== undefined) {
      const { refuseReplacedInput } = await import("../cli/flags/replaced-input.ts");
      await refuseReplacedInput(command);
    }
  });
  return program;
}
