import { type Command, type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import type { Context } from "../../cli/context.ts";
import {
  addLinksFlag,
  addListOutput,
  type OutputOptions,
  parseOutput,
  TABLE_FORMATS,
  type TableFormat,
} from "../../cli/flags/output.ts";
import { addDemoFlag, type FolderOptions, parseFolderSource } from "../../cli/flags/source.ts";
import { collectValues, type FlagsOf, size, valueError } from "../../cli/flags/values.ts";
import { UsageError } from "../../contract/errors.ts";
import type { NamedFile } from "../../folder/sql/sql-session.ts";

export function addSqlFlags(command: Command) {
  return addDemoFlag(addLinksFlag(addListOutput(command, TABLE_FORMATS)))
    .addOption(
      new Option(
        "--with <name=file>",
        "a CSV file as one more table, all of whose columns are texts (repeatable): watch=list.csv",
      ).argParser(collectValues),
    )
    .option("--memory <size>", "memory that DuckDB may use; the rest goes to disk (default: 512MiB)", size("--memory"))
    .option("--no-pager", "do not open a pager for a table that is longer than the screen [env: PAGER]");
}

export interface SqlOptions extends FolderOptions {
  /** SQL, or `-` for standard input; undefined: list the tables and example queries. */
  query: string | undefined;
  /** CSV files that are tables, too. */
  tables: readonly NamedFile[];
  /** Bytes that DuckDB may use; undefined for the default. */
  memory: number | undefined;
  pager: boolean;
  output: OutputOptions<TableFormat>;
}

export function parseSqlOptions(
  command: CommandUnknownOpts,
  query: string | undefined,
  folder: string | undefined,
  flags: FlagsOf<typeof addSqlFlags>,
  context: Context,
): SqlOptions {
  if (query?.trim() === "") {
    throw new UsageError("the query is empty; write SQL, as in 'select count(*) from rows'.");
  }
  return {
    ...parseFolderSource(command, folder, flags, context),
    query,
    tables: namedFiles(flags.with ?? []),
    memory: flags.memory,
    pager: flags.pager,
    output: parseOutput(flags, TABLE_FORMATS, context),
  };
}

const TAKEN = ["rows", "latest", "prices_daily", "changes", "days", "combinations"];

/** Parses each `NAME=FILE` of `--with`. */
function namedFiles(texts: readonly string[]): NamedFile[] {
  const taken = new Set(TAKEN);
  return texts.map((text) => {
    const [, name, path] = /^([a-z_][a-z0-9_]{0,62})=(.+)$/is.exec(text) ?? [];
    if (name === undefined || path === undefined) {
      throw valueError("--with", text, "is not a name and a file; write watch=list.csv.");
    }
    if (taken.has(name.toLowerCase())) {
      throw valueError("--with", text, `names a table that there is already; the tables are ${TAKEN.join(", ")}.`);
    }
    taken.add(name.toLowerCase());
    return { name, path };
  });
}
