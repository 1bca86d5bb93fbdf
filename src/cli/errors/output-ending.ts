import { extname } from "node:path";
import { UsageError } from "../../contract/errors.ts";
import { misspelt } from "../../contract/values/closest.ts";
import {
  COMPRESSIONS,
  type Compression,
  withCompressionEnding,
  withoutCompressionEnding,
} from "../../export/destination/compression.ts";
import { FORMATS, formatOfFile, type RowFormat } from "../../export/formats/registry.ts";
import { quoted } from "../flags/values.ts";

/** File extensions of formats that the tool does not write, each with the closest format that it writes, if any. */
const FOREIGN: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(["xlsm", "xlsb", "xls", "ods", "numbers"].map((ending) => [ending, "xlsx"])),
  ...Object.fromEntries(["arrow", "feather", "avro", "orc", "db", "duckdb", "sqlite"].map((end) => [end, "parquet"])),
  ...Object.fromEntries(["json5", "geojson", "yaml", "yml", "toml", "xml"].map((ending) => [ending, "json"])),
  ...Object.fromEntries(["md", "markdown", "html", "htm", "pdf", "doc", "docx"].map((ending) => [ending, undefined])),
};

/** File extensions of compressions and archives that the tool does not write. */
const FOREIGN_CODECS: ReadonlySet<string> = new Set(["zip", "7z", "bz2", "xz", "lz4", "br", "rar", "tar", "tgz", "z"]);

/**
 * Refuses an output whose name does not match its content: the extension of a format or compression that the command
 * does not write (`rows.xls`, `rows.csv.zip`), of another one than the flags name (`rows.xlsx` with `--format csv`), or a
 * misspelt one (`rows.cvs`) if no flag names the format. Any other extension (`rows.txt`, `rows.bak`, `rows.2026`) is accepted; such a file has the default format.
 *
 * @param formats the formats of the command
 * @throws UsageError that suggests a corrected name
 */
export function refuseEnding(
  name: string,
  flags: { format?: string; compress?: Compression },
  formats: readonly string[],
): void {
  const { stem, compression } = withoutCompressionEnding(name);
  const ending = /[^./\\]\.([^./\\]+)$/.exec(stem)?.[1]?.toLowerCase() ?? "";
  const known = extensionsOf(formats);
  if (ending === "") {
    return;
  }
  const named = formatOfFile(name).format;
  if (named !== undefined || known.includes(ending)) {
    refuseContradiction(name, flags, named, known.includes(ending));
    return;
  }
  const renamed = (meant: string) => stem.slice(0, -ending.length) + meant + name.slice(stem.length);
  const refusal = (what: string, meant: string | undefined) =>
    new UsageError(`${quoted(name)}: ${what}.`, {
      flag: "--output",
      value: name,
      suggestions: meant === undefined ? [] : [renamed(meant)],
    });
  if (compression === undefined && flags.compress === undefined) {
    const codecs = COMPRESSIONS.map((codec) => ({ codec, extension: withCompressionEnding("", codec).slice(1) }));
    const meant = codecs.find(({ codec, extension }) => misspelt(ending, [codec, extension]) !== undefined);
    if (meant !== undefined || FOREIGN_CODECS.has(ending)) {
      throw refusal(`.${ending} is not a compression of this tool; .gz and .zst are`, meant?.extension ?? "gz");
    }
  }
  if (Object.hasOwn(FOREIGN, ending)) {
    const instead = FOREIGN[ending];
    const meant = instead !== undefined && known.includes(instead) ? instead : undefined;
    throw refusal(
      `.${ending} is a format that this command does not write; the formats are ${formats.join(", ")}`,
      meant,
    );
  }
  const meant = flags.format === undefined ? misspelt(ending, known) : undefined;
  if (meant !== undefined) {
    throw refusal(`.${ending} is not the ending of a format; use --format to write to a file of any name`, meant);
  }
}

/**
 * @param named the format of the ending; undefined for one that is not a format of rows, such as `.md`
 * @param isWritten whether the command writes this format, so that the name is right without the flag
 */
function refuseContradiction(
  name: string,
  { format, compress }: { format?: string; compress?: Compression },
  named: RowFormat | undefined,
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
    const usual = format === "table" ? "txt" : extensions[0];
    const value = stem.slice(0, -ending.length) + usual + name.slice(stem.length);
    refuse(`${quoted(name)} would hold ${format}: name the file ${quoted(value)}`, `--format ${format}`, value);
  }
  const isCompressible = named !== undefined && FORMATS[named].compressedBy === undefined;
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
