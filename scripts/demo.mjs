// Shows what the tool does, on an embedded service with generated rows. Each command is run as it is shown.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "catalog-demo-"));
symlinkSync(join(import.meta.dirname, "..", "dist", "catalog.js"), join(folder, "catalog"));
const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };

const COMMANDS = [
  { title: "How much is there?", line: "catalog coverage --demo --group-by retailer --format table" },
  {
    title: "What does it look like?",
    line: "catalog sample --demo --retailer nordwind --columns sku,title,selling_price,currency -f table | head -8",
  },
  { title: "All of it, counted", line: "catalog export --demo --output rows.ndjson && wc -l rows.ndjson" },
  { title: "A mistyped name", line: "catalog coverage --demo --retailer nordwnd", expected: 2 },
];

console.log("Four commands on a service of generated rows, which runs on this machine. No account is needed.\n");

try {
  for (const { title, line, expected = 0 } of COMMANDS) {
    console.log(`# ${title}`);
    console.log(`$ ${line}`);
    const { status } = spawnSync(line, { cwd: folder, env, shell: true, stdio: "inherit" });
    console.log(status === 0 ? "" : `(exit code ${status})\n`);
    if (status !== expected) {
      process.exitCode = 1;
    }
  }
  console.log("Next: `npm link` puts catalog on your PATH. Then try `catalog --help` or `catalog movers --demo`.");
} finally {
  rmSync(folder, { recursive: true, force: true });
}
