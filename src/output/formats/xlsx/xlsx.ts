import { promisify } from "node:util";
import { constants, crc32, deflateRaw, deflateRawSync, inflateRawSync } from "node:zlib";
import { groupDigits } from "../../../contract/values/decimal.ts";
import { UsageError } from "../../../errors.ts";
import type { EncoderOptions, RowEncoder } from "../encoder.ts";
import { OutputBytes } from "../output-bytes.ts";
import { reportUnknownMembers } from "../row-members.ts";
import { PRODUCT_KINDS } from "./cell-kinds.ts";
import { sheetCells } from "./sheet-cells.ts";
import { type SheetLink, sheetLinks } from "./sheet-links.ts";
import {
  COLUMNS_OF_SHEET,
  columnLetters,
  FIXED_PARTS,
  ROWS_OF_SHEET,
  SHEET_PART,
  SHEET_RELATIONS_PART,
  sheetEnd,
  sheetRelations,
  sheetStart,
} from "./workbook-parts.ts";
import { centralDirectory, dataDescriptor, localHeader, wholeEntry, type ZipEntry } from "./zip-archive.ts";

/** Most bytes of a sheet. Beyond 4 GiB an archive needs the extension ZIP64, which programs may lack. */
const BYTES_OF_SHEET = 4_000_000_000;

/** Bytes of a sheet that are compressed at once. */
const BLOCK_BYTES = 1024 * 1024;

const compress = promisify(deflateRaw);

/** What another encoder needs to continue after a slice. */
interface SheetState {
  rows: number;
  /** Entries of the archive up to the sheet, whose sizes are those up to here. */
  entries: readonly ZipEntry[];
  /** Links of this slice. */
  links: readonly SheetLink[];
}

/**
 * A workbook with one sheet (ISO/IEC 29500-1): a header that stays in view, text as text, numbers as numbers, days as
 * dates, addresses as links. Memory: about two blocks, and the links. The sheet is compressed in blocks of their own, which
 * end with each slice, so that another encoder can continue after it and the bytes depend only on the rows and the slices.
 */
export function createXlsxEncoder(options: EncoderOptions): RowEncoder {
  const columns = options.chosen ?? options.known;
  const earlier = (options.restore ?? []).map(sliceStateOf);
  const last = earlier.at(-1);
  const entries: ZipEntry[] = last?.entries.map((entry) => ({ ...entry })) ?? [];
  const earlierLinks = earlier.flatMap((state) => state.links);
  let linksBefore = earlierLinks.length;
  const links = sheetLinks(earlierLinks, options.onPlainLinks);
  let rows = last?.rows ?? 0;
  const block = new OutputBytes(BLOCK_BYTES + BLOCK_BYTES / 4);
  const cells = sheetCells(columns, block, links, options);
  const reportUnknown = reportUnknownMembers(options);
  const sheet = () => entries.at(-1) as ZipEntry;

  /** Compresses the block. `isLast`: the sheet ends with it. */
  async function pack(isLast = false): Promise<Buffer> {
    const content = block.taken();
    const packed = await compress(content, { finishFlush: isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH });
    const entry = sheet();
    entry.crc = crc32(content, entry.crc);
    entry.size += content.length;
    entry.packed += packed.length;
    block.length = 0;
    if (entry.size > BYTES_OF_SHEET) {
      throw tooMuch(`${groupDigits(BYTES_OF_SHEET)} bytes of XML`);
    }
    return packed;
  }

  if (columns.length > COLUMNS_OF_SHEET) {
    throw tooMuch(`${groupDigits(COLUMNS_OF_SHEET)} columns`);
  }

  return {
    begin: () => {
      let parts: Buffer = Buffer.alloc(0);
      for (const [name, xml] of FIXED_PARTS) {
        const { entry, bytes } = wholeEntry(name, Buffer.from(xml), parts.length);
        entries.push(entry);
        parts = Buffer.concat([parts, bytes]);
      }
      entries.push({ name: SHEET_PART, crc: 0, size: 0, packed: 0, offset: parts.length, streamed: true });
      block.addText(sheetStart(columns, options.kinds ?? PRODUCT_KINDS));
      cells.addHeader();
      return Buffer.concat([parts, localHeader(sheet())]);
    },
    encode: async (batch) => {
      reportUnknown(batch);
      const numbers = columns.map((name) => batch.column(name));
      const packed: Buffer[] = [];
      for (let row = 0; row < batch.length; row += 1) {
        if (rows === ROWS_OF_SHEET) {
          throw tooMuch(`${groupDigits(ROWS_OF_SHEET)} rows below its header`);
        }
        rows += 1;
        cells.addRow(batch, row, numbers, rows + 1);
        if (block.length >= BLOCK_BYTES) {
          packed.push(await pack());
        }
      }
      return Buffer.concat(packed);
    },
    endSlice: async () => {
      const chunk = await pack();
      const state: SheetState = { rows, entries, links: links.all.slice(linksBefore) };
      linksBefore = links.all.length;
      return { chunk, state: deflateRawSync(JSON.stringify(state)).toString("base64") };
    },
    end: async () => {
      const lastCell = `${columnLetters(columns.length - 1)}${rows + 1}`;
      block.addText(sheetEnd(links.all, `A1:${lastCell}`));
      const parts = [await pack(true), dataDescriptor(sheet())];
      const { offset, packed } = sheet();
      let end = offset + localHeader(sheet()).length + packed + dataDescriptor(sheet()).length;
      if (links.all.length > 0) {
        const { entry, bytes } = wholeEntry(SHEET_RELATIONS_PART, Buffer.from(sheetRelations(links.all)), end);
        entries.push(entry);
        parts.push(bytes);
        end += bytes.length;
      }
      return Buffer.concat([...parts, centralDirectory(entries, end)]);
    },
  };
}

function sliceStateOf(text: string): SheetState {
  return JSON.parse(inflateRawSync(Buffer.from(text, "base64")).toString()) as SheetState;
}

function tooMuch(limit: string): UsageError {
  return new UsageError(
    `a sheet of xlsx holds at most ${limit}, and there are more; write csv, or ask for fewer rows or columns`,
    { flag: "--format", value: "xlsx" },
  );
}
