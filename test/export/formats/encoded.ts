import { PRODUCT_COLUMNS } from "../../../src/contract/product.ts";
import type { EncoderOptions } from "../../../src/export/formats/encoder.ts";
import { loadEncoder, type RowFormat } from "../../../src/export/formats/registry.ts";
import { batchOf } from "../../../src/rows/scan.ts";
import "./loaded.ts";

/** The whole output of `pages` in one format, of product rows unless told otherwise. */
export async function encoded(
  format: RowFormat,
  pages: readonly (readonly string[])[],
  options: Partial<EncoderOptions> = {},
): Promise<string> {
  const encoder = (await loadEncoder(format))({ known: PRODUCT_COLUMNS, ...options });
  const { known = PRODUCT_COLUMNS, chosen = [] } = options;
  const columns = [...new Set([...known, ...chosen, "product_id"])];
  const chunks = [await encoder.begin()];
  for (const page of pages) {
    chunks.push(await encoder.encode(batchOf(page, columns)));
  }
  chunks.push(await encoder.end());
  return chunks.map((chunk) => (typeof chunk === "string" ? chunk : Buffer.from(chunk).toString())).join("");
}
