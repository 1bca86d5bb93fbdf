import { readFile, writeFile } from "node:fs/promises";
import { type FileMetaData, parquetMetadata } from "hyparquet";
import { describe, expect, test } from "vitest";
import { createParquetEncoder } from "../../src/export/formats/parquet/parquet.ts";
import { fingerprint } from "../../src/files/fingerprint.ts";
import { DAY_FILE } from "../../src/folder/day-files.ts";
import { writeState } from "../../src/folder/folder-state.ts";
import { readSyncedFolder } from "../../src/folder/synced-day.ts";
import { batchOf } from "../../src/rows/scan.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product, products } from "../helpers/products.ts";
import { servedFolder } from "../helpers/synced-folder.ts";

const DAY = "2026-01-01";
const NEXT = "2026-01-02";

/** Rows of the row group that is changed: as a number of Parquet's Thrift, 64 has two bytes, so that it can be 8,191. */
const ROWS = 64;

describe("a day file of a folder from somebody else is refused before memory is reserved for", () => {
  test.each<[string, (bytes: Buffer, metadata: FileMetaData) => Buffer | Promise<Buffer>, string]>([
    ["a footer of 4 GiB", withFooter, "a footer claims 4294967280 bytes"],
    ["fifty thousand equal rows in a few bytes", equalRows, "a file of this length claims 50000 rows"],
    [
      "a page with more values than rows",
      (bytes, metadata) => withValues(bytes, metadata, "sku"),
      "a page of the column sku claims 8191 values; at most 64",
    ],
    [
      "a column that is twice in a row group",
      withRepeatedColumn,
      "a row group has a column twice, or one that the file does not have",
    ],
    [
      "a page of 250 MB",
      (bytes, metadata) => withPage(bytes, metadata, "sku"),
      "a page of the column sku claims 134217729 bytes; at most 134217728",
    ],
  ])("%s", async (_, damage, message) => {
    const { folder, file, sync } = await servedFolder([
      ...products(ROWS, { crawl_date: DAY }),
      product({ crawl_date: NEXT, sku: "s0" }),
    ]);
    await sync();
    const bytes = await readFile(file(DAY));
    await writeFile(file(DAY), await damage(bytes, parquetMetadata(new Uint8Array(bytes).buffer)));
    const state = await readSyncedFolder(folder);
    Object.assign(state.days[DAY] ?? {}, await fingerprint(file(DAY)));
    await writeState(folder, state);
    for (const args of [
      ["history", "s0", folder],
      ["diff", folder, "--no-as-of", "--from", DAY, "--to", NEXT],
    ]) {
      const { code, stderr } = await runInProcess(args);
      expect([code, stderr.replace(/\s+/g, " ")]).toEqual([
        1,
        expect.stringContaining(`${file(DAY)} cannot be read as Parquet: ${message}`),
      ]);
    }
  });
});

function withFooter(bytes: Buffer): Buffer {
  const damaged = Buffer.from(bytes);
  damaged.writeUInt32LE(0xff_ff_ff_f0, bytes.length - 8);
  return damaged;
}

/** The names of the columns of a row group come after those of the schema. */
function withRepeatedColumn(bytes: Buffer): Buffer {
  const damaged = Buffer.from(bytes);
  damaged.write("title", damaged.lastIndexOf("brand"));
  return damaged;
}

/** Every row has the same id, so that the file has a few bytes for thousands of rows. */
async function equalRows(): Promise<Buffer> {
  const encoder = createParquetEncoder(DAY_FILE);
  const row = JSON.stringify(product({ crawl_date: DAY }));
  const parts = [await encoder.begin()];
  parts.push(await encoder.encode(batchOf(Array(50_000).fill(row))));
  parts.push(await encoder.end());
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}

function withValues(bytes: Buffer, metadata: FileMetaData, column: string): Buffer {
  // Of the header of a data page: a structure, its first number.
  return replaced(bytes, metadata, column, [0x5c, 0x15, ...varint(2 * ROWS)], [0x5c, 0x15, ...varint(2 * 8191)]);
}

/** The first two numbers of a page header are its kind and the length of the page before compression. */
function withPage(bytes: Buffer, metadata: FileMetaData, column: string): Buffer {
  const start = startOf(metadata, column);
  const kind = bytes.subarray(start, start + 3);
  const length = bytes.subarray(start + 3);
  const end = length.findIndex((byte) => byte < 0x80) + 1;
  const parts = [bytes.subarray(0, start), kind, Buffer.from(varint(2 * (128 * 1024 ** 2 + 1))), length.subarray(end)];
  return Buffer.concat(parts);
}

function replaced(
  bytes: Buffer,
  metadata: FileMetaData,
  column: string,
  from: readonly number[],
  to: readonly number[],
): Buffer {
  const damaged = Buffer.from(bytes);
  const at = damaged.indexOf(Buffer.from(from), startOf(metadata, column));
  expect(at).toBeGreaterThan(0);
  damaged.set(to, at);
  return damaged;
}

function startOf(metadata: FileMetaData, column: string): number {
  const found = metadata.row_groups[0]?.columns.find(({ meta_data }) => meta_data?.path_in_schema[0] === column);
  return Number(found?.meta_data?.dictionary_page_offset ?? found?.meta_data?.data_page_offset);
}

/** A number as Thrift writes it: seven bits a byte, the lowest first. */
function varint(number: number): number[] {
  return number < 0x80 ? [number] : [(number % 0x80) | 0x80, ...varint(Math.floor(number / 0x80))];
}
