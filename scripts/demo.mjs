// Shows what the tool does, on an embedded service with generated rows: every command is run as it is shown.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "catalog-demo-"));
symlinkSync(join(import.meta.dirname, "..", "dist", "catalog.js"), join(folder, "catalog"));
const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };

const COMMANDS = [
  { line: "catalog coverage --demo --group-by retailer --format table" },
  { line: "catalog sample --demo --retailer nordwind --columns sku,title,selling_price,currency -f table | head -8" },
  { line: "catalog export --demo --output rows.ndjson && wc -l rows.ndjson" },
  { line: "catalog coverage --demo --retailer nordwnd", expected: 2 },
];

try {
  for (const { line, expected = 0 } of COMMANDS) {
    console.log(`$ ${line}`);
    const { status } = spawnSync(line, { cwd: folder, env, shell: true, stdio: "inherit" });
    console.log(status === 0 ? "" : `(exit code ${status})\n`);
    if (status !== expected) {
      process.exitCode = 1;
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
