import { extname } from "node:path";
import { UsageError } from "../../contract/errors.ts";
import { closest } from "../../contract/values/closest.ts";
import { quoted } from "../../contract/values/phrases.ts";
import {
  type Compression,
  withCompressionEnding,
  withoutCompressionEnding,
} from "../../export/destination/compression.ts";
import { FORMATS, formatOfFile, type RowFormat } from "../../export/formats/registry.ts";

/** Endings of formats, compressions and archives that the tool does not write. */
const FOREIGN: ReadonlySet<string> = new Set([
  ...["xlsm", "xlsb", "xls", "ods", "numbers", "arrow", "feather", "avro", "orc", "db", "duckdb", "sqlite"],
  ...["json5", "geojson", "yaml", "yml", "toml", "xml", "md", "markdown", "html", "htm", "pdf", "doc", "docx"],
  ...["gzip", "zstd", "zip", "7z", "bz2", "xz", "lz4", "br", "rar", "tar", "tgz", "z"],
]);

interface FormatFlags {
  format?: string;
  compress?: Compression;
}

/**
 * Refuses an output whose name does not match its content: an ending of a format or compression that the command does not
 * write (`rows.avro`, `rows.csv.zip`), of another one than the flags name (`rows.xlsx` with `--format csv`), or, without
 * `--format`, a misspelt one (`rows.cvs`). A file with any other ending (`rows.txt`, `rows.2026`) gets the default format.
 *
 * @param formats the formats of the command
 * @throws UsageError, with the corrected name if it is clear
 */
export function refuseEnding(name: string, flags: FormatFlags, formats: readonly string[]): void {
  const { stem } = withoutCompressionEnding(name);
  const ending = /[^./\\]\.([^./\\]+)$/.exec(stem)?.[1]?.toLowerCase();
  if (ending === undefined) {
    return;
  }
  const written = extensionsOf(formats);
  const rowFormat = formatOfFile(name).format;
  if (rowFormat !== undefined || written.includes(ending)) {
    refuseContradiction(name, flags, rowFormat, written.includes(ending));
    return;
  }
  const [meant] = flags.format === undefined ? closest(ending, written, 1) : [];
  const isForeign = FOREIGN.has(ending) && ending !== flags.compress;
  if (meant !== undefined || isForeign) {
    const other = isForeign ? "" : ` With --format, the name may end in .${ending}.`;
    throw new UsageError(
      `${quoted(name)}: this command does not write .${ending}; the formats are ${formats.join(", ")}, compressed with .gz or .zst.${other}`,
      {
        flag: "--output",
        value: name,
        suggestions: meant === undefined ? [] : [stem.slice(0, -ending.length) + meant + name.slice(stem.length)],
      },
    );
  }
}

/**
 * @param rowFormat the format of the ending; undefined for one without rows, such as `.md`
 * @param isWritten whether the command writes this format, so that leaving out the flag is a solution, too
 */
function refuseContradiction(
  name: string,
  { format, compress }: FormatFlags,
  rowFormat: RowFormat | undefined,
  isWritten: boolean,
): void {
  const { stem, compression } = withoutCompressionEnding(name);
  const extensions = format === undefined ? [] : extensionsOf([format]);
  const ending = extname(stem).slice(1);
  const refuse = (what: string, flag: string, value: string) => {
    const other = isWritten ? `, or leave out ${flag}` : "";
    throw new UsageError(`${what}${other}.`, { flag: "--output", value: name, suggestions: [value] });
  };
  if (format !== undefined && !extensions.includes(ending.toLowerCase())) {
    const usual = format === "table" || format === "text" ? "txt" : extensions[0];
    const value = stem.slice(0, -ending.length) + usual + name.slice(stem.length);
    refuse(`${quoted(name)} would contain ${format}: name the file ${quoted(value)}`, `--format ${format}`, value);
  }
  const isCompressible = rowFormat !== undefined && FORMATS[rowFormat].compressedBy === undefined;
  if (compress !== undefined && compression === undefined && isCompressible) {
    const value = withCompressionEnding(name, compress);
    refuse(`${quoted(name)} would be compressed: name the file ${quoted(value)}`, `--compress ${compress}`, value);
  }
}

function extensionsOf(formats: readonly string[]): string[] {
  return formats.flatMap((format) =>
    format === "markdown" ? ["md", format] : (FORMATS[format as keyof typeof FORMATS]?.extensions ?? [format]),
  );
}
