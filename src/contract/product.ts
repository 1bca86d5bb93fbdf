import type { FromSchema } from "json-schema-to-ts";
import { objectSchema } from "./object-schema.ts";

/**
 * One crawled row, contract section 2.1. The service writes the properties in this order, and CSV columns have the same
 * order. Formats beyond JSON Schema: `slug`; `url`, an absolute URL of the WHATWG URL Standard; and `url-or-empty`.
 * The standard format `uri` (RFC 3986) forbids characters such as `|` and a bare `%`, which occur in crawled addresses.
 */
export const productSchema = {
  description: "One crawled row. A relisted product under a changed title is a new row.",
  ...objectSchema("Product", {
    product_id: { type: "string", minLength: 1, description: "Stable id; a content hash of the row." },
    sku: { type: "string", minLength: 1, description: "Product identifier, unique only within one retailer." },
    url: {
      type: "string",
      format: "url",
      description: "Canonical product page URL as crawled: an absolute URL of the WHATWG URL Standard.",
    },
    domain: { type: "string", description: "Domain the page was crawled from." },
    retailer: { type: "string", format: "slug", description: "Retailer slug." },
    department: { type: "string", format: "slug", description: "Department slug." },
    category: { type: "string", format: "slug", description: "Category slug, scoped within the department." },
    brand: { type: "string", description: "Brand as listed on the retailer's page." },
    model_number: { type: "string", description: "Manufacturer model number as listed." },
    title: { type: "string", description: "Product title as listed." },
    mrp: { type: "number", description: "Manufacturer's listed (undiscounted) price, in `currency`." },
    selling_price: { type: "number", description: "Price charged at crawl time, in `currency`." },
    discount_pct: { type: "number", description: "Discount off `mrp` at crawl time, as a percentage." },
    currency: { type: "string", pattern: "^[A-Z]{3}$", description: "ISO 4217 code of both prices." },
    color: { type: ["string", "null"], description: "Listed colour; null when not applicable or not listed." },
    image_url: {
      type: "string",
      format: "url-or-empty",
      description: "URL of the primary product image as crawled; empty when the page showed none.",
    },
    crawl_date: { type: "string", format: "date", description: "Date the row was crawled." },
  }),
} as const;

export type Product = FromSchema<typeof productSchema>;

export type ProductColumn = keyof Product;

/** All columns of a row in the contract's order. */
export const PRODUCT_COLUMNS: readonly ProductColumn[] = productSchema.required;
