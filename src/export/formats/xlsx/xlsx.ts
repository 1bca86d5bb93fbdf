import { once } from "node:events";
import { PassThrough } from "node:stream";
import { ZipFile } from "yazl";
import { UsageError } from "../../../contract/errors.ts";
import { groupDigits } from "../../../contract/values/phrases.ts";
import type { EncoderOptions, RowEncoder } from "../encoder.ts";
import { ByteJoiner, byteText, columnsOf, reportUnknownMembers } from "../row-members.ts";
import { sheetCells } from "./sheet-cells.ts";
import {
  columnLetters,
  FIXED_PARTS,
  MAX_SHEET_COLUMNS,
  MAX_SHEET_ROWS,
  SHEET_PART,
  SHEET_RELATIONS_PART,
  sheetEnd,
  sheetRelations,
  sheetStart,
  WORKBOOK_PART,
  workbookPart,
} from "./workbook-parts.ts";

/** Maximum bytes of a sheet. Beyond 4 GiB an archive needs the extension ZIP64, which programs may lack. */
const MAX_SHEET_BYTES = 4_000_000_000;

/** Bytes of a sheet that are compressed at once. */
const BLOCK_BYTES = 1024 * 1024;

/** Every part has the first date of ZIP, in any time zone, so that the same rows give the same bytes. */
const NO_DATE = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true };

/**
 * A workbook with one sheet (ISO/IEC 29500-1): a header that stays in view and has filter buttons, text as text, numbers as
 * numbers, days as dates, percentages as percentages, and addresses as links if these are asked for. Memory: a few blocks
 * of the sheet, and the links.
 */
export function createXlsxEncoder(options: EncoderOptions): RowEncoder {
  const { columns, links, header, rowsOf } = sheetCells(columnsOf(options), options);
  const archive = new ZipFile();
  const sheet = new PassThrough();
  const packed: Buffer[] = [];
  archive.outputStream.on("data", (chunk: Buffer) => packed.push(chunk));
  /** What is not in the archive yet. */
  let block = new ByteJoiner(BLOCK_BYTES);
  let rows = 0;
  let sheetBytes = 0;

  /**
   * Hands the block on; resolves when the archive takes more. Where blocks end does not depend on the sizes of the batches, so
   * that the same rows give the same bytes.
   */
  async function pack(): Promise<void> {
    sheetBytes += block.length;
    if (sheetBytes > MAX_SHEET_BYTES) {
      throw sheetLimitError(`${groupDigits(MAX_SHEET_BYTES)} bytes of XML`);
    }
    const isTaken = sheet.write(block.bytes());
    block = new ByteJoiner(BLOCK_BYTES);
    if (!isTaken) {
      await once(sheet, "drain");
    }
  }

  function addPart(name: string, xml: string): void {
    archive.addBuffer(Buffer.from(xml), name, NO_DATE);
  }

  if (columns.length > MAX_SHEET_COLUMNS) {
    throw sheetLimitError(`${groupDigits(MAX_SHEET_COLUMNS)} columns`);
  }

  for (const [name, xml] of FIXED_PARTS) {
    addPart(name, xml);
  }
  archive.addReadStream(sheet, SHEET_PART, NO_DATE);
  block.add(byteText(sheetStart(columns)) + header());

  return {
    encode: async (batch) => {
      reportUnknownMembers(batch, options);
      const rowOf = rowsOf(batch);
      for (let row = 0; row < batch.length; row += 1) {
        if (rows === MAX_SHEET_ROWS) {
          throw sheetLimitError(`${groupDigits(MAX_SHEET_ROWS)} rows below its header`);
        }
        rows += 1;
        block.add(rowOf(row, rows + 1));
        if (block.length >= BLOCK_BYTES) {
          await pack();
        }
      }
      return Buffer.concat(packed.splice(0));
    },
    end: async function* () {
      const lastColumn = columnLetters(columns.length - 1);
      block.add(sheetEnd(links, `A1:${lastColumn}${rows + 1}`));
      await pack();
      sheet.end();
      addPart(WORKBOOK_PART, workbookPart(lastColumn, rows + 1));
      if (links.length > 0) {
        addPart(SHEET_RELATIONS_PART, sheetRelations(links));
      }
      const written = once(archive.outputStream, "end");
      archive.end();
      await written;
      yield Buffer.concat(packed.splice(0));
    },
  };
}

function sheetLimitError(limit: string): UsageError {
  return new UsageError(
    `a sheet of xlsx holds at most ${limit}, and there are more; write csv, or ask for fewer rows or columns`,
    { flag: "--format", value: "xlsx" },
  );
}
