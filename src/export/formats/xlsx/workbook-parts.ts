import type { CellKind } from "../encoder.ts";
import { attributeText } from "./cell-text.ts";

/** A cell that can be clicked: its name, as in `C2`, and the address that it opens. */
export type SheetLink = readonly [cell: string, target: string];

const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const CONTENT = "application/vnd.openxmlformats-officedocument.spreadsheetml";
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

export const WORKBOOK_PART = "xl/workbook.xml";
export const SHEET_PART = "xl/worksheets/sheet1.xml";
export const SHEET_RELATIONS_PART = "xl/worksheets/_rels/sheet1.xml.rels";

/** Maximum number of rows in a sheet, below its header. */
export const MAX_SHEET_ROWS = 1_048_575;
export const MAX_SHEET_COLUMNS = 16_384;

/** Indexes of the cell formats in xl/styles.xml. */
export const STYLES = { header: 1, text: 2, date: 3, timestamp: 4, link: 5, percent: 6 } as const;

/** `@`: a cell that is edited stays text. */
const TEXT_FORMAT = 49;
const DATE_FORMAT = 164;
const TIMESTAMP_FORMAT = 165;
const PERCENT_FORMAT = 166;

/** Widths of columns, in characters. */
const COLUMN_WIDTHS: Readonly<Record<string, number>> = {
  title: 60,
  product_id: 34,
  sku: 18,
  model_number: 18,
  brand: 18,
};
const WIDTH_OF_KIND: Readonly<Record<CellKind, number>> = { date: 11, timestamp: 20, link: 40, percent: 13 };
const USUAL_WIDTH = 13;
/** Excel takes a sheet with a wider column for damaged. */
const MAX_WIDTH = 255;

/** Width of the filter button in a heading, in characters. */
const BUTTON_WIDTH = 4;

/** The parts of a workbook with one sheet that do not depend on its rows (ISO/IEC 29500-1). */
export const FIXED_PARTS: readonly (readonly [name: string, xml: string])[] = [
  [
    "[Content_Types].xml",
    `${DECLARATION}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${CONTENT}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${CONTENT}.styles+xml"/><Override PartName="/${SHEET_PART}" ContentType="${CONTENT}.worksheet+xml"/></Types>`,
  ],
  ["_rels/.rels", relations(relation("rId1", "officeDocument", WORKBOOK_PART))],
  [
    "xl/_rels/workbook.xml.rels",
    relations(relation("rId1", "worksheet", "worksheets/sheet1.xml") + relation("rId2", "styles", "styles.xml")),
  ],
  ["xl/styles.xml", stylesPart()],
];

/**
 * xl/workbook.xml: the sheet name and its filter range.
 *
 * @param lastColumn its letters
 * @param lastLine number of the last row, the header included
 */
export function workbookPart(lastColumn: string, lastLine: number): string {
  const filter = `<definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">rows!$A$1:$${lastColumn}$${lastLine}</definedName>`;
  return `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><bookViews><workbookView/></bookViews><sheets><sheet name="rows" sheetId="1" r:id="rId1"/></sheets><definedNames>${filter}</definedNames></workbook>`;
}

function stylesPart(): string {
  const font = (inside: string) => `<font>${inside}<sz val="11"/><name val="Calibri"/><family val="2"/></font>`;
  const fonts = [
    font(""),
    font("<b/>"),
    '<font><u/><sz val="11"/><color rgb="FF0563C1"/><name val="Calibri"/><family val="2"/></font>',
  ];
  const cell = (format: number, fontId = 0) =>
    `<xf numFmtId="${format}" fontId="${fontId}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`;
  const cells = [
    cell(0),
    cell(TEXT_FORMAT, 1),
    cell(TEXT_FORMAT),
    cell(DATE_FORMAT),
    cell(TIMESTAMP_FORMAT),
    cell(TEXT_FORMAT, 2),
    cell(PERCENT_FORMAT),
  ];
  return [
    `${DECLARATION}<styleSheet xmlns="${MAIN}">`,
    `<numFmts count="3"><numFmt numFmtId="${DATE_FORMAT}" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="${TIMESTAMP_FORMAT}" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/><numFmt numFmtId="${PERCENT_FORMAT}" formatCode="General&quot;%&quot;"/></numFmts>`,
    `<fonts count="${fonts.length}">${fonts.join("")}</fonts>`,
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>',
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>',
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>',
    `<cellXfs count="${cells.length}">${cells.join("")}</cellXfs>`,
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
  ].join("");
}

/** Start of the sheet XML; freezes the header row. */
export function sheetStart(columns: readonly { name: string; kind: CellKind | undefined }[]): string {
  const widths = columns.map(({ name, kind }, index) => {
    const usual = COLUMN_WIDTHS[name] ?? (kind === undefined ? USUAL_WIDTH : WIDTH_OF_KIND[kind]);
    const width = Math.min(Math.max(usual, name.length + BUTTON_WIDTH), MAX_WIDTH);
    return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`;
  });
  const pane =
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft"/>';
  return `${DECLARATION}<worksheet xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheetViews><sheetView tabSelected="1" workbookViewId="0">${pane}</sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/><cols>${widths.join("")}</cols><sheetData>\n`;
}

/**
 * End of the sheet XML; adds filter buttons to the header.
 *
 * @param cells its range, as in `A1:Q9`: texts that look like numbers get no warning mark
 */
export function sheetEnd(links: readonly SheetLink[], cells: string): string {
  const all = links.map(([cell], index) => `<hyperlink ref="${cell}" r:id="rId${index + 1}"/>`);
  const hyperlinks = all.length === 0 ? "" : `<hyperlinks>${all.join("")}</hyperlinks>`;
  return `</sheetData><autoFilter ref="${cells}"/>${hyperlinks}<ignoredErrors><ignoredError sqref="${cells}" numberStoredAsText="1"/></ignoredErrors></worksheet>\n`;
}

/** The addresses of the links of the sheet. */
export function sheetRelations(links: readonly SheetLink[]): string {
  return relations(
    links
      .map(([, target], index) => relation(`rId${index + 1}`, "hyperlink", target, ' TargetMode="External"'))
      .join(""),
  );
}

function relations(all: string): string {
  return `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">${all}</Relationships>`;
}

function relation(id: string, type: string, target: string, mode = ""): string {
  return `<Relationship Id="${id}" Type="${RELATIONS}/${type}" Target="${attributeText(target)}"${mode}/>`;
}

/** The letters of a column, from 0: A, B, … Z, AA. */
export function columnLetters(index: number): string {
  const before = index < 26 ? "" : columnLetters(Math.floor(index / 26) - 1);
  return before + String.fromCharCode(65 + (index % 26));
}
