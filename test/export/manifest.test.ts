import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { readManifest } from "../../src/export/manifest.ts";
import { temporaryFolder } from "../helpers/cli.ts";

test.each([
  ["file", "rows.csv", "rows.csv.manifest.json"],
  ["manifest", "rows.csv.manifest.json", "rows.csv"],
])("a named pipe in the place of the %s is refused, and is not waited for", async (_, pipe, other) => {
  const cwd = await temporaryFolder();
  await promisify(execFile)("mkfifo", [pipe], { cwd });
  await writeFile(join(cwd, other), "{}");

  await expect(readManifest(join(cwd, "rows.csv"))).rejects.toThrow(`${pipe} is no regular file`);
});
