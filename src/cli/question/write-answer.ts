import type { ColumnType } from "../../export/formats/encoder.ts";
import type { RowFormat } from "../../export/formats/registry.ts";
import type { Answer, RowSelection } from "../../folder/ask/ask.ts";
import { batchOf } from "../../rows/scan.ts";
import type { Context } from "../context.ts";
import type { OutputOptions } from "../flags/output.ts";
import type { Reporter } from "../reporter.ts";
import { writeRows } from "../write-rows.ts";
import { type ColumnKind, namesOf, type QuestionColumn } from "./declaration.ts";

/** The type of each kind of column, for formats that have types. */
const TYPES: Readonly<Record<ColumnKind, ColumnType["kind"]>> = {
  text: "string",
  date: "date",
  price: "number",
  percent: "number",
  number: "number",
  integer: "integer",
  boolean: "boolean",
};

/** Writes rows of an answer in a format for programs; one chunk is in memory at a time. */
export async function writeAnswer(
  answer: Answer,
  selection: Omit<RowSelection, "columns">,
  columns: readonly QuestionColumn[],
  { output, columns: chosen }: { output: OutputOptions<RowFormat>; columns: readonly string[] | undefined },
  reporter: Reporter,
  context: Context,
): Promise<void> {
  const known = namesOf(columns);
  const names = chosen ?? known;
  const rows = answer.rows({ columns: names, ...selection });
  await writeRows(batchesOf(rows, names), output, { known, chosen, types: typesOf(columns) }, reporter, context);
}

async function* batchesOf(chunks: AsyncIterable<readonly string[]>, columns: readonly string[]) {
  for await (const texts of chunks) {
    yield batchOf(texts, columns);
  }
}

/** The types of the columns, for formats that have types. */
export function typesOf(columns: readonly QuestionColumn[]): Readonly<Record<string, ColumnType>> {
  return Object.fromEntries(columns.map(({ name, kind }) => [name, { kind: TYPES[kind], nullable: true }]));
}
