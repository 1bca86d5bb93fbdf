import { join } from "node:path";
import { PRODUCT_COLUMNS } from "../../../src/contract/product.ts";
import type { EncoderOptions } from "../../../src/export/formats/encoder.ts";
import { loadEncoder, type RowFormat } from "../../../src/export/formats/registry.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { bytesOf } from "../../helpers/parquet-files.ts";
import "./loaded.ts";

/** The whole output of `pages` in one format, of product rows unless told otherwise. */
export async function encoded(
  format: RowFormat,
  pages: readonly (readonly string[])[],
  options: Partial<EncoderOptions> = {},
): Promise<string> {
  const createEncoder = await loadEncoder(format, new AbortController().signal);
  const scratchPath = async () => join(await temporaryFolder(), "scratch");
  const encoder = createEncoder({ known: PRODUCT_COLUMNS, ...options }, scratchPath);
  const { known = PRODUCT_COLUMNS, chosen = [] } = options;
  const columns = [...new Set([...known, ...chosen, "product_id"])];
  return (await bytesOf(encoder, pages, columns)).toString();
}
