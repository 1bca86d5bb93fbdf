import type { Readable } from "node:stream";
import { openPromise } from "yauzl";
import { DAY, dayOf } from "../../../contract/values/day-arithmetic.ts";
import type { WrittenFile } from "../encoder.ts";
import { wholeLines } from "../json.ts";
import { DAY_ZERO } from "./cell-text.ts";
import { columnLetters, SHEET_PART, STYLES } from "./workbook-parts.ts";

/** Columns of the sheet of a workbook that this tool wrote, row by row, as texts. Each of its rows is one line. */
export async function* readXlsx(
  { path }: WrittenFile,
  columns: readonly string[],
): AsyncGenerator<Record<string, string>> {
  let wanted: (readonly [name: string, letters: string])[] | undefined;
  for await (const line of wholeLines(await openSheet(path))) {
    const [, number] = /^<row r="(\d+)">/.exec(line) ?? [];
    if (number === undefined) {
      continue;
    }
    if (wanted === undefined) {
      const header = line.match(/<t[^>]*>[^<]*<\/t>/g)?.map(textOfCell) ?? [];
      wanted = header.flatMap((name, index) => (columns.includes(name) ? [[name, columnLetters(index)]] : []));
      continue;
    }
    const cells = wanted.flatMap(([name, letters]) => {
      const value = cellValue(line, `<c r="${letters}${number}"`);
      return value === undefined ? [] : [[name, value]];
    });
    yield Object.fromEntries(cells);
  }
}

async function openSheet(path: string): Promise<Readable> {
  const archive = await openPromise(path, { autoClose: false });
  for await (const entry of archive.eachEntry()) {
    if (entry.fileName === SHEET_PART) {
      const sheet = await archive.openReadStreamPromise(entry);
      return sheet.once("close", () => archive.close());
    }
  }
  archive.close();
  throw new Error(`it has no ${SHEET_PART}`);
}

/** Undefined if the row lacks the cell, which is a null. */
function cellValue(line: string, start: string): string | undefined {
  const at = line.indexOf(start);
  if (at === -1) {
    return undefined;
  }
  const cell = line.slice(at, line.indexOf("</c>", at));
  const [, number] = /<v>(.*)<\/v>/.exec(cell) ?? [];
  if (number === undefined) {
    return textOfCell(cell);
  }
  return cell.includes(`s="${STYLES.date}"`) ? dayOf((DAY_ZERO + Number(number)) * DAY) : number;
}

const CHARACTERS: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&#10;": "\n" };

function textOfCell(cell: string): string {
  const [, text = ""] = /<t[^>]*>(.*)<\/t>/.exec(cell) ?? [];
  return text
    .replace(/&[^;]*;/g, (entity) => CHARACTERS[entity] ?? entity)
    .replace(/_x([\dA-F]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
