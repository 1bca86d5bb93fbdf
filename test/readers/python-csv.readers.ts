import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { runCatalog, temporaryFolder } from "../helpers/cli.ts";

/** Compares a CSV or TSV with the NDJSON of the same rows, value by value, numbers digit by digit. */
const COMPARE = `
import csv, json, sys
ndjson, table, delimiter = sys.argv[1:]
rows = [json.loads(line, parse_int=str, parse_float=str) for line in open(ndjson, encoding="utf-8", newline="\\n")]
read = list(csv.DictReader(open(table, encoding="utf-8", newline=""), delimiter=delimiter))
different = sum(
    ("" if value is None else value) != other[name]
    for row, other in zip(rows, read)
    for name, value in row.items()
)
print(len(rows), len(read), different)
`;

test.each([
  ["csv", ","],
  ["tsv", "\t"],
])("Python's csv module reads every value of a %s back", async (format, delimiter) => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "compare.py"), COMPARE);
  const rows = await runCatalog(["export", "--demo", "-o", "rows.ndjson"], { cwd: folder });
  const table = await runCatalog(["export", "--demo", "-o", `rows.${format}`], { cwd: folder });
  expect({ rowsCode: rows.code, tableCode: table.code }).toEqual({ rowsCode: 0, tableCode: 0 });

  const { stdout } = await promisify(execFile)("python3", ["compare.py", "rows.ndjson", `rows.${format}`, delimiter], {
    cwd: folder,
  });
  const [written, read, different] = stdout.trim().split(" ").map(Number);
  expect({ written, read, different }).toEqual({ written, read: written, different: 0 });
  expect(written).toBeGreaterThan(20_000);
});
