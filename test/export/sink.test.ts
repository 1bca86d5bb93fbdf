import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { Chunk, Encoder } from "../../src/export/formats/encoder.ts";
import { openSink } from "../../src/export/sink.ts";
import { runningFingerprint } from "../../src/files/fingerprint.ts";
import { temporaryFolder } from "../helpers/cli.ts";

const asItIs: Encoder<Chunk> = { encode: (chunk) => chunk, end: () => [] };

test.each([undefined, "-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])(
  "the output %s is stdout",
  async (output) => {
    const stdout = new PassThrough();
    const sink = await openSink({ output, stdout, pid: process.pid }, () => asItIs);
    await sink.write("row\n");
    await sink.finish();
    expect(String(stdout.read())).toBe("row\n");
  },
);

test("an encoder that refuses its columns leaves no file behind", async () => {
  const folder = await temporaryFolder();
  const options = { output: join(folder, "rows.xlsx"), stdout: new PassThrough(), pid: process.pid };
  const opened = openSink(options, () => {
    throw new Error("too many columns");
  });
  await expect(opened).rejects.toThrow("too many columns");
  expect(await readdir(folder)).toEqual([]);
});

test("the fingerprint of an output is that of its bytes", async () => {
  const output = join(await temporaryFolder(), "rows.csv");
  const fingerprint = runningFingerprint();
  const sink = await openSink({ output, stdout: new PassThrough(), fingerprint, pid: process.pid }, () => asItIs);
  await sink.write("é1\n");
  await sink.write(Buffer.from("2\n"));
  await sink.finish();
  await sink[Symbol.asyncDispose]();
  const sha256 = createHash("sha256").update("é1\n2\n").digest("hex");
  expect([await readFile(output, "utf8"), fingerprint.value()]).toEqual(["é1\n2\n", { bytes: 6, sha256 }]);
});
