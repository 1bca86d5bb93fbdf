import { PRODUCT_COLUMNS } from "../../../src/contract/product.ts";
import type { EncoderOptions } from "../../../src/output/formats/encoder.ts";
import { loadEncoder, type RowFormat } from "../../../src/output/formats/registry.ts";

/** A row of the contract as JSON text, `raw` members replacing or adding raw values. */
export function productRow(raw: Record<string, string> = {}): string {
  const members = {
    product_id: '"p1"',
    sku: '"S-1"',
    url: '"https://shop.example/p/1"',
    domain: '"shop.example"',
    retailer: '"shop"',
    department: '"toys"',
    category: '"games"',
    brand: '"Acme"',
    model_number: '""',
    title: '"Dice"',
    mrp: "25.00",
    selling_price: "19.90",
    discount_pct: "20.4",
    currency: '"USD"',
    color: "null",
    image_url: '""',
    crawl_date: '"2026-03-01"',
    ...raw,
  };
  const pairs = Object.entries(members).map(([name, value]) => `${JSON.stringify(name)}:${value}`);
  return `{${pairs.join(",")}}`;
}

/** The whole output of `pages` in one format, of product rows unless told otherwise. */
export async function encoded(
  format: RowFormat,
  pages: readonly (readonly string[])[],
  options: Partial<EncoderOptions> = {},
): Promise<string> {
  const encoder = (await loadEncoder(format))({ known: PRODUCT_COLUMNS, ...options });
  const chunks = [await encoder.begin()];
  for (const page of pages) {
    chunks.push(await encoder.encode(page));
  }
  chunks.push(await encoder.end());
  return chunks.map((chunk) => (typeof chunk === "string" ? chunk : Buffer.from(chunk).toString())).join("");
}
