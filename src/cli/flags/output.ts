import { resolve } from "node:path";
import { Option } from "@commander-js/extra-typings";
import { UsageError } from "../../contract/errors.ts";
import { PRODUCT_COLUMNS } from "../../contract/product.ts";
import { quoted } from "../../contract/values/phrases.ts";
import { type Compression, compressionFor, withoutCompressionEnding } from "../../export/destination/compression.ts";
import { parseColumns } from "../../export/formats/columns.ts";
import { FORMATS, formatOfFile, ROW_FORMATS, type RowFormat } from "../../export/formats/registry.ts";
import { refuseEnding } from "../errors/output-ending.ts";
import type { SortKey } from "../order.ts";
import { type ListFlags, type ListOptions, parseListFlags } from "./list.ts";
import { type FlagsOf, flagError, flagSet, formatOption, NamesOption } from "./values.ts";

/** The formats of commands that show a list: a table for people, and rows for programs. */
export const TABLE_FORMATS = ["table", ...ROW_FORMATS] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

/** Without Parquet, for records of the service, whose columns have no types. */
type ListFormat = Exclude<TableFormat, "parquet">;
export const LIST_FORMATS = TABLE_FORMATS.filter((format): format is ListFormat => format !== "parquet");

export interface OutputOptions<Format extends string> {
  format: Format;
  /** A path; undefined for stdout. */
  output: string | undefined;
  compression: Compression | undefined;
  noClobber: boolean;
  /** Whether to make addresses in a sheet clickable. */
  links?: boolean;
}

export interface ListingOptions<Format extends string = TableFormat> {
  output: OutputOptions<Format>;
  list: ListOptions;
  /** The chosen columns, in order; undefined for the default ones. */
  columns: readonly string[] | undefined;
}

export function hasRowFormat<Format extends string>(
  output: OutputOptions<Format>,
): output is OutputOptions<Format & RowFormat> {
  return Object.hasOwn(FORMATS, output.format);
}

/** The flags of every output, and those that only some have. */
export type OutputFlags = FlagsOf<typeof addOutputFlags> &
  FlagsOf<typeof addLinksFlag> & {
    html?: string;
    /** If given, `output` is a folder, whose name may have any ending. */
    partitionBy?: readonly string[];
  };

export type ListingFlags = OutputFlags & ListFlags & { columns?: string };

/** The HTML page of `--html`, which is written in addition to what `--output` and `--format` ask for. */
export interface PageOptions {
  /** A path, or `-` for stdout. */
  file: string;
  compression: Compression | undefined;
  noClobber: boolean;
  /** Whether no other output is asked for. */
  isOnly: boolean;
}

/** @param known the columns that completion offers; which of them exist may depend on other flags */
export function columnsOption(description: string, known: readonly string[] = PRODUCT_COLUMNS) {
  return new NamesOption("--columns <names>", description, known);
}

/** @throws UsageError if the value of `--columns` names an unknown column */
export function chosenColumns(flag: string | undefined, known: readonly string[]): string[] | undefined {
  return flag === undefined ? undefined : parseColumns(flag, known);
}

export const addListOutput = flagSet((command, formats: readonly string[] = TABLE_FORMATS) =>
  addOutputFlags(command, formats, "table in a terminal, else ndjson"),
);

export const addOutputFlags = flagSet((command, formats: readonly string[], formatDefault: string) =>
  command
    .addOption(formatOption(formats, formatDefault))
    .option("-o, --output <file>", "write to a file instead of stdout; the file appears only once it is complete")
    .addOption(
      new Option(
        "--compress <codec>",
        "compress the output; zstd needs Node.js 22.15 (default: from the file's ending)",
      ).choices(["gzip", "zstd"]),
    )
    .option("--no-clobber", "refuse to replace an existing file"),
);

export const addLinksFlag = flagSet((command) =>
  command.option("--links", "xlsx: turn URLs into links; a sheet with many links opens slowly"),
);

/**
 * Splits the flags into the page of `--html` and those of the other output.
 *
 * @param isListed whether there is another output
 * @throws UsageError if both would go to the same file
 */
export function splitPage<Flags extends OutputFlags>(
  flags: Flags,
  isListed = flags.output !== undefined || flags.format !== undefined,
): { page: PageOptions | undefined; listing: Flags } {
  const { html, output = "-" } = flags;
  if (html === undefined) {
    return { page: undefined, listing: flags };
  }
  if (isListed && resolve(html) === resolve(output)) {
    throw flagError("--html", `${quoted(html)} is already the destination of the other output; name another file.`);
  }
  const page = {
    file: html,
    compression: compressionFor(html, isListed ? undefined : flags.compress),
    noClobber: flags.clobber === false,
    isOnly: !isListed,
  };
  const listing = isListed ? flags : { ...flags, compress: undefined };
  return { page, listing: flags.output === undefined ? { ...listing, clobber: undefined } : listing };
}

interface OutputContext {
  stdout: { isTTY?: boolean | undefined };
}

/**
 * @param known columns to sort by
 * @param sortWords short names, each for a column and a direction
 * @param isForPeople see `parseOutput`
 * @throws UsageError if flags contradict each other or name an unknown column
 */
export function parseListing<Format extends string>(
  flags: ListingFlags,
  formats: readonly Format[],
  context: OutputContext,
  known: readonly string[],
  sortWords?: Readonly<Record<string, SortKey>>,
  isForPeople?: boolean,
): ListingOptions<Format> {
  const output = parseOutput(flags, formats, context, isForPeople);
  return { output, list: parseListFlags(flags, known, sortWords), columns: chosenColumns(flags.columns, known) };
}

/**
 * Decides the format: that of the flag, else of the file name's ending, else a table for people, if the command has one, and
 * ndjson for programs.
 *
 * @param formats the formats of the command
 * @throws UsageError if the flags contradict each other or the file name
 */
export function parseOutput<Format extends string>(
  flags: OutputFlags,
  formats: readonly Format[],
  { stdout }: OutputContext,
  isForPeople = stdout.isTTY === true,
): OutputOptions<Format> {
  const output = flags.output === "-" ? undefined : flags.output;
  if (output !== undefined && flags.partitionBy === undefined) {
    refuseEnding(output, flags, formats);
  }
  if (output === undefined && flags.clobber === false) {
    throw flagError("--no-clobber", "protects a file; it needs --output FILE.");
  }
  const compression = compressionFor(output, flags.compress);
  const named = flags.format ?? (output === undefined ? undefined : formatOfName(output, formats));
  const format = named ?? (isForPeople && formats.some((one) => one === "table") ? "table" : "ndjson");
  if (flags.links && format !== "xlsx") {
    throw flagError("--links", `is for xlsx, not for ${format}.`);
  }
  const inside = FORMATS[format as RowFormat]?.compressedBy;
  if (inside !== undefined && compression !== undefined) {
    throw compressedTwiceError(`${format} is already compressed (${inside})`, compression, flags);
  }
  if (stdout.isTTY && output === undefined && (inside ?? compression) !== undefined) {
    const [flag, value, name] =
      compression === undefined ? ["--format", format, `-o FILE.${format}`] : ["--compress", compression, "--output"];
    throw flagError(flag, `${quoted(value)} would write binary data to the terminal; redirect stdout or use ${name}.`);
  }
  return {
    format: format as Format,
    output,
    compression,
    noClobber: flags.clobber === false,
    links: flags.links === true,
  };
}

function compressedTwiceError(
  why: string,
  compression: Compression,
  { output = "", compress }: OutputFlags,
): UsageError {
  const byEnding = { flag: "--output", value: output, suggestions: [withoutCompressionEnding(output).stem] };
  return new UsageError(
    `${why}, and no reader accepts it compressed twice; leave out ${compression}.`,
    compress === undefined ? byEnding : { flag: "--compress" },
  );
}

/** The format that a file name ends in. @throws UsageError for Parquet if the command does not write it */
function formatOfName(name: string, formats: readonly string[]): string | undefined {
  const { format } = formatOfFile(name);
  if (format === "parquet" && !formats.includes(format)) {
    throw new UsageError(
      `${quoted(name)}: this command cannot write Parquet; \`catalog export\`, \`latest\`, \`index\` and \`sql\` do.`,
      { flag: "--output" },
    );
  }
  return /\.(md|markdown)$/i.test(withoutCompressionEnding(name).stem) ? "markdown" : format;
}
