import type { RowBatch } from "../../../rows/batch.ts";
import { QUOTE } from "../../../rows/json-bytes.ts";
import type { EncoderOptions } from "../encoder.ts";
import type { OutputBytes } from "../output-bytes.ts";
import { missingMember, reportOnce } from "../row-members.ts";
import { type CellKind, PRODUCT_KINDS } from "./cell-kinds.ts";
import { addPlainText, cellText, cutText, hasOuterSpace } from "./cell-text.ts";
import { dateSerial, isSheetNumber, timestampSerial } from "./cell-values.ts";
import type { SheetLinks } from "./sheet-links.ts";
import { columnLetters, STYLES } from "./workbook-parts.ts";

const MINUS = 45;
const NINE = 57;
const LETTER_F = 102;
const LETTER_N = 110;
const LETTER_T = 116;

const NUMBER_START = Buffer.from('"><v>');
const PERCENT_START = Buffer.from(`" s="${STYLES.percent}"><v>`);
const NUMBER_END = Buffer.from("</v></c>");
const PLAIN_TEXT = Buffer.from(`" s="${STYLES.text}" t="inlineStr"><is><t>`);
const TEXT_END = Buffer.from("</t></is></c>");
const ROW_END = Buffer.from("</row>\n");

/** Bytes of an empty JSON string. */
const EMPTY_STRING = 2;

/** Most days and times that are remembered. */
const REMEMBERED = 1_000;

interface SheetColumn {
  name: string;
  kind: CellKind | undefined;
  letters: string;
  /** The cell up to the number of its line. */
  start: Buffer;
}

/**
 * Adds rows to a sheet, a line each. A null is no cell; an object or array is its JSON text.
 *
 * @param output receives the lines
 */
export function sheetCells(names: readonly string[], output: OutputBytes, links: SheetLinks, options: EncoderOptions) {
  const { kinds = PRODUCT_KINDS } = options;
  const columns = names.map((name, index): SheetColumn => {
    const letters = columnLetters(index);
    const kind = kinds[name] === "link" && !options.links ? undefined : kinds[name];
    return { name, kind, letters, start: Buffer.from(`<c r="${letters}`) };
  });
  const reportCut = reportOnce(options.onCut);
  const reportSurrogate = reportOnce(options.onLoneSurrogate);
  const serials = new Map<string, number | undefined>();

  function addHeader(): void {
    output.addText('<row r="1">');
    for (const { name, letters } of columns) {
      output.addText(`<c r="${letters}1`);
      addText(name, name, STYLES.header);
    }
    add(ROW_END);
  }

  /**
   * @param numbers of the columns in the batch
   * @param line number of the row in the sheet, from 2
   * @throws ContractError if the row lacks a column
   */
  function addRow(rows: RowBatch, row: number, numbers: readonly number[], line: number): void {
    const lineText = String(line);
    output.addText(`<row r="${lineText}">`);
    for (const [index, column] of columns.entries()) {
      const start = rows.valueStart(row, numbers[index] as number);
      if (start === 0) {
        throw missingMember(rows, row, column.name);
      }
      if (rows.bytes[start] !== LETTER_N) {
        add(column.start);
        output.addText(lineText);
        addValue(rows.bytes, start, rows.valueEnd(row, numbers[index] as number), column, lineText);
      }
    }
    add(ROW_END);
  }

  function addValue(bytes: Buffer, start: number, end: number, column: SheetColumn, line: string): void {
    const first = bytes[start] as number;
    if (first === QUOTE) {
      addString(bytes, start, end, column, line);
    } else if (first >= MINUS && first <= NINE) {
      addNumber(bytes, start, end, column);
    } else if (first === LETTER_T || first === LETTER_F) {
      output.addText(`" t="b"><v>${first === LETTER_T ? 1 : 0}</v></c>`);
    } else {
      addText(bytes.toString("utf8", start, end), column.name);
    }
  }

  function addNumber(bytes: Buffer, start: number, end: number, { name, kind }: SheetColumn): void {
    const raw = bytes.toString("latin1", start, end);
    if (!isSheetNumber(raw)) {
      addText(raw, name);
      return;
    }
    add(kind === "percent" ? PERCENT_START : NUMBER_START);
    output.addPart(bytes, start, end);
    add(NUMBER_END);
  }

  function addString(
    bytes: Buffer,
    start: number,
    end: number,
    { name, kind, letters }: SheetColumn,
    line: string,
  ): void {
    const isEmpty = end - start === EMPTY_STRING;
    if (kind === undefined || kind === "percent" || (kind === "link" && (isEmpty || links.isFull()))) {
      add(PLAIN_TEXT);
      if (addPlainText(bytes, start + 1, end - 1, output)) {
        add(TEXT_END);
        return;
      }
      output.length -= PLAIN_TEXT.length;
    }
    const text = JSON.parse(bytes.toString("utf8", start, end)) as string;
    const serial = kind === "date" || kind === "timestamp" ? serialOf(kind, text) : undefined;
    if (serial !== undefined) {
      output.addText(`" s="${kind === "date" ? STYLES.date : STYLES.timestamp}"><v>${serial}</v></c>`);
      return;
    }
    const isLink = kind === "link" && links.add(letters + line, text);
    addText(text, name, isLink ? STYLES.link : STYLES.text);
  }

  function addText(text: string, column: string, style: number = STYLES.text): void {
    const shown = cutText(text);
    if (shown.length < text.length) {
      reportCut(column);
    }
    if (/\p{Surrogate}/u.test(shown)) {
      reportSurrogate(column);
    }
    const space = hasOuterSpace(shown) ? ' xml:space="preserve"' : "";
    output.addText(`" s="${style}" t="inlineStr"><is><t${space}>${cellText(shown)}</t></is></c>`);
  }

  function serialOf(kind: "date" | "timestamp", text: string): number | undefined {
    if (serials.has(text)) {
      return serials.get(text);
    }
    const serial = kind === "date" ? dateSerial(text) : timestampSerial(text);
    if (serials.size < REMEMBERED) {
      serials.set(text, serial);
    }
    return serial;
  }

  function add(part: Buffer): void {
    output.addPart(part, 0, part.length);
  }

  return { addHeader, addRow };
}
