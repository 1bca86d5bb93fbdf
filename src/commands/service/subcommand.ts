import { join } from "node:path";
import type { Command } from "commander";
import { addReportingFlags, type GlobalOptions, parseGlobals } from "../../cli/flags/global.ts";
import { formatOption } from "../../cli/flags/values.ts";
import { type Reporter, withReporter } from "../../cli/reporter.ts";
import type { Context } from "../../context.ts";
import { UsageError } from "../../errors.ts";
import { quoteCommand } from "../../output/terminal/quote.ts";
import { shownLocation } from "../../service/store/database/location.ts";

/** One call of a command below `catalog service`. */
export interface ServiceCall<Flags = unknown> {
  flags: Flags & { database: string };
  /** What commands in hints must end with to mean the same database: ` --database rows.db`, or nothing. */
  databaseFlag: string;
  globals: GlobalOptions;
  reporter: Reporter;
  context: Context;
  /** Aborted when the command is interrupted or its `--max-time` is over. */
  signal: AbortSignal;
  now: Date;
}

interface Declaration<Flags, Operands extends unknown[]> {
  summary: string;
  description: string;
  examples: readonly string[];
  /** Declares the flags of this command alone. */
  options?: (command: Command) => Command;
  /** Imports the code of the command, so that `--help` does not load the service. */
  load: () => Promise<(call: ServiceCall<Flags>, ...operands: Operands) => Promise<void>>;
}

/** Returns a function that declares a command below `parent`, with the flags that all commands below `service` share. */
export function subcommandsOf(parent: Command, context: Context) {
  return <Flags, Operands extends unknown[]>(
    nameAndOperands: string,
    { summary, description, examples, options = (command) => command, load }: Declaration<Flags, Operands>,
  ): void => {
    const defaultDatabase = join(context.folders.data, "service.db");
    const command = options(parent.command(nameAndOperands).summary(summary).description(description)).option(
      "--database <file>",
      `database of the service, a file or a postgres: URL (default: ${defaultDatabase}) [env: CATALOG_DATABASE]`,
    );
    addReportingFlags(command, examples).action(async (...operands: unknown[]) => {
      const given = command.opts<Flags & { database?: string }>();
      const flags = { ...given, database: given.database ?? (context.env.CATALOG_DATABASE || defaultDatabase) };
      const databaseFlag =
        given.database === undefined ? "" : ` ${quoteCommand(["--database", shownLocation(given.database)])}`;
      if (flags.database !== shownLocation(flags.database)) {
        // The list of processes shows the title in the place of the arguments, which have a password.
        process.title = "catalog service";
      }
      const globals = parseGlobals(command);
      const run = await load();
      await withReporter(globals, context, async (reporter, signal) => {
        const call = { flags, databaseFlag, globals, reporter, context, signal, now: new Date(context.now()) };
        await run(call, ...(operands.slice(0, -2) as Operands));
      });
    });
  };
}

/** @throws UsageError if a name or a title has no characters but spaces */
export function refuseEmpty(text: string, what: string): void {
  if (text.trim() === "") {
    throw new UsageError(`${what} must not be empty.`);
  }
}

/** Flags of a command that lists records. */
export interface ListingFlags {
  format?: "table" | "json";
}

export function addListingFormat(command: Command): Command {
  return command.addOption(formatOption(["table", "json"], "table"));
}
