// Shows what the tool does, on an embedded service with generated rows: every command is run as it is shown.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const tool = join(import.meta.dirname, "..", "dist", "catalog.js");
const folder = mkdtempSync(join(tmpdir(), "catalog-demo-"));
let failures = 0;

function run(line, expected = 0) {
  const [, ...args] = line.split(" ");
  console.log(`$ ${line}`);
  const { status } = spawnSync(process.execPath, [tool, ...args], { cwd: folder, stdio: "inherit" });
  console.log(status === 0 ? "" : `(exit code ${status})\n`);
  failures += status === expected ? 0 : 1;
}

try {
  run("catalog coverage --demo --group-by retailer --format table");
  run(
    "catalog sample --demo --retailer northwind --columns sku,title,selling_price,currency,crawl_date --format table",
  );
  run("catalog export --demo --output rows.csv");
  console.log(`rows.csv: ${rowsIn("rows.csv").toLocaleString("en-US")} rows\n`);
  run("catalog coverage --demo --retailer nothwind", 2);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;
