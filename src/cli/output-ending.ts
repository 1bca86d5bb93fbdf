import type { Command } from "commander";
import type { Context } from "../context.ts";
import { editDistance } from "../contract/edit-distance.ts";
import { COMPRESSIONS, withCompressionEnding, withoutCompressionEnding } from "../output/destination/compression.ts";
import { FORMATS } from "../output/formats/registry.ts";
import { parseGlobals } from "./flags/global.ts";
import type { OutputFlags } from "./flags/output.ts";
import { quoted } from "./flags/values.ts";
import { createReporter } from "./reporter.ts";

/** Endings of files that are more than text; a spreadsheet opens CSV, too. */
const SPREADSHEETS: ReadonlySet<string> = new Set(["xlsx", "xls", "ods"]);

/**
 * Warns of an output whose name seems to end in a format or a compression, but misspelt: `rows.cvs`, or in that
 * of a spreadsheet. Any other name is
 * taken as it is, since a name without a known ending is promised the default format.
 */
export function warnOfEnding(command: Command, context: Context): void {
  const flags = command.opts<OutputFlags & { partitionBy?: string }>();
  const formats = command.options.find(({ long }) => long === "--format")?.argChoices ?? [];
  const warning =
    flags.output === undefined || flags.partitionBy !== undefined ? undefined : doubtOf(flags.output, flags, formats);
  if (warning !== undefined) {
    createReporter(parseGlobals(command), context).warn(warning);
  }
}

function doubtOf(name: string, flags: OutputFlags, formats: readonly string[]): string | undefined {
  const { stem, compression } = withoutCompressionEnding(name);
  const ending = /[^./\\]\.([^./\\]{2,})$/.exec(stem)?.[1] ?? "";
  if (ending === "" || extensionsOf(formats).includes(ending.toLowerCase())) {
    return undefined;
  }
  const renamed = (meant: string) => quoted(stem.slice(0, -ending.length) + meant + name.slice(stem.length));
  if (compression === undefined && flags.compress === undefined) {
    const known = COMPRESSIONS.map((codec) => ({ codec, extension: withCompressionEnding("", codec).slice(1) }));
    const meant = known.find(({ codec, extension }) => nearest(ending, [codec, extension]) !== undefined);
    if (meant !== undefined) {
      return `${quoted(name)} is not compressed; did you mean ${renamed(meant.extension)}? --compress ${meant.codec} takes any name.`;
    }
  }
  const meant = flags.format === undefined ? meantBy(ending.toLowerCase(), extensionsOf(formats)) : undefined;
  const format = formats.find((candidate) => meant !== undefined && extensionsOf([candidate]).includes(meant));
  return meant === undefined
    ? undefined
    : `the ending of ${quoted(name)} is that of no format; did you mean ${renamed(meant)}? The default format is written; -f ${format} takes any name.`;
}

/** The known ending that a misspelt one means, or the one that the program of a foreign one opens. */
function meantBy(ending: string, known: readonly string[]): string | undefined {
  return SPREADSHEETS.has(ending) ? "csv" : nearest(ending, known);
}

function extensionsOf(formats: readonly string[]): string[] {
  return formats.flatMap((format) => FORMATS[format as keyof typeof FORMATS]?.extensions ?? [format]);
}

/** The known ending that is meant: one letter off, two where it is long. */
function nearest(ending: string, known: readonly string[]): string | undefined {
  return known
    .map((extension) => ({ extension, edits: editDistance(ending.toLowerCase(), extension) }))
    .filter(({ extension, edits }) => edits <= (extension.length > 4 ? 2 : 1))
    .sort((a, b) => a.edits - b.edits)[0]?.extension;
}
