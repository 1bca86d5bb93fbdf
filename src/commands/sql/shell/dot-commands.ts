import type { Context } from "../../../cli/context.ts";
import { type OutputOptions, TABLE_FORMATS, type TableFormat } from "../../../cli/flags/output.ts";
import type { Query } from "../../../cli/write-query.ts";
import { UsageError } from "../../../contract/errors.ts";
import { closest } from "../../../contract/values/closest.ts";
import type { OutputChange, SqlOptions } from "../options.ts";
import { schemaQuery, TABLES_QUERY } from "../schema.ts";

const HELP = `A query may have several lines and ends with a semicolon. Tab completes names.
.tables          the tables
.schema [TABLE]  the columns of all tables, or of one
.mode FORMAT     ${TABLE_FORMATS.join(", ")}
.output [FILE]   write each result to a file; without FILE, to the terminal again
.quit            end the shell, as Ctrl-D does
Ctrl-C ends a running query, or takes back what is typed.
After a sync, open the shell again: it knows the days that the folder had, and has checked.
`;

export const DOT_COMMANDS = [".tables", ".schema", ".mode", ".output", ".help", ".quit"] as const;

interface DotCommands {
  /** Where results go, as the latest commands say. */
  output(): OutputOptions<TableFormat>;
  /** @throws UsageError if there is no such command, or its operand is wrong */
  run(command: string, operand: string | undefined): Promise<void>;
}

export function dotCommands(
  { outputAfter }: Pick<SqlOptions, "outputAfter">,
  tables: readonly string[],
  { show, quit }: { show: (query: Query) => Promise<void>; quit: () => void },
  context: Context,
): DotCommands {
  let changed: OutputChange = {};
  let output = outputAfter(changed);
  const change = (next: OutputChange) => {
    output = outputAfter({ ...changed, ...next });
    changed = { ...changed, ...next };
  };
  const commands: Record<(typeof DOT_COMMANDS)[number], (operand: string | undefined) => Promise<void>> = {
    ".tables": () => show(TABLES_QUERY),
    ".schema": (table) => show(schemaQuery(table && oneOf(tables, table, "table"))),
    ".mode": async (format = "") => change({ format: oneOf(TABLE_FORMATS, format, "format") }),
    ".output": async (file) => change({ output: file }),
    ".help": () => context.print(HELP),
    ".quit": async () => quit(),
  };
  return {
    output: () => output,
    run: async (command, operand) => await commands[oneOf(DOT_COMMANDS, command, "command")](operand),
  };
}

/** @throws UsageError if the name is none of the known ones */
function oneOf<Name extends string>(known: readonly Name[], name: string, what: string): Name {
  const found = known.find((one) => one === name);
  if (found === undefined) {
    const near = closest(name, known);
    const suggestions = near.length > 0 ? near : known;
    throw new UsageError(`There is no ${what} "${name}".`, { value: name, suggestions });
  }
  return found;
}
