import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import * as zlib from "node:zlib";
import { beforeEach, expect, test } from "vitest";
import { ClosedPipeError, FileError, UsageError } from "../../../src/contract/errors.ts";
import {
  type Compression,
  compressed,
  compressionFor,
  withCompressionEnding,
} from "../../../src/export/destination/compression.ts";
import type { Destination } from "../../../src/export/destination/destination.ts";
import { openDestination } from "../../../src/export/destination/open-destination.ts";
import type { Chunk, Encoder } from "../../../src/export/formats/encoder.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { failingStream, rejectionOf } from "../faults.ts";

const hasZstd = "createZstdCompress" in zlib;
const asItIs: Encoder<Chunk> = { encode: (chunk) => chunk, end: () => [] };
let folder: string;

beforeEach(async () => {
  folder = await temporaryFolder();
});

function open(output: string, compression: Compression = "gzip"): Promise<Destination> {
  return openDestination({ output, stdout: new PassThrough(), pid: process.pid, compression }, () => asItIs);
}

async function openTo(stdout: Writable): Promise<Destination> {
  return await openDestination({ output: "-", stdout, pid: process.pid, compression: "gzip" }, () => asItIs);
}

test("a gzip file contains the output, and the same rows give the same bytes, whenever they are written", async () => {
  const files = [];
  const rows = Array.from({ length: 500 }, (_, index) => `{"row":${index}}\n`);
  for (const [name, lines] of Object.entries({ "a.gz": rows, "b.gz": rows, "empty.gz": [] })) {
    const destination = await open(join(folder, name));
    for (const line of lines) {
      await destination.write(line);
    }
    await destination.finish();
    files.push(await readFile(join(folder, name)));
  }
  const [first, second] = files as [Buffer, Buffer];
  expect(files.map((bytes) => zlib.gunzipSync(bytes).toString())).toEqual([rows.join(""), rows.join(""), ""]);
  expect(first).toEqual(second);
  // RFC 1952 section 2.3: the modification time.
  expect(first.readUInt32LE(4)).toBe(0);
});

test("an abandoned compressed file leaves nothing", async () => {
  const destination = await open(join(folder, "rows.gz"));
  await destination.write(randomBytes(300_000));
  await destination[Symbol.asyncDispose]();
  expect(await readdir(folder)).toEqual([]);
});

test("an error of the destination rejects the write and the end", async () => {
  const destination = await openTo(failingStream("ENOSPC"));
  const writing = async () => {
    for (;;) {
      await destination.write(randomBytes(100_000));
    }
  };
  const failure = { constructor: FileError, message: "stdout: the disk is full" };
  expect(await rejectionOf(writing())).toMatchObject(failure);
  expect(await rejectionOf(destination.finish())).toMatchObject(failure);
  await destination[Symbol.asyncDispose]();
});

test("an error that occurs only at the end is not lost", async () => {
  const destination = await openTo(failingStream("EPIPE"));
  expect(await rejectionOf(destination.finish())).toBeInstanceOf(ClosedPipeError);
});

test("a slow destination makes the writer wait", async () => {
  let taken = 0;
  const destination = await openTo(
    new Writable({
      highWaterMark: 1,
      write: () => {
        taken += 1;
      },
    }),
  );
  let written = 0;
  const writing = (async () => {
    for (; written < 100; written += 1) {
      await destination.write(randomBytes(100_000));
    }
  })();
  const settled = await Promise.race([writing.then(() => "all written"), idle()]);
  expect({ settled, taken, withinBound: written <= 5 }).toEqual({ settled: "idle", taken: 1, withinBound: true });
});

/** Resolves once the thread pool has had more than enough work for everything to come to rest. */
async function idle(): Promise<string> {
  for (let round = 0; round < 50; round += 1) {
    await new Promise((resolve) => zlib.deflate(randomBytes(100_000), resolve));
  }
  return "idle";
}

test("a file ending decides the compression, which gives its ending to a name without one", () => {
  const asked = [
    ["rows.csv.gz", undefined],
    ["rows.csv.gz", "gzip"],
    ["rows.csv", "gzip"],
    [undefined, "gzip"],
    ["rows.csv", undefined],
    [undefined, undefined],
  ] as const;
  const compressions = asked.map(([output, compress]) => compressionFor(output, compress));
  expect(compressions).toEqual([...Array(4).fill("gzip"), undefined, undefined]);
  expect([withCompressionEnding("rows.csv", "gzip"), withCompressionEnding("rows.csv", undefined)]).toEqual([
    "rows.csv.gz",
    "rows.csv",
  ]);
});

test("a compression that contradicts the ending is refused", () => {
  expect(() => compressionFor("rows.csv.zst", "gzip")).toThrow(
    expect.objectContaining({
      constructor: UsageError,
      message: "--compress gzip contradicts the ending .zst of rows.csv.zst",
      ...{ flag: "--output", value: "rows.csv.zst", suggestions: ["rows.csv.gz"] },
    }),
  );
});

if (hasZstd) {
  test("a zstd file contains the output, with a checksum", async () => {
    const output = join(folder, "rows.zst");
    const destination = await open(output, compressionFor(output, undefined));
    await destination.write("row\n".repeat(1_000));
    await destination.finish();
    const bytes = await readFile(output);
    const { zstdDecompressSync } = zlib as unknown as { zstdDecompressSync: (bytes: Buffer) => Buffer };
    expect(zstdDecompressSync(bytes).toString()).toBe("row\n".repeat(1_000));
    // RFC 8878 section 3.1.1.1.1: Content_Checksum_flag.
    expect((bytes[4] ?? 0) & 0b100).toBe(0b100);
  });
} else {
  test("zstd is refused if this Node.js lacks it", () => {
    const message = "zstd needs Node.js 22.15 or newer; gzip works with every version";
    const refusal = (flag: string, suggestions: readonly string[]) =>
      expect.objectContaining({ constructor: UsageError, message, flag, suggestions });
    expect(() => compressionFor("rows.csv.zst", undefined)).toThrow(refusal("--output", ["rows.csv.gz"]));
    expect(() => compressionFor("rows.csv", "zstd")).toThrow(refusal("--compress", ["gzip"]));
    expect(() => compressionFor("rows.csv.gz", "zstd")).toThrow(refusal("--compress", ["gzip"]));
    // Both would have to change, and a correction changes one word.
    expect(() => compressionFor("rows.csv.zst", "zstd")).toThrow(refusal("--output", []));
    expect(() => compressed(asItIs, "zstd")).toThrow("no codec for zstd");
  });
}
