import { chmod, cp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { CATALOG, temporaryFolder } from "./cli.ts";

/** The packages that are not part of the bundle. */
const PACKAGES = ["@duckdb", "libsql", "@libsql", "@neon-rs", "detect-libc"];

/** A temporary folder that the user of `unprivilegedCatalog` may enter, unlike, perhaps, those below the TMPDIR of root. */
export async function openFolder(): Promise<string> {
  const isRoot = process.getuid?.() === 0;
  const folder = await temporaryFolder(onTestFinished, isRoot ? "/tmp" : tmpdir());
  await chmod(folder, 0o755);
  return folder;
}

/**
 * Arguments for Node.js that run the built tool as a user who may not write everywhere. Root runs a copy as nobody, who may
 * not enter the folder of a clone, for example in root's home.
 */
export async function unprivilegedCatalog(): Promise<string[]> {
  if (process.getuid?.() !== 0) {
    return [CATALOG];
  }
  const folder = await openFolder();
  await cp(dirname(CATALOG), join(folder, "dist"), { recursive: true });
  for (const name of PACKAGES) {
    await cp(join("node_modules", name), join(folder, "node_modules", name), { recursive: true });
  }
  // Node.js itself may be in root's home, too, so it is started as root.
  const giveUpRights = join(folder, "nobody.cjs");
  await writeFile(giveUpRights, "process.setgroups([]); process.setgid(65534); process.setuid(65534);\n");
  return ["--require", giveUpRights, join(folder, "dist", "catalog.js")];
}
