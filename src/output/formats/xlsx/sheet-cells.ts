import type { RowBatch } from "../../../rows/batch.ts";
import type { EncoderOptions } from "../encoder.ts";
import { byteText, byteTexts, utf8Of } from "../row-members.ts";
import { type CellKind, kindsOf } from "./cell-kinds.ts";
import { cellText, cutText, dateSerial, isSheetNumber, LONGEST_TEXT, timestampSerial } from "./cell-text.ts";
import type { SheetLinks } from "./sheet-links.ts";
import { columnLetters, STYLES } from "./workbook-parts.ts";

/** In the bytes of a JSON string: what the text of a cell holds otherwise. U+FFFE and U+FFFF begin with the byte EF. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: XML lacks control characters.
const SPECIAL = /[\\&<>\xef\x00-\x1f]|_x|^" | "$/;

interface SheetColumn {
  name: string;
  kind: CellKind | undefined;
  letters: string;
}

/** The rows of a sheet as XML, a line each. A null is no cell; an object or array is its JSON text. */
export function sheetCells(names: readonly string[], links: SheetLinks, options: EncoderOptions) {
  const kindOf = kindsOf(options);
  const columns = names.map((name, index): SheetColumn => {
    const kind = kindOf(name);
    return { name, kind: kind === "link" && !options.links ? undefined : kind, letters: columnLetters(index) };
  });

  /** A cell from the JSON text of its value, with a character for each byte as the result. */
  function cellOf(raw: string, column: SheetColumn, line: number): string {
    const place = `${column.letters}${line}`;
    if (raw.startsWith('"')) {
      return stringCell(place, raw, column);
    }
    if (raw === "null") {
      return "";
    }
    if (raw === "true" || raw === "false") {
      return `<c r="${place}" t="b"><v>${raw === "true" ? 1 : 0}</v></c>`;
    }
    return /^[-\d]/.test(raw) && isSheetNumber(raw)
      ? numberCell(place, raw, column.kind === "percent" ? STYLES.percent : undefined)
      : textCell(place, utf8Of(raw), column.name);
  }

  function stringCell(place: string, raw: string, { name, kind }: SheetColumn): string {
    const isText = kind === undefined || kind === "percent";
    if (isText && raw.length <= LONGEST_TEXT && !SPECIAL.test(raw)) {
      return inlineCell(place, raw.slice(1, -1), STYLES.text);
    }
    const text = JSON.parse(utf8Of(raw)) as string;
    const serial = kind === "date" ? dateSerial(text) : kind === "timestamp" ? timestampSerial(text) : undefined;
    if (serial !== undefined) {
      return numberCell(place, String(serial), kind === "date" ? STYLES.date : STYLES.timestamp);
    }
    return textCell(place, text, name, kind === "link" && links.add(place, text) ? STYLES.link : STYLES.text);
  }

  function textCell(place: string, text: string, column: string, style: number = STYLES.text): string {
    const shown = cutText(text);
    if (shown.length < text.length) {
      options.onLoss?.("end", column);
    }
    if (/\p{Surrogate}/u.test(shown)) {
      options.onLoss?.("surrogate", column);
    }
    // A reader of XML may drop white space at the ends of a text.
    const space = shown.trim().length < shown.length ? ' xml:space="preserve"' : "";
    return inlineCell(place, byteText(cellText(shown)), style, space);
  }

  return {
    header: (): string => {
      const cells = columns.map(({ name, letters }) => textCell(`${letters}1`, name, name, STYLES.header));
      return `<row r="1">${cells.join("")}</row>\n`;
    },
    /**
     * @returns the row as the given line of the sheet, from 2, with a character for each byte; throws `ContractError` if it
     *   lacks a column
     */
    rowsOf: (rows: RowBatch): ((row: number, line: number) => string) => {
      const textOf = byteTexts(rows, names);
      return (row, line) => {
        const cells = columns.map((column, index) => cellOf(textOf(row, index), column, line));
        return `<row r="${line}">${cells.join("")}</row>\n`;
      };
    },
  };
}

function numberCell(place: string, digits: string, style: number | undefined): string {
  return `<c r="${place}"${style === undefined ? "" : ` s="${style}"`}><v>${digits}</v></c>`;
}

function inlineCell(place: string, text: string, style: number, space = ""): string {
  return `<c r="${place}" s="${style}" t="inlineStr"><is><t${space}>${text}</t></is></c>`;
}
