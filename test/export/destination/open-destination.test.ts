import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { openDestination, writeStaged } from "../../../src/export/destination/open-destination.ts";
import type { Chunk, Encoder } from "../../../src/export/formats/encoder.ts";
import { createJsonEncoder } from "../../../src/export/formats/json.ts";
import { runningFingerprint } from "../../../src/files/fingerprint.ts";
import { batchOf } from "../../../src/rows/scan.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { followSyncs, openPaths } from "../../helpers/durability.ts";
import { rejectionOf } from "../faults.ts";

const asItIs: Encoder<Chunk> = { encode: (chunk) => chunk, end: () => [] };

test.each([undefined, "-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])(
  "the output %s is stdout",
  async (output) => {
    const stdout = new PassThrough();
    const destination = await openDestination({ output, stdout, pid: process.pid }, () => asItIs);
    await destination.write("row\n");
    await destination.finish();
    expect(String(stdout.read())).toBe("row\n");
  },
);

test("the fingerprint of an output is that of its bytes", async () => {
  const output = join(await temporaryFolder(), "rows.csv");
  const fingerprint = runningFingerprint();
  const destination = await openDestination(
    { output, stdout: new PassThrough(), fingerprint, pid: process.pid },
    () => asItIs,
  );
  await destination.write("é1\n");
  await destination.write(Buffer.from("2\n"));
  await destination.finish();
  await destination[Symbol.asyncDispose]();
  const sha256 = createHash("sha256").update("é1\n2\n").digest("hex");
  expect({ content: await readFile(output, "utf8"), fingerprint: fingerprint.value() }).toEqual({
    content: "é1\n2\n",
    fingerprint: { bytes: 6, sha256 },
  });
});

const asJson = () => createJsonEncoder({ known: [] });

/** A batch of each of these, and the error that ends them. */
async function* batches(rows?: string[], error?: Error) {
  if (rows !== undefined) {
    yield batchOf(rows);
  }
  if (error !== undefined) {
    throw error;
  }
}

test("a file that is written again, because the set changed, has only the later rows", async () => {
  const path = join(await temporaryFolder(), "2026-01-01");
  for (const rows of [['{"sku":"1"}', '{"sku":"2"}'], ['{"sku":"3"}']]) {
    expect(await writeStaged(path, batches(rows), asJson)).toMatchObject({ rows: rows.length });
  }
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual([{ sku: "3" }]);
});

test("a staged file is on disk when it is written, and closed", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "2026-01-01");
  const syncs = await followSyncs(folder);
  const written = await writeStaged(path, batches(), asJson);
  expect(syncs).toEqual([{ kind: "file", names: ["2026-01-01"] }]);
  const sha256 = createHash("sha256").update("[\n]\n").digest("hex");
  expect({ content: await readFile(path, "utf8"), written, paths: openPaths(folder) }).toEqual({
    content: "[\n]\n",
    written: { rows: 0, bytes: 4, sha256 },
    paths: [],
  });
});

test("an encoder that refuses its columns leaves no file behind", async () => {
  const folder = await temporaryFolder();
  const refused = new Error("too many columns");
  const refuse = () => {
    throw refused;
  };
  const options = { output: join(folder, "rows.xlsx"), stdout: new PassThrough(), pid: process.pid };
  const errors = [
    await rejectionOf(openDestination(options, refuse)),
    await rejectionOf(writeStaged(join(folder, "day"), batches(), refuse)),
  ];
  expect({ errors, files: await readdir(folder), paths: openPaths(folder) }).toEqual({
    errors: [refused, refused],
    files: [],
    paths: [],
  });
});

test("a staged file is closed when its encoder cannot be, or its rows cannot be had", async () => {
  const folder = await temporaryFolder();
  const lost = new Error("lost");
  const encoder = { ...asJson(), close: () => Promise.reject(lost) };
  const errors = [
    await rejectionOf(writeStaged(join(folder, "one"), batches(), () => encoder)),
    await rejectionOf(writeStaged(join(folder, "other"), batches(['{"sku":"1"}'], lost), asJson)),
  ];
  expect({ errors, paths: openPaths(folder) }).toEqual({ errors: [lost, lost], paths: [] });
});
