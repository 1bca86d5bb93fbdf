import { type AsyncBuffer, type FileMetaData, parquetMetadata } from "hyparquet";
import { ByteWriter } from "hyparquet-writer";
import { writeMetadata } from "hyparquet-writer/src/metadata.js";
import { expect, test } from "vitest";
import { assertBoundedPages, boundedMetadata } from "../../../../src/export/formats/parquet/parquet-bounds.ts";
import { rowGroups } from "../../../../src/export/formats/parquet/parquet-rows.ts";
import { hostileParquetFiles } from "../../../helpers/hostile-parquet.ts";
import { rejectionOf } from "../../faults.ts";
import { parquetOf } from "./parquet-of.ts";

const KNOWN = ["sku", "brand"];

/** A file with one row group. */
function fileOf(): Promise<ArrayBuffer> {
  const rows = Array.from({ length: 40 }, (_, row) => `{"sku":"S-${row}","brand":"brand ${row % 2}"}`);
  return parquetOf([rows], { known: KNOWN });
}

/** The file with a footer that claims something else. */
async function claiming(change: (metadata: FileMetaData) => void): Promise<ArrayBuffer> {
  const file = await fileOf();
  const metadata = parquetMetadata(file);
  for (const { columns } of metadata.row_groups) {
    for (const { meta_data } of columns) {
      delete meta_data?.statistics;
    }
  }
  change(metadata);
  const footer = new DataView(file).getUint32(file.byteLength - 8, true);
  const writer = new ByteWriter();
  writer.appendBytes(new Uint8Array(file, 0, file.byteLength - 8 - footer));
  writeMetadata(writer, metadata);
  writer.appendBytes(Buffer.from("PAR1"));
  return writer.getBuffer();
}

type Group = FileMetaData["row_groups"][number];

function groupOf({ row_groups }: FileMetaData): Group {
  return row_groups[0] as Group;
}

async function pagesOf(file: AsyncBuffer, columns: readonly string[] = KNOWN): Promise<void> {
  await assertBoundedPages(file, groupOf(await boundedMetadata(file)), columns);
}

test("a file that claims what it holds is accepted, with all of its columns or some", async () => {
  const file = await claiming(() => {});
  await pagesOf(file);
  await pagesOf(file, ["brand"]);
  await pagesOf(await fileOf(), []);
  expect((await boundedMetadata(await parquetOf([], { known: KNOWN }))).row_groups).toEqual([]);
});

test.each<[string, (metadata: FileMetaData) => void]>([
  [
    "it has 40 rows in its row groups, but 41 in all",
    (metadata) => {
      metadata.num_rows = 41n;
    },
  ],
  [
    "it has 40 rows in its row groups, but 40 in all",
    (metadata) => {
      const group = groupOf(metadata);
      metadata.row_groups = [
        { ...group, num_rows: -1n },
        { ...group, num_rows: 41n },
      ];
    },
  ],
  [
    "a row group has a column twice, or one that the file does not have",
    (metadata) => {
      const { columns } = groupOf(metadata);
      columns[1] = columns[0] as (typeof columns)[number];
    },
  ],
])("a footer is refused: %s", async (message, change) => {
  const file = await claiming(change);
  expect(await rejectionOf(boundedMetadata(file))).toEqual(new Error(message));
});

test("a footer is refused if it claims more rows than the file has bytes", async () => {
  const file = await claiming((metadata) => setRows(metadata, 1_000_000n));
  expect(await rejectionOf(boundedMetadata(file))).toEqual(
    new Error(`a file of this length claims 1000000 rows; at most ${file.byteLength} are possible`),
  );
});

test("a row group is refused if it claims more rows than are read at once, whatever the length of the file", async () => {
  const file = await claiming((metadata) => setRows(metadata, BigInt(2 ** 20 + 1)));
  // As if there were zeros before the footer.
  const byteLength = file.byteLength + 2 ** 21;
  const slice = async (start: number, end = byteLength) => file.slice(start - 2 ** 21, end - 2 ** 21);
  expect(await rejectionOf(boundedMetadata({ byteLength, slice }))).toEqual(
    new Error("a row group claims 1048577 rows; at most 1048576 are possible"),
  );
});

test("a footer is refused if it claims more bytes than the file has before its end", async () => {
  const bytes = await fileOf();
  new DataView(bytes).setUint32(bytes.byteLength - 8, bytes.byteLength - 7, true);
  expect(await rejectionOf(boundedMetadata(bytes))).toEqual(
    new Error(`a footer claims ${bytes.byteLength - 7} bytes; at most ${bytes.byteLength - 8} are possible`),
  );
});

test("a file without room for a footer is refused", async () => {
  expect(await rejectionOf(boundedMetadata(new ArrayBuffer(4)))).toBeInstanceOf(Error);
});

test.each<[RegExp, (metadata: FileMetaData) => void]>([
  [/^the column sku has 40 values for 41 rows$/, (metadata) => setRows(metadata, 41n)],
  [/^a page of the column sku claims 40 values; at most 39 are possible$/, (metadata) => setRows(metadata, 39n)],
  [
    /^the column sku claims \d+ bytes; at most \d+ are possible$/,
    (metadata) => {
      const { meta_data } = groupOf(metadata).columns[0] ?? {};
      Object.assign(meta_data ?? {}, { total_compressed_size: 100_000n });
    },
  ],
])("a column is refused: %s", async (message, change) => {
  const file = await claiming(change);
  expect(((await rejectionOf(pagesOf(file))) as Error).message).toMatch(message);
  // A column that nobody reads may be anything.
  await pagesOf(file, ["no such"]);
});

test("what ended or held a reader before ends with an error, or with rows", async () => {
  for (const bytes of hostileParquetFiles()) {
    const file = new Uint8Array(bytes).buffer;
    const reading = async () => {
      for await (const rows of rowGroups(file, ["sku", "title", "mrp"])) {
        expect(rows.length).toBeLessThanOrEqual(file.byteLength);
      }
    };
    await reading().catch((error: unknown) => expect(error).toBeInstanceOf(Error));
  }
});

function setRows(metadata: FileMetaData, rows: bigint): void {
  metadata.num_rows = rows;
  groupOf(metadata).num_rows = rows;
}
