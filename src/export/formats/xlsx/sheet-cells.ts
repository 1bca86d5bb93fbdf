import type { RowBatch } from "../../../rows/batch.ts";
import type { CellKind, EncoderOptions } from "../encoder.ts";
import { byteText, byteTexts, utf8Of } from "../row-members.ts";
import {
  cellText,
  cutText,
  dateSerial,
  isSheetNumber,
  LONGEST_TEXT,
  linkTarget,
  timestampSerial,
} from "./cell-text.ts";
import { columnLetters, type SheetLink, STYLES } from "./workbook-parts.ts";

/** Maximum number of links in a sheet that Excel opens. */
const MAX_SHEET_LINKS = 65_530;

/** In rows and in answers, columns of one kind have the same ending: `crawl_date`, `before_date`. */
const KIND_OF_ENDING: readonly (readonly [ending: RegExp, kind: CellKind])[] = [
  [/(?:^|_)(?:date|seen|since|period)$/, "date"],
  [/(?:^|_)url$/, "link"],
  [/(?:^|_)(?:percent|pct)$/, "percent"],
];

/** Bytes of a JSON string that a cell must write differently. U+FFFE and U+FFFF begin with the byte EF. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: XML lacks control characters.
const SPECIAL = /[\\&<>\xef\x00-\x1f]|_x|^" | "$/;

const TEXT_START = `" s="${STYLES.text}" t="inlineStr"><is><t>`;

interface SheetColumn {
  name: string;
  kind: CellKind | undefined;
  letters: string;
}

/** The rows of a sheet as XML, a line each. A null is no cell; an object or array is its JSON text. */
export function sheetCells(names: readonly string[], { kinds, links: hasLinks, onLoss }: EncoderOptions) {
  const kindOf = (name: string) => kinds?.[name] ?? KIND_OF_ENDING.find(([ending]) => ending.test(name))?.[1];
  const columns = names.map(
    (name, index): SheetColumn => ({ name, kind: kindOf(name), letters: columnLetters(index) }),
  );
  // They follow the rows in the file, so until then they are in memory.
  const links: SheetLink[] = [];
  let lastDay: { raw: string; serial?: number | undefined } = { raw: "" };

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
    const isLink = kind === "link" && hasLinks === true;
    const isText = !isLink && kind !== "date" && kind !== "timestamp";
    if (isText && raw.length <= LONGEST_TEXT && !SPECIAL.test(raw)) {
      // The same as `inlineCell`, but faster: most cells are of this kind.
      return `<c r="${place}${TEXT_START}${raw.slice(1, -1)}</t></is></c>`;
    }
    const serial = kind === "date" ? serialOfDay(raw) : kind === "timestamp" ? timestampSerial(textOf(raw)) : undefined;
    if (serial !== undefined) {
      return numberCell(place, String(serial), kind === "date" ? STYLES.date : STYLES.timestamp);
    }
    const text = textOf(raw);
    return textCell(place, text, name, isLink && addLink(place, text, name) ? STYLES.link : STYLES.text);
  }

  /** A day in days as a sheet counts them; often that of the row before. */
  function serialOfDay(raw: string): number | undefined {
    if (raw !== lastDay.raw) {
      lastDay = { raw, serial: dateSerial(textOf(raw)) };
    }
    return lastDay.serial;
  }

  /** Makes a cell a link; false if it stays text. */
  function addLink(place: string, address: string, column: string): boolean {
    const target = linkTarget(address);
    if (target === undefined) {
      return false;
    }
    if (links.length === MAX_SHEET_LINKS) {
      onLoss?.("link", column);
      return false;
    }
    links.push([place, target]);
    return true;
  }

  function textCell(place: string, text: string, column: string, style: number = STYLES.text): string {
    const shown = cutText(text);
    if (shown.length < text.length) {
      onLoss?.("truncated", column);
    }
    if (/\p{Surrogate}/u.test(shown)) {
      onLoss?.("surrogate", column);
    }
    // A reader of XML may drop white space at the ends of a text.
    const space = shown.trim().length < shown.length ? ' xml:space="preserve"' : "";
    return inlineCell(place, byteText(cellText(shown)), style, space);
  }

  return {
    columns,
    links,
    header: (): string => {
      const cells = columns.map(({ name, letters }) => textCell(`${letters}1`, name, name, STYLES.header));
      return `<row r="1">${cells.join("")}</row>\n`;
    },
    /**
     * @returns the row as the given line of the sheet, from 2, with a character for each byte; throws `ContractError` if it
     *   lacks a column
     */
    rowsOf: (rows: RowBatch): ((row: number, line: number) => string) => {
      const rawOf = byteTexts(rows, names);
      return (row, line) => {
        let xml = `<row r="${line}">`;
        for (let index = 0; index < columns.length; index += 1) {
          xml += cellOf(rawOf(row, index), columns[index] as SheetColumn, line);
        }
        return `${xml}</row>\n`;
      };
    },
  };
}

/** The text of a JSON string, whose bytes are the characters of `raw`. */
function textOf(raw: string): string {
  return JSON.parse(utf8Of(raw)) as string;
}

function numberCell(place: string, digits: string, style: number | undefined): string {
  return `<c r="${place}"${style === undefined ? "" : ` s="${style}"`}><v>${digits}</v></c>`;
}

function inlineCell(place: string, text: string, style: number, space = ""): string {
  return `<c r="${place}" s="${style}" t="inlineStr"><is><t${space}>${text}</t></is></c>`;
}
