import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FileError } from "../../../src/contract/errors.ts";
import { openPartitionSpool, type PartitionSpool } from "../../../src/export/destination/partition-spool.ts";
import { partitionOf } from "../../../src/export/destination/partitions.ts";
import type { RowBatch } from "../../../src/rows/batch.ts";
import { batchOf } from "../../../src/rows/scan.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { productRow } from "../../helpers/products.ts";
import { rejectionOf } from "../faults.ts";

/** A spool holds this many bytes in memory here, and reads this many at once. */
const BUFFER_BYTES = 16 * 1024;
const PART_BYTES = 1024;

test("the rows of a partition are read in the order in which they were added, over several writes", async () => {
  const spool = await openSpool();
  await addAll(spool, ["b 1", "a é", "b 2"]);
  await spool.partitions();
  await addAll(spool, ["a 3", "b 4"]);
  expect(await contentOf(spool)).toEqual({ a: ["é", "3"], b: ["1", "2", "4"] });
});

test("rows beyond the size of the buffer are written without a flush", async () => {
  const spool = await openSpool(() => "a");
  const long = "x".repeat(1024);
  for (let row = 0; row < 20; row += 1) {
    await spool.write(batchOf([`{"row":"${row}${long}"}`]));
  }
  expect((await contentOf(spool)).a?.map((row) => row.replace(long, ""))).toEqual(
    Array.from({ length: 20 }, (_, row) => String(row)),
  );
});

test.each([3, 20])("a row of %d KB, longer than a part, stays whole, and so do its neighbours", async (size) => {
  const spool = await openSpool(() => "a");
  const long = "x".repeat(size * 1024);
  await spool.write(batchOf(["1", `2${long}`, "3", long, "5"].map((row) => JSON.stringify({ row }))));
  expect(await contentOf(spool)).toEqual({ a: ["1", `2${long}`, "3", long, "5"] });
});

test("rows that alternate between partitions are sorted over many writes", async () => {
  const spool = await openSpool(partitionOf(["crawl_date"]));
  const title = JSON.stringify("long ".repeat(4));
  const rows = Array.from({ length: 900 }, (_, row) =>
    productRow({ sku: `"${row}"`, title, crawl_date: dayOfRow(row) }),
  );
  for (let from = 0; from < rows.length; from += 50) {
    await spool.write(batchOf(rows.slice(from, from + 50)));
  }
  const found: Record<string, string> = {};
  for (const partition of await spool.partitions()) {
    found[partition] = "";
    for await (const part of spool.read(partition)) {
      found[partition] += part.lines().toString();
    }
  }
  const expected: Record<string, string> = {};
  for (const [row, text] of rows.entries()) {
    const partition = `crawl_date=${JSON.parse(dayOfRow(row))}`;
    expected[partition] = `${expected[partition] ?? ""}${text}\n`;
  }
  expect(found).toEqual(expected);
});

test("a part ends after the row that reaches its size, and a batch has each row once", async () => {
  const spool = await openSpool(() => "a");
  // With its LF, a row has 256 bytes.
  const rows = Array.from({ length: 6 }, (_, row) => `{"row":"${row}${"x".repeat(244)}"}`);
  for (const from of [0, 2, 4]) {
    await spool.write(batchOf(rows.slice(from, from + 2)));
  }
  await spool.partitions();
  const parts: number[] = [];
  const read: string[] = [];
  for await (const part of spool.read("a")) {
    parts.push(part.length);
    read.push(...part.texts());
  }
  expect({ parts, read }).toEqual({ parts: [4, 2], read: rows });
});

test("a partition that came after others were written is among them, and they are sorted", async () => {
  const path = join(await temporaryFolder(), "rows");
  const spool = await openSpool(undefined, path);
  // With its LF, the row has as many bytes as the buffer.
  const long = "x".repeat(BUFFER_BYTES - 27);
  await addAll(spool, [`b ${long}`]);
  expect((await stat(path)).size).toBe(BUFFER_BYTES);
  await addAll(spool, ["a 1"]);
  expect({ partitions: await spool.partitions(), content: await contentOf(spool) }).toEqual({
    partitions: ["a", "b"],
    content: { a: ["1"], b: [long] },
  });
});

test.each([
  ["shorter", 1],
  ["as long, but its last row has no end", BUFFER_BYTES + 11],
])("a file that somebody made %s is an error that names it", async (_, length) => {
  const path = join(await temporaryFolder(), "rows");
  const spool = await openSpool(() => "a", path);
  await spool.write(batchOf([`{"row":"${"x".repeat(BUFFER_BYTES)}"}`]));
  expect((await stat(path)).size).toBe(BUFFER_BYTES + 11);
  await writeFile(path, "x".repeat(length));
  expect(await rejectionOf(spool.read("a").next())).toMatchObject({
    constructor: FileError,
    message: `${path}: its bytes from 0 on are damaged: they do not end with a whole row`,
  });
});

test("closing removes the file, and a file that is gone is no error", async () => {
  const folder = await temporaryFolder();
  const spool = await openPartitionSpool(join(folder, "rows"), () => "a");
  await spool[Symbol.asyncDispose]();
  expect(await readdir(folder)).toEqual([]);
  await spool[Symbol.asyncDispose]();
});

/** Days of some rows each, as JSON. */
function dayOfRow(row: number): string {
  return JSON.stringify(`2026-01-0${1 + (Math.floor(row / 3) % 7)}`);
}

async function openSpool(partitionOf = namedPartition, path?: string): Promise<PartitionSpool> {
  const spool = await openPartitionSpool(
    path ?? join(await temporaryFolder(), "rows"),
    partitionOf,
    BUFFER_BYTES,
    PART_BYTES,
  );
  onTestFinished(() => spool[Symbol.asyncDispose]());
  return spool;
}

function namedPartition(rows: RowBatch, row: number): string {
  return (JSON.parse(rows.texts()[row] ?? "") as { partition: string }).partition;
}

/** Each text is a partition and a row. */
async function addAll(spool: PartitionSpool, texts: readonly string[]): Promise<void> {
  const named = texts.map((text) => text.split(" "));
  await spool.write(batchOf(named.map(([partition, row]) => JSON.stringify({ partition, row }))));
}

async function contentOf(spool: PartitionSpool): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {};
  for (const partition of await spool.partitions()) {
    for await (const rows of spool.read(partition)) {
      content[partition] = [
        ...(content[partition] ?? []),
        ...rows.texts().map((text) => (JSON.parse(text) as { row: string }).row),
      ];
    }
  }
  return content;
}
