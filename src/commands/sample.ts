import type { Command } from "commander";
import type { Context } from "../context.ts";
import type { Filters } from "../contract/filters.ts";
import { PRODUCT_COLUMNS } from "../contract/product.ts";
import { EmptyResultError } from "../errors.ts";
import { parseColumns } from "../output/columns.ts";
import type { RowFormat } from "../output/formats.ts";
import { renderTable } from "../output/table.ts";
import { withConnection } from "./connection.ts";
import { addFilterFlags, type FilterFlags, parseFilters } from "./filter-flags.ts";
import { addGlobalFlags, type GlobalOptions, parseGlobals } from "./global-flags.ts";
import {
  addOutputFlags,
  type OutputFlags,
  type OutputOptions,
  parseOutput,
  refuseBinaryOnTerminal,
  textFormatOfFile,
} from "./output-flags.ts";
import { sampleTable } from "./sample-table.ts";
import { isColoured, widthOf } from "./terminal.ts";
import { writeRows, writeText } from "./write-rows.ts";

const FORMATS = ["table", "csv", "tsv", "json", "ndjson"] as const;
type Format = (typeof FORMATS)[number];

export interface SampleOptions {
  globals: GlobalOptions;
  filters: Filters;
  demo: boolean;
  output: OutputOptions<Format>;
  columns: readonly string[] | undefined;
  failOnEmpty: boolean;
}

interface Flags extends FilterFlags, OutputFlags {
  demo?: boolean;
  columns?: string;
  failOnEmpty?: boolean;
}

export function declare(
  command: Command,
  context: Context,
  run: (options: SampleOptions, context: Context) => Promise<void> = runSample,
): void {
  command.description("At most 100 rows of the filtered set, to judge the shape of the data.");
  addFilterFlags(command);
  addOutputFlags(command, FORMATS, "table in a terminal, else ndjson")
    .option("--columns <names>", "columns to show, in this order: sku,title,selling_price")
    .option("--fail-on-empty", "exit with 7 when nothing matches")
    .option("--demo", "run on a generated data set, without key or configuration");
  addGlobalFlags(command)
    .addHelpText(
      "after",
      `
Columns: ${PRODUCT_COLUMNS.join(", ")}

Examples:
  $ catalog sample --demo
  $ catalog sample --retailer acme --columns sku,title,selling_price,currency
  $ catalog sample --date yesterday -f csv -o sample.csv`,
    )
    .action((flags: Flags) => run(parseOptions(command, flags, context), context));
}

function parseOptions(command: Command, flags: Flags, context: Context): SampleOptions {
  const output = parseOutput<Format>(flags, textFormatOfFile, context.stdout.isTTY ? "table" : "ndjson");
  refuseBinaryOnTerminal(output, context.stdout.isTTY === true);
  return {
    globals: parseGlobals(command),
    filters: parseFilters(flags, context.now()),
    demo: flags.demo ?? false,
    output,
    columns: flags.columns === undefined ? undefined : parseColumns(flags.columns, PRODUCT_COLUMNS),
    failOnEmpty: flags.failOnEmpty ?? false,
  };
}

async function runSample(options: SampleOptions, context: Context): Promise<void> {
  const { rows, meta } = await withConnection(options, context, ({ client }) => client.sample(options.filters));
  if (options.failOnEmpty && rows.length === 0) {
    throw new EmptyResultError("nothing matches the filters");
  }
  const { output, columns } = options;
  if (output.format !== "table") {
    await writeRows(rows, output as OutputOptions<RowFormat>, { known: PRODUCT_COLUMNS, chosen: columns }, context);
    return;
  }
  const isTerminal = output.output === undefined;
  const width = isTerminal ? widthOf(context.stdout) : undefined;
  const colour = isTerminal && isColoured(context.stdout, options.globals.color, context.env);
  const { text, hidden } = renderTable(sampleTable(rows, columns), { width, colour });
  await writeText(text, output, context);
  if (!options.globals.quiet && context.stderr.isTTY) {
    const all = meta.coverage.matching_rows.toLocaleString("en-US");
    const more = hidden.length === 0 ? "" : `; not shown: ${hidden.join(", ")} (--columns chooses)`;
    context.stderr.write(`${rows.length} of ${all} matching rows${more}\n`);
  }
}
