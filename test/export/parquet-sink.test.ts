import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { expect, test } from "vitest";
import { PRODUCT_COLUMNS } from "../../src/contract/product.ts";
import { createSink, type OpenSink, type SliceEnd } from "../../src/export/sink.ts";
import { isFile, openDestination } from "../../src/output/destination/open.ts";
import { createParquetEncoder } from "../../src/output/formats/parquet/parquet.ts";
import { batchOf } from "../../src/rows/scan.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { products } from "../helpers/products.ts";

const slices = [products(40), products(3), products(12)].map((rows) => batchOf(rows.map((row) => JSON.stringify(row))));

test("a Parquet file that was continued after an interruption equals the file of an uninterrupted run", async () => {
  const folder = await temporaryFolder();
  const undisturbed = await openSink(join(folder, "a.parquet"));
  await writeSlices(undisturbed.sink, 0);
  await undisturbed.sink.finish();

  const interrupted = await openSink(join(folder, "b.parquet"));
  await writeSlices(interrupted.sink, 0, 2);
  await interrupted.sink.write(slices[2] ?? batchOf([]));
  await interrupted.sink.abandon();
  const continued = await openSink(join(folder, "b.parquet"), interrupted.ends);
  await writeSlices(continued.sink, 2);
  await continued.sink.finish();

  expect(await readFile(join(folder, "b.parquet"))).toEqual(await readFile(join(folder, "a.parquet")));
});

test("removed slices leave no trace in a Parquet file", async () => {
  const folder = await temporaryFolder();
  const { sink } = await openSink(join(folder, "a.parquet"));
  await writeSlices(sink, 0);
  await sink.rewind(1);
  await writeSlices(sink, 2);
  await sink.finish();

  const file = new Uint8Array(await readFile(join(folder, "a.parquet"))).buffer;
  const skus = (await parquetReadObjects({ file })).map(({ sku }) => sku);
  expect(skus).toEqual([slices[0], slices[2]].flatMap((rows) => rows?.texts().map((row) => JSON.parse(row).sku)));
});

async function openSink(path: string, finished: readonly SliceEnd[] = []) {
  const continueAt = finished.at(-1)?.bytes;
  const destination = await openDestination({ output: path, stdout: process.stdout, keepPartial: true, continueAt });
  const ends: SliceEnd[] = [];
  const sink = createSink(destination, {
    compression: undefined,
    file: isFile(destination) ? destination : undefined,
    finished,
    onSliceEnd: async (_slice, end) => {
      ends.push(end);
    },
    createEncoder: (continues, restore) =>
      createParquetEncoder({ known: PRODUCT_COLUMNS, chosen: undefined, continues, restore }),
  });
  return { sink, ends };
}

async function writeSlices(sink: OpenSink, from: number, to = slices.length): Promise<void> {
  for (const rows of slices.slice(from, to)) {
    await sink.write(rows);
    await sink.endSlice({ key: "slice", filters: {}, rows: rows.length });
  }
}
