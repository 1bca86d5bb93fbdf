import { chmod, cp, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CATALOG, temporaryFolder } from "./cli.ts";

/** The packages that are not part of the bundle. */
const PACKAGES = ["@duckdb", "libsql", "@libsql", "@neon-rs", "detect-libc"];

/**
 * Arguments for Node.js that run the built tool as a user who may not write everywhere. Root runs a copy as nobody, who may
 * not enter the folder of a clone, for example in root's home.
 */
export async function unprivilegedCatalog(): Promise<string[]> {
  if (process.getuid?.() !== 0) {
    return [CATALOG];
  }
  const folder = await temporaryFolder();
  await chmod(folder, 0o755);
  await cp(dirname(CATALOG), join(folder, "dist"), { recursive: true });
  for (const name of PACKAGES) {
    await cp(join("node_modules", name), join(folder, "node_modules", name), { recursive: true });
  }
  // Node.js itself may be in root's home, too, so it is started as root.
  const giveUpRights = join(folder, "nobody.cjs");
  await writeFile(giveUpRights, "process.setgroups([]); process.setgid(65534); process.setuid(65534);\n");
  return ["--require", giveUpRights, join(folder, "dist", "catalog.js")];
}
