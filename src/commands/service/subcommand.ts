import { join } from "node:path";
import type { Command, InferCommandArguments, OptionValues } from "@commander-js/extra-typings";
import type { Context, Run } from "../../cli/context.ts";
import { addReportingFlags, type GlobalOptions, parseGlobals } from "../../cli/flags/global.ts";
import { addListFlags } from "../../cli/flags/list.ts";
import {
  addListOutput,
  columnsOption,
  LIST_FORMATS,
  type ListingFlags,
  type ListingOptions,
  parseListing,
} from "../../cli/flags/output.ts";
import { flagError } from "../../cli/flags/values.ts";
import { type Reporter, startReporting } from "../../cli/reporter.ts";
import { refuseTilde } from "../../config/expanded-path.ts";
import { UsageError } from "../../contract/errors.ts";
import { quoted } from "../../contract/values/phrases.ts";
import { quoteCommand } from "../../contract/values/quote-command.ts";
import { normalName } from "../../service/store/access/names.ts";
import { shownLocation } from "../../service/store/database/location.ts";

export interface DatabaseOptions {
  globals: GlobalOptions;
  /** The database as typed. */
  database: string;
  /** The end of commands in hints, so that they use the same database: ` --database rows.db`, or nothing. */
  databaseFlag: string;
}

export interface ServiceCall<Options = unknown> {
  options: Options & DatabaseOptions;
  reporter: Reporter;
  context: Context;
  /** Aborted when the command is interrupted or its `--max-time` is over. */
  signal: AbortSignal;
  now: Date;
}

/** A command below `catalog service`. It is imported when it is called, so that `--help` does not load the service. */
export interface Subcommand<Flags, Operands extends unknown[], Options> {
  /** @throws UsageError if flags and operands contradict each other */
  parse: (flags: Flags, operands: Operands, context: Context) => Options;
  run: (call: ServiceCall<Options>) => Promise<void>;
}

export function subcommand<Flags, Operands extends unknown[], Options>(
  made: Subcommand<Flags, Operands, Options>,
): Subcommand<Flags, Operands, Options> {
  return made;
}

interface Declaration<Flags extends OptionValues, Operands extends unknown[], Options> {
  summary: string;
  description: string;
  examples: readonly string[];
  /** Shown before the examples. */
  note?: string;
  /** Declares the flags that only this command has. */
  options?: (command: Command) => Command<[], Flags>;
  load: () => Promise<Subcommand<Flags, Operands, Options>>;
}

/**
 * Returns a function that declares a command below `parent`, with the flags that all commands below `service` share.
 *
 * @param run called instead of the command, with its complete options
 */
export function subcommandsOf(parent: Command, context: Context, run: Run<unknown> | undefined) {
  return <Usage extends string, Flags extends OptionValues, Options>(
    nameAndOperands: Usage,
    {
      summary,
      description,
      examples,
      note,
      options: addFlags,
      load,
    }: Declaration<Flags, InferCommandArguments<Usage>, Options>,
  ): void => {
    const defaultDatabase = context.folders.data && join(context.folders.data, "service.db");
    const command: Command = parent
      .command(nameAndOperands as string)
      .summary(summary)
      .description(description);
    addFlags?.(command);
    command.option(
      "--database <file>",
      `database of the service, a file or a postgres: URL (default: ${defaultDatabase ?? "none, because there is no home folder"}) [env: CATALOG_DATABASE]`,
    );
    addReportingFlags(command, examples, note).action(async (...operands: unknown[]) => {
      const flags = command.opts() as Flags & { database?: string };
      const database = flags.database ?? (context.env.CATALOG_DATABASE || defaultDatabase);
      if (database === undefined) {
        throw flagError("--database", "is needed, because there is no home folder for the database.");
      }
      refuseTilde(database, flags.database === undefined ? "CATALOG_DATABASE" : "--database");
      if (Object.values(flags).some((value) => typeof value === "string" && shownLocation(value) !== value)) {
        // Hides the password of an address in the arguments from process listings.
        context.setTitle("catalog service");
      }
      const loaded = await load();
      const options: Options & DatabaseOptions = {
        ...loaded.parse(flags, operands.slice(0, -2) as InferCommandArguments<Usage>, context),
        globals: parseGlobals(command),
        database,
        databaseFlag: flags.database === undefined ? "" : ` ${quoteCommand(["--database", shownLocation(database)])}`,
      };
      if (run !== undefined) {
        return await run(options, context);
      }
      using reporting = startReporting(options.globals, context);
      const { reporter, signal } = reporting;
      await loaded.run({ options, reporter, context, signal, now: new Date(context.now()) });
    });
  };
}

/** @throws UsageError if a name or title is blank */
export function refuseEmpty(text: string, what: string): void {
  if (text.trim() === "") {
    throw new UsageError(`${what} must not be empty.`);
  }
}

/** Parses the name of a new team or key. @throws UsageError if it is none */
export function parseName(text: string, what: string): string {
  refuseEmpty(text, what);
  const name = normalName(text);
  if (name === undefined) {
    throw new UsageError(`${what} must be of visible characters, unlike ${quoted(text)}.`, { value: text });
  }
  return name;
}

export const RECORD_COLUMNS = {
  teams: ["name", "scopes", "retailers", "members", "created_at", "active_keys"],
  keys: ["name", "team", "scopes", "retailers", "created_at", "last_used_at", "revoked_at"],
  incidents: ["id", "title", "suite", "severity", "started_at", "resolved_at", "updates"],
} as const;

export function addRecordList(columns: readonly string[]) {
  const [first = "", second] = columns;
  const chosen = columnsOption(`columns to write, in this order: ${first},${second}`, columns);
  return (command: Command) => addListFlags(addListOutput(command, LIST_FORMATS).addOption(chosen), first, columns);
}

export function parseRecordList(columns: readonly string[]) {
  return (flags: ListingFlags, _: unknown, context: Context): ListingOptions =>
    parseListing(flags, LIST_FORMATS, context, columns);
}
