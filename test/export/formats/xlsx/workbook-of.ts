import { text } from "node:stream/consumers";
import { fromBufferPromise } from "yauzl";
import { PRODUCT_COLUMNS } from "../../../../src/contract/product.ts";
import type { EncoderOptions } from "../../../../src/export/formats/encoder.ts";
import { createXlsxEncoder } from "../../../../src/export/formats/xlsx/xlsx.ts";
import { bytesOf } from "../../../helpers/parquet-files.ts";

/** The bytes of a workbook of `pages`, of product rows unless told otherwise. */
export async function workbookOf(
  pages: readonly (readonly string[])[],
  options: Partial<EncoderOptions> = {},
): Promise<Buffer> {
  const encoder = createXlsxEncoder({ known: PRODUCT_COLUMNS, ...options });
  return await bytesOf(encoder, pages, options.known);
}

/** The XML of the parts of a workbook, by their names and in their order. */
export async function partsOf(workbook: Buffer): Promise<Map<string, string>> {
  const archive = await fromBufferPromise(workbook);
  const parts = new Map<string, string>();
  for await (const entry of archive.eachEntry()) {
    parts.set(entry.fileName, await text(await archive.openReadStreamPromise(entry)));
  }
  return parts;
}
