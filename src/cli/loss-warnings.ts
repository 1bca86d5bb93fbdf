import type { EncoderOptions } from "../output/formats/encoder.ts";
import type { RowFormat } from "../output/formats/registry.ts";
import { reportOnce } from "../output/formats/row-members.ts";
import type { Reporter } from "./reporter.ts";

/** Warns once about each thing that a format cannot represent. */
export function lossWarnings(format: RowFormat, reporter: Reporter): Partial<EncoderOptions> {
  const warn = reportOnce((text) => reporter.warn(text));
  return {
    onUnknownMember: (name) => warn(`rows hold ${JSON.stringify(name)}, which ${format} leaves out; ndjson keeps it`),
    onLoneSurrogate: (column) => warn(`${column} holds half a surrogate pair, written as U+FFFD; ndjson keeps it`),
    onRounded: (column) =>
      warn(`${column} holds a number that no double is equal to, so it is written rounded; ndjson keeps it`),
    onCut: (column) => warn(`${column} holds a text longer than the 32,767 characters of a cell, cut; ndjson keeps it`),
    onPlainLinks: () => reporter.note("a sheet holds 65,530 links; the addresses after them are plain text"),
  };
}
