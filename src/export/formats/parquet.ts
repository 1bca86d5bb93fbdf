import { createReadStream } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { ContractError } from "../../contract/errors.ts";
import { isCalendarDate } from "../../contract/filters.ts";
import { productSchema } from "../../contract/product.ts";
import { isExactDouble } from "../../contract/values/decimal.ts";
import { type DuckDb, fileGlob, loadDuckDb, openDuckDb, sqlText } from "../../files/duckdb.ts";
import { createOwnFile, removeOwnFile } from "../../files/own-file.ts";
import { fileError, withFileError } from "../../files/system-error.ts";
import type { RowBatch } from "../../rows/batch.ts";
import {
  type ColumnType,
  type CreateEncoder,
  type EncoderOptions,
  type RowEncoder,
  scratchFilesOf,
} from "./encoder.ts";
import { ByteJoiner, byteText, byteTexts, columnsOf, identityOf, reportUnknownMembers, utf8Of } from "./row-members.ts";

/** Maximum number of rows of a row group. DuckDB works in steps of `STEP_ROWS`. */
export const ROW_GROUP_ROWS = 20_480;
const STEP_ROWS = 2_048;

/** Row groups of long rows are kept to about this many bytes of JSON. */
const ROW_GROUP_BYTES = 64 * 1024 * 1024;

const SMALLEST_OBJECT_LIMIT = 1024 * 1024;

/** Memory limit of DuckDB in bytes. */
export const PARQUET_MEMORY = 256 * 1024 * 1024;

/** The member of the metadata that names the tool; `sync --adopt` recognises its own files by it. */
export const WRITER_KEY = "writer";
export const PARQUET_WRITER = "retail-catalog-cli";

/** How DuckDB writes each Parquet file of this tool. */
export const COPY_OPTIONS = `FORMAT parquet, COMPRESSION zstd, KV_METADATA {${WRITER_KEY}: ${sqlText(PARQUET_WRITER)}}`;

const SQL_TYPES = { string: "VARCHAR", number: "DOUBLE", integer: "BIGINT", date: "DATE", boolean: "BOOLEAN" } as const;

/** How each kind of value is written in JSON. */
const FITS: Readonly<Record<ColumnType["kind"], (raw: string) => boolean>> = {
  string: (raw) => raw.startsWith('"'),
  number: (raw) => /^[-\d]/.test(raw) && Number.isFinite(Number(raw)),
  integer: (raw) => /^-?\d{1,18}$/.test(raw),
  date: (raw) => raw.startsWith('"') && isCalendarDate(JSON.parse(raw) as string),
  boolean: (raw) => raw === "true" || raw === "false",
};

function contractType(name: string): ColumnType {
  const properties: Readonly<Record<string, { type: string | readonly string[]; format?: string }>> =
    productSchema.properties;
  const property = properties[name];
  return {
    kind: property?.type === "number" ? "number" : property?.format === "date" ? "date" : "string",
    nullable: property?.type.includes("null") ?? false,
  };
}

/**
 * Loads DuckDB, which writes Parquet. The first file opens it for as many as needed.
 *
 * @param signal ends the writing of a file
 */
export async function loadParquet(signal: AbortSignal): Promise<CreateEncoder> {
  await loadDuckDb();
  // One thread: the same rows give the same bytes. Without the threshold, the allocator keeps the memory of each file for the
  // next one.
  const setUp = ["SET allocator_bulk_deallocation_flush_threshold = '1MB'"];
  let opened: Promise<DuckDb> | undefined;
  const open = () => {
    opened ??= openDuckDb({ threads: 1, memory: PARQUET_MEMORY, setUp, signal });
    return opened;
  };
  return (options, scratchPath) => createParquetEncoder(open, options, scratchPath);
}

/**
 * Apache Parquet with the types of the contract or of the caller, compressed with zstd. Rows are collected as NDJSON in a
 * file beside the output, which DuckDB converts at the end. Memory is bounded by a row group.
 */
function createParquetEncoder(
  open: () => Promise<DuckDb>,
  options: EncoderOptions,
  scratchPath: () => Promise<string>,
): RowEncoder {
  const names = columnsOf(options);
  const types = names.map((name) => options.types?.[name] ?? contractType(name));
  const check = valueCheck(names, types, options);
  const starts = names.map((name, index) => byteText(`${index === 0 ? "{" : ","}${JSON.stringify(name)}:`));
  let scratch: Scratch | undefined;
  let [rows, bytes, longest] = [0, 0, 0];

  const encode = async (batch: RowBatch) => {
    reportUnknownMembers(batch, options);
    const textOf = byteTexts(batch, names);
    const lines = new ByteJoiner(batch.lines().length);
    for (let row = 0; row < batch.length; row += 1) {
      let line = "";
      for (let index = 0; index < names.length; index += 1) {
        line += starts[index] + check(textOf(row, index), index, batch, row);
      }
      lines.add(`${line}}\n`);
      longest = Math.max(longest, line.length + 2);
    }
    rows += batch.length;
    bytes += lines.length;
    scratch ??= await createScratch(await scratchPath());
    const { rowsPath, file } = scratch;
    await withFileError(rowsPath, () => file.writeFile(lines.bytes()));
    return "";
  };

  /** @returns the path of the Parquet file */
  const copy = async (): Promise<string> => {
    scratch ??= await createScratch(await scratchPath());
    const { rowsPath, resultPath, file } = scratch;
    await file.close();
    const columns = names.map((name, index) => `${sqlText(name)}: '${SQL_TYPES[types[index]?.kind ?? "string"]}'`);
    const source = `read_json(${sqlText(fileGlob(rowsPath))}, columns = {${columns.join(", ")}},
      format = 'newline_delimited', maximum_object_size = ${Math.max(longest, SMALLEST_OBJECT_LIMIT)})`;
    const size = `ROW_GROUP_SIZE ${rowGroupRows(rows, bytes)}`;
    await removeOwnFile(resultPath);
    const duckDb = await open();
    await duckDb
      .until((connection) =>
        connection.run(`COPY (FROM ${source}) TO ${sqlText(resultPath)} (${COPY_OPTIONS}, ${size})`),
      )
      .catch((error: unknown) => {
        throw duckDb.signal.aborted ? error : fileError(resultPath, error);
      });
    return resultPath;
  };

  return {
    encode,
    end: async function* () {
      yield* createReadStream(await copy());
    },
    close: async () => {
      if (scratch !== undefined) {
        // It may be closed already.
        await scratch.file.close().catch(() => undefined);
        await removeOwnFile(scratch.rowsPath);
        await removeOwnFile(scratch.resultPath);
      }
    },
  };
}

/** The files of an encoder. */
interface Scratch {
  rowsPath: string;
  file: FileHandle;
  resultPath: string;
}

/** Creates the file of rows in place of one that a killed run may have left. */
async function createScratch(path: string): Promise<Scratch> {
  const [rowsPath, resultPath] = scratchFilesOf(path);
  await removeOwnFile(rowsPath);
  return { rowsPath, file: await createOwnFile(rowsPath, { mode: 0o600 }), resultPath };
}

/** Rows of each row group, so that it has about `ROW_GROUP_BYTES` at most. */
function rowGroupRows(rows: number, bytes: number): number {
  const steps = Math.floor(ROW_GROUP_BYTES / STEP_ROWS / (bytes / Math.max(rows, 1)));
  return Math.min(ROW_GROUP_ROWS, Math.max(1, steps) * STEP_ROWS);
}

/**
 * Checks values, and replaces what Parquet cannot hold. Texts have one character for each byte.
 *
 * @returns a function that gives the JSON text for DuckDB; it throws `ContractError` if a value does not fit its column
 */
function valueCheck(names: readonly string[], types: readonly ColumnType[], { onLoss }: EncoderOptions) {
  // Values often repeat from row to row.
  const last: string[] = [];
  const lastChecked: string[] = [];
  return (raw: string, index: number, batch: RowBatch, row: number): string => {
    if (raw !== last[index]) {
      const [name = "", { kind, nullable } = contractType(name)] = [names[index], types[index]];
      if (!FITS[kind](raw) && !(nullable && raw === "null")) {
        throw new ContractError(
          `the service sent "${name}" as ${utf8Of(raw).slice(0, 80)} (${identityOf(batch, row)}), which is not a valid ${kind}; ndjson can carry it`,
        );
      }
      last[index] = raw;
      lastChecked[index] = kind === "string" ? wellFormed(raw, () => onLoss?.("surrogate", name)) : unsigned(raw);
      if (kind === "number" && raw !== "null" && !isExactDouble(raw)) {
        onLoss?.("digits", name);
      }
    }
    return lastChecked[index] ?? raw;
  };
}

/** Drops the sign of zero, so that equal values have equal bytes. */
function unsigned(raw: string): string {
  return raw.startsWith("-") && Number(raw) === 0 ? "0" : raw;
}

/** An escape in a JSON text: a pair of surrogates, a lone one, or anything else. */
const ESCAPE = /\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|(u[dD][89a-fA-F]\w\w)|.)/g;

/** The JSON text of a string with U+FFFD in place of each escape of a lone surrogate, which DuckDB refuses. */
function wellFormed(raw: string, onLoss: () => void): string {
  if (!/\\u[dD]/.test(raw)) {
    return raw;
  }
  return raw.replace(ESCAPE, (sequence: string, lone: string | undefined) => {
    if (lone === undefined) {
      return sequence;
    }
    onLoss();
    return "\\ufffd";
  });
}
