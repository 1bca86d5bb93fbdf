import type { Coverage } from "./coverage.ts";
import { PROBLEMS, type Problem, type ProblemCode } from "./problems.ts";
import type { Product } from "./product.ts";

/** The examples of the OpenAPI document. They are invented. */
export const PRODUCT: Product = {
  product_id: "5f1d7c0e9b2a4c3d",
  sku: "NW-4471",
  url: "https://nordwind.example/kettles/NW-4471",
  domain: "nordwind.example",
  retailer: "nordwind",
  department: "kitchen",
  category: "kettles",
  brand: "Halden",
  model_number: "HK-17",
  title: "Halden kettle 1.7 l",
  mrp: 49.95,
  selling_price: 39.95,
  discount_pct: 20.02,
  currency: "EUR",
  color: null,
  image_url: "https://nordwind.example/images/NW-4471.jpg",
  crawl_date: "2026-03-10",
};

const { retailer, department, category, crawl_date: day } = PRODUCT;
const request_id = "req_Zm9vYmFyYmF6cXV4MTIzNDU2";
const counts = { matching_rows: 1, corpus_rows: 30, earliest_date: day, latest_date: day };
const filters = { retailer, category: null, department: null, rcd: null, start_date: day, end_date: day };
const meta = { request_id, resolved: filters, coverage: { combinations: 1, ...counts } };

export const COVERAGE: Coverage = {
  retailer,
  department,
  category,
  rcd: `${retailer}:${category}:${department}`,
  ...counts,
};

/** An envelope with one entry. @param paging members of `pagination` that only some operations have */
export function envelopeExample(entry: object, paging: object = {}) {
  return { data: [entry], pagination: { ...paging, next_cursor: null, has_more: false }, meta };
}

export function problemExample(code: ProblemCode): Problem {
  const { status, title, meaning, retryable, recovery } = PROBLEMS[code];
  const type = `https://api.example.com/errors#${code}`;
  return { type, title, status, detail: meaning, code, retryable, recovery, request_id };
}
