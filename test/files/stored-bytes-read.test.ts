import { appendFile, type FileHandle, open, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openPartitionSpool } from "../../src/export/destination/partition-spool.ts";
import { readAt } from "../../src/files/stored-bytes.ts";
import { batchOf } from "../../src/rows/scan.ts";
import { temporaryFolder } from "../helpers/cli.ts";

/** Lets the system give at most `most` bytes for each read of any file, as it may do. */
async function withShortReads(most: number) {
  const handle = await open(join(await temporaryFolder(), "any"), "w");
  const prototype: Pick<FileHandle, "read"> = Object.getPrototypeOf(handle);
  await handle.close();
  const read = prototype.read as (this: unknown, ...position: unknown[]) => Promise<{ bytesRead: number }>;
  const spy = vi.spyOn(prototype, "read").mockImplementation(function (this: unknown, target, offset, length, at) {
    return read.call(this, target, offset, Math.min(most, Number(length)), at);
  } as FileHandle["read"]);
  onTestFinished(() => spy.mockRestore());
  return () => spy.mock.calls.length;
}

const BYTES = Buffer.from(Array.from({ length: 1_000 }, (_, index) => index % 251));

test("a target is filled by as many reads as the system needs", async () => {
  const path = join(await temporaryFolder(), "bytes");
  await writeFile(path, BYTES);
  const reads = await withShortReads(7);
  const file = await open(path);
  onTestFinished(() => file.close());
  const target = Buffer.alloc(100);
  await readAt(file, target, 500);
  expect([target, reads()]).toEqual([BYTES.subarray(500, 600), Math.ceil(100 / 7)]);
  await expect(readAt(file, target, 950)).rejects.toThrow("it ends after 1000 bytes");
});

const MIB = 1024 * 1024;

/** A spool with more rows than are kept in memory: 17 of 1 MiB. */
async function spoolOnDisk(path: string) {
  const spool = await openPartitionSpool(path, () => "a");
  onTestFinished(spool[Symbol.asyncDispose]);
  for (let row = 0; row < 17; row += 1) {
    await spool.write(batchOf([JSON.stringify({ sku: `${row} ${"x".repeat(MIB)}` })]));
  }
  await spool.partitions();
  return spool;
}

test("rows of a partition are whole when the system reads less than it was asked for", async () => {
  const spool = await spoolOnDisk(join(await temporaryFolder(), "spool"));
  const reads = await withShortReads(MIB / 4);
  const found: string[] = [];
  for await (const rows of spool.read("a")) {
    found.push(...rows.texts().map((text) => (JSON.parse(text) as { sku: string }).sku));
  }
  expect(found.map((sku) => [Number(sku.split(" ")[0]), sku.split(" ")[1]?.length])).toEqual(
    Array.from({ length: 17 }, (_, row) => [row, MIB]),
  );
  expect(reads()).toBeGreaterThanOrEqual(17 * 4);
});

test.each(["has no end", "is missing"])("a partition whose last row %s is an error", async (damage) => {
  const path = join(await temporaryFolder(), "spool");
  const spool = await spoolOnDisk(path);
  const { size: length } = await stat(path);
  await truncate(path, 0);
  await appendFile(path, "x".repeat(damage === "has no end" ? length : 1));
  await expect(spool.read("a").next()).rejects.toThrow(
    `${path}: its bytes from 0 on are damaged: they do not end with a whole row`,
  );
});
