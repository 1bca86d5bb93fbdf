import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { PRODUCT_COLUMNS } from "../../src/contract/product.ts";
import type { Compression } from "../../src/export/destination/compression.ts";
import { loadEncoder, ROW_FORMATS, type RowFormat } from "../../src/export/formats/registry.ts";
import { openSink } from "../../src/export/sink.ts";
import { runningFingerprint } from "../../src/files/fingerprint.ts";
import type { RowBatch } from "../../src/rows/batch.ts";
import { batchOf } from "../../src/rows/scan.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { products } from "../helpers/products.ts";
import "./formats/loaded.ts";

const batchOfRows = (retailer: string, count: number): RowBatch =>
  batchOf(products(count, { retailer }).map((row) => JSON.stringify(row)));

/** Writes each list of batches to one file, which starts over between them, and returns its bytes and fingerprint. */
async function written(format: RowFormat, compression: Compression | undefined, parts: RowBatch[][]) {
  const output = join(await temporaryFolder(), `rows.${format}`);
  const createEncoder = await loadEncoder(format, new AbortController().signal);
  const fingerprint = runningFingerprint();
  const sink = await openSink<RowBatch>({ output, stdout: new PassThrough(), compression, fingerprint }, (scratch) =>
    createEncoder({ known: PRODUCT_COLUMNS, links: true }, scratch),
  );
  for (const [index, batches] of parts.entries()) {
    if (index > 0) {
      expect(await sink.restart()).toBe(true);
    }
    for (const batch of batches) {
      await sink.write(batch);
    }
  }
  await sink.finish();
  return { bytes: await readFile(output), fingerprint: fingerprint.value() };
}

const CASES = ROW_FORMATS.flatMap((format) => [[format, undefined] as const, [format, "gzip"] as const]);

test.each(CASES)(
  "%s (compression: %s) that starts over is the file of what was written last",
  async (format, compression) => {
    const first = [batchOfRows("acme", 3), batchOfRows("bolt", 2)];
    const last = [batchOfRows("zeta", 4)];
    for (const [after, parts] of [
      [last, [first, last]],
      [last, [first, first, last]],
      [[], [first, []]],
    ] as const) {
      const [once, again] = [
        await written(format, compression, [[...after]]),
        await written(
          format,
          compression,
          parts.map((part) => [...part]),
        ),
      ];

      expect(again).toEqual(once);
      expect(again.fingerprint).toEqual({
        bytes: once.bytes.length,
        sha256: createHash("sha256").update(once.bytes).digest("hex"),
      });
    }
  },
);
