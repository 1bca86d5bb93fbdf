import { PRODUCT_COLUMNS } from "../../../../src/contract/product.ts";
import type { EncoderOptions } from "../../../../src/export/formats/encoder.ts";
import { createParquetEncoder } from "../../../../src/export/formats/parquet/parquet.ts";
import { batchOf } from "../../../../src/rows/scan.ts";

/** The bytes of a Parquet file of `pages`, of product rows unless told otherwise. */
export async function parquetOf(
  pages: readonly (readonly string[])[],
  options: Partial<EncoderOptions> = {},
): Promise<ArrayBuffer> {
  const encoder = createParquetEncoder({ known: PRODUCT_COLUMNS, ...options });
  const chunks = [await encoder.begin()];
  for (const page of pages) {
    chunks.push(await encoder.encode(batchOf(page, options.known)));
  }
  chunks.push(await encoder.end());
  return new Uint8Array(Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)))).buffer;
}
