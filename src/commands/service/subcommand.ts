import { join } from "node:path";
import type { Command } from "commander";
import { addReportingFlags, type GlobalOptions, parseGlobals } from "../../cli/flags/global.ts";
import { formatOption } from "../../cli/flags/values.ts";
import { createReporter, type Reporter } from "../../cli/reporter.ts";
import type { Context } from "../../context.ts";

/** One call of a command below `catalog service`. */
export interface Call<Flags = unknown> {
  flags: Flags & { database: string };
  globals: GlobalOptions;
  reporter: Reporter;
  context: Context;
}

interface Declaration<Flags, Operands extends unknown[]> {
  summary: string;
  description: string;
  examples: readonly string[];
  /** Declares the flags of this command alone. */
  options?: (command: Command) => Command;
  /** Imports its code itself, so that `--help` does not load the service. */
  run: (call: Call<Flags>, ...operands: Operands) => Promise<void>;
}

/** Declares one command with the flags that all commands below `service` share. */
export function addSubcommand<Flags, Operands extends unknown[]>(
  parent: Command,
  nameAndOperands: string,
  context: Context,
  { summary, description, examples, options = (command) => command, run }: Declaration<Flags, Operands>,
): void {
  const defaultDatabase = join(context.folders.data, "service.db");
  const command = options(parent.command(nameAndOperands).summary(summary).description(description))
    .option("--database <file>", `database of the service (default: ${defaultDatabase})`)
    .addHelpText("after", `\nExamples:\n${examples.map((line) => `  $ ${line}`).join("\n")}`);
  addReportingFlags(command).action(async (...given: unknown[]) => {
    const flags = command.opts<Flags & { database?: string }>();
    const globals = parseGlobals(command);
    await run(
      {
        flags: { ...flags, database: flags.database ?? defaultDatabase },
        globals,
        reporter: createReporter(globals, context),
        context,
      },
      ...(given.slice(0, -2) as Operands),
    );
  });
}

/** Flags of a command that lists records, as typed. */
export interface ListingFlags {
  format?: "table" | "json";
}

export function addListingFormat(command: Command): Command {
  return command.addOption(formatOption(["table", "json"], "table"));
}
