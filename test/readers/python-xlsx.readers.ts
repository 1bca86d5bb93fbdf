import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { runCatalog, temporaryFolder } from "../helpers/cli.ts";

/**
 * Compares a workbook with the NDJSON of the same rows by Python's `zipfile` and XML parser: every cell by its kind, numbers
 * digit by digit, and every link with the address that is shown.
 */
const COMPARE = `
import datetime, json, re, sys, zipfile
import xml.etree.ElementTree as xml
ndjson, workbook = sys.argv[1:]
rows = (json.loads(line, parse_int=str, parse_float=str) for line in open(ndjson, encoding="utf-8", newline="\\n"))
KINDS = {"mrp": "number", "selling_price": "number", "discount_pct": "percent", "crawl_date": "date"}
LINKS = ["url", "image_url"]
main = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
relation = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
archive = zipfile.ZipFile(workbook)
damaged = archive.testzip()
styles = xml.parse(archive.open("xl/styles.xml")).find(main + "cellXfs").findall(main + "xf")
formats = [style.get("numFmtId") for style in styles]

def letters(index):
    return ("" if index < 26 else letters(index // 26 - 1)) + chr(65 + index % 26)

def shown(cell):
    text, number, kind = cell.find(f"{main}is/{main}t"), cell.find(main + "v"), formats[int(cell.get("s", "0"))]
    if cell.get("t") == "inlineStr":
        text = re.sub("_x([0-9A-F]{4})_", lambda code: chr(int(code[1], 16)), text.text or "")
        return ("text" if kind == "49" else kind, text)
    if kind == "164":
        return ("date", str(datetime.date(1899, 12, 30) + datetime.timedelta(days=int(number.text))))
    return ({"0": "number", "166": "percent"}.get(kind, kind), number.text)

def wanted(name, value):
    return (KINDS.get(name, "text"), value)

seen, different, header, addresses = 0, 0, None, {}
for _, element in xml.iterparse(archive.open("xl/worksheets/sheet1.xml")):
    if element.tag == main + "row":
        cells = {cell.get("r"): shown(cell) for cell in element}
        if header is None:
            header = [text for _, text in cells.values()]
        else:
            seen += 1
            row = next(rows)
            expected = {letters(header.index(name)) + str(seen + 1): wanted(name, value)
                        for name, value in row.items() if value is not None}
            different += cells != expected
            addresses.update({letters(header.index(name)) + str(seen + 1): row[name] for name in LINKS})
        element.clear()
    elif element.tag == main + "hyperlinks":
        links = {link.get("ref"): link.get(relation) for link in element}
left = sum(1 for _ in rows)
targets = {link.get("Id"): link.get("Target") for link in xml.parse(archive.open("xl/worksheets/_rels/sheet1.xml.rels")).getroot()}
wrong = sum(addresses[cell] != targets[link] for cell, link in links.items())
print(json.dumps({"damaged": damaged, "rows": seen, "left": left, "different": different, "links": len(links), "wrong": wrong}))
`;

test("Python's zipfile and XML parser read every cell and every link of a sheet back", async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "compare.py"), COMPARE);
  const rows = await runCatalog(["export", "--demo", "--retailer", "nordwind", "-o", "rows.ndjson"], { cwd: folder });
  const sheet = await runCatalog(["export", "--demo", "--retailer", "nordwind", "-o", "rows.xlsx", "--links"], {
    cwd: folder,
  });
  expect([rows, sheet].map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ""],
    [0, ""],
  ]);
  const count = (await readFile(join(folder, "rows.ndjson"), "utf8")).split("\n").length - 1;

  const { stdout } = await promisify(execFile)("python3", ["compare.py", "rows.ndjson", "rows.xlsx"], { cwd: folder });
  const { links, ...found } = JSON.parse(stdout) as Record<string, unknown>;
  expect(found).toEqual({ damaged: null, rows: count, left: 0, different: 0, wrong: 0 });
  expect(count).toBeGreaterThan(5_000);
  expect(links).toBeGreaterThan(5_000);
});
