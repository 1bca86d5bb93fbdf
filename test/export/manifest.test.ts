import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { EXIT, FileError, MismatchError } from "../../src/contract/errors.ts";
import { type Manifest, manifestPathOf, readManifest } from "../../src/export/manifest.ts";
import { checkedJson, withChecksum } from "../../src/files/text-checksum.ts";
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

const COVERAGE = { combinations: 1, matching_rows: 1, corpus_rows: 1, earliest_date: null, latest_date: null };

/** What a file is checked against, and nothing else. */
const WHOLE = {
  version: 2,
  file: { bytes: 1, sha256: "0" },
  rows: 1,
  coverage: COVERAGE,
  plan: { slices: [{ rows: 1 }] },
};

/** The manifest with these members beside a file. */
async function manifestWith(members: object): Promise<string> {
  const file = join(await temporaryFolder(), "rows.csv");
  await writeFile(file, "x");
  await writeFile(manifestPathOf(file), checkedJson({ ...WHOLE, ...members }));
  return file;
}

test("a manifest is read with all its members", async () => {
  const { checksum: _, ...read } = (await readManifest(await manifestWith({}))) as Manifest & { checksum: string };
  expect(read).toEqual(WHOLE);
});

test.each<[string, object]>([
  ["of another version", { version: 3 }],
  ["with a size that is text", { file: { ...WHOLE.file, bytes: "1" } }],
  ["without a checksum of its file", { file: { ...WHOLE.file, sha256: undefined } }],
  ["without rows", { rows: undefined }],
  ["without a count of the service", { coverage: { ...COVERAGE, matching_rows: "1" } }],
  ["without coverage", { coverage: undefined }],
  ["without a plan", { plan: undefined }],
  ["without slices", { plan: {} }],
  ["with a slice that is nothing", { plan: { slices: [null] } }],
  ["with a slice that has no rows", { plan: { slices: [...WHOLE.plan.slices, {}] } }],
])("a manifest %s is refused", async (_, members) => {
  const file = await manifestWith(members);
  const path = manifestPathOf(file);
  const refused = new FileError(`${path} is not a manifest that this version of catalog understands`, path);
  await expect(readManifest(file)).rejects.toThrow(refused);
});

test("a manifest that was altered is refused, and so is one that is no JSON", async () => {
  const file = await manifestWith({});
  const path = manifestPathOf(file);
  const text = await readFile(path, "utf8");
  await writeFile(path, text.replace('"rows": 1', '"rows": 2'));
  await expect(readManifest(file)).rejects.toStrictEqual(
    new MismatchError(`${path} was altered: its own checksum is wrong`),
  );
  for (const other of [text.slice(0, 200), "no JSON", "null"]) {
    await writeFile(path, other);
    await expect(readManifest(file)).rejects.toStrictEqual(
      new MismatchError(`${path} was altered: it is no JSON object`),
    );
  }
});
