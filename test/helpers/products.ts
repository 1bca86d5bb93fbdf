import { formatRcd, type Rcd } from "../../src/contract/filters.ts";
import type { Product } from "../../src/contract/product.ts";

/** A complete row. A test gives the values that it is about; the rest follows from the sku. */
export function product({ sku = "sku-1", ...given }: Partial<Product> = {}): Product {
  const row: Product = {
    product_id: "",
    sku,
    url: `https://shop.example/p/${encodeURIComponent(sku)}`,
    domain: "shop.example",
    retailer: "acme",
    department: "home",
    category: "lamps",
    brand: "Brand",
    model_number: "M-1",
    title: `Title of ${sku}`,
    mrp: 20,
    selling_price: 15,
    discount_pct: 25,
    currency: "EUR",
    color: null,
    image_url: "https://shop.example/i.jpg",
    crawl_date: "2026-01-15",
    ...given,
  };
  return row.product_id === ""
    ? { ...row, product_id: `${row.retailer}/${row.category}/${row.sku}/${row.crawl_date}` }
    : row;
}

/** `count` rows with skus `sku-0000`, `sku-0001` and so on. */
export function products(count: number, given: Partial<Product> = {}): Product[] {
  return Array.from({ length: count }, (_, index) =>
    product({ ...given, sku: `sku-${String(index).padStart(4, "0")}` }),
  );
}

/** One row of each combination, given as `retailer:category:department`. */
export function oneRowEach(...triples: string[]): Product[] {
  return triples.map((triple, index) => {
    const [retailer = "", category = "", department = ""] = triple.split(":");
    const combination: Rcd = { retailer, category, department };
    return product({ ...combination, sku: `sku-${index}`, product_id: formatRcd(combination) });
  });
}

/** The members of a row, as JSON text. */
const RAW_MEMBERS: Readonly<Record<string, string>> = {
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
};

/** A row as JSON text. Members of `raw` replace or add raw values; an undefined value removes its member. */
export function productRow(raw: Record<string, string | undefined> = {}): string {
  const members: Record<string, string | undefined> = { ...RAW_MEMBERS, ...raw };
  let text = "";
  // A test makes thousands of rows, so that this builds no list of pairs.
  for (const name in members) {
    const value = members[name];
    if (value !== undefined) {
      text += `${text === "" ? "{" : ","}${name in RAW_MEMBERS ? `"${name}"` : JSON.stringify(name)}:${value}`;
    }
  }
  return text === "" ? "{}" : `${text}}`;
}
