import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { EXIT } from "../../src/errors.ts";
import { manifestPathOf, readManifest } from "../../src/export/manifest.ts";
import { withChecksum } from "../../src/files/text-checksum.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { damagedJson } from "../helpers/damaged-json.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { products } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

test.each([
  ["file", "rows.csv", "rows.csv.manifest.json"],
  ["manifest", "rows.csv.manifest.json", "rows.csv"],
])("a named pipe in the place of the %s is refused, and is not waited for", async (_, pipe, other) => {
  const cwd = await temporaryFolder();
  await promisify(execFile)("mkfifo", [pipe], { cwd });
  await writeFile(join(cwd, other), "{}");

  await expect(readManifest(join(cwd, "rows.csv"))).rejects.toThrow(`${pipe} is no regular file`);
});

test("a manifest with any member of another kind and a right checksum is refused, or its file is checked", async () => {
  const service = await startTestService({ rows: products(3) });
  const cwd = await temporaryFolder();
  const file = join(cwd, "rows.csv");
  await runInProcess(["export", "-o", file, "--manifest"], { service });
  const { checksum: _, ...manifest } = JSON.parse(await readFile(manifestPathOf(file), "utf8"));
  await fc.assert(
    fc.asyncProperty(damagedJson(manifest), async (damaged) => {
      const text = JSON.stringify(damaged, undefined, 2) ?? "";
      await writeFile(manifestPathOf(file), text.endsWith("\n}") ? withChecksum(text.slice(0, -2)) : text);
      const { code, stderr } = await runInProcess(["verify", file]);
      expect([EXIT.ok, EXIT.failure, EXIT.changed]).toContain(code);
      expect(stderr).not.toContain("unexpected");
    }),
    { numRuns: 60 },
  );
});
