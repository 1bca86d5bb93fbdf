// A synced folder with a year of 1,000,100 generated rows, always the same.
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { DuckDBInstance } from "@duckdb/node-api";

export const DAYS = 365;
export const ROWS_A_DAY = 2740;
const FIRST = Date.UTC(2025, 0, 1);
const RETAILERS = ["alder", "birch", "cedar", "elm", "fir", "hazel", "larch"];
const DEPARTMENTS = ["garden", "home", "kitchen"];

/** A folder as `catalog sync` leaves it. */
export async function writeYear(folder, products) {
  await mkdir(`${folder}/.catalog`, { recursive: true });
  const combinations = [];
  const days = {};
  for (let day = 0; day < DAYS; day += 1) {
    days[dayAt(day)] = await writeFileOfDay(folder, day, products, "", combinations);
  }
  const service = "http://127.0.0.1:1/";
  await writeState(folder, { version: 4, service, filters: {}, window: {}, days, pending: [], combinations });
}

async function writeState(folder, state) {
  const text = JSON.stringify(state).slice(0, -1);
  const checksum = createHash("sha256").update(text).digest("hex");
  await writeFile(`${folder}/.catalog/state.json`, `${text},\n  "checksum": "${checksum}"\n}\n`);
}

/** Replaces one day, as a sync does. */
export async function writeDay(folder, day, products, mark) {
  const { checksum: _, ...state } = JSON.parse(await readFile(`${folder}/.catalog/state.json`, "utf8"));
  state.days[dayAt(day)] = await writeFileOfDay(folder, day, products, mark, state.combinations);
  await writeState(folder, state);
}

const TEXTS = [
  "product_id",
  "sku",
  "url",
  "domain",
  "retailer",
  "department",
  "category",
  "brand",
  "model_number",
  "title",
];
const NUMBERS = ["mrp", "selling_price", "discount_pct"];
const COLUMNS = [
  ...TEXTS.map((name) => `${name}: 'VARCHAR'`),
  ...NUMBERS.map((name) => `${name}: 'DOUBLE'`),
  ...["currency", "color", "image_url"].map((name) => `${name}: 'VARCHAR'`),
].join(", ");

const connection = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();

/** @param combinations of all days, which `counts` names by their place */
async function writeFileOfDay(folder, day, products, mark, combinations) {
  const rows = Array.from({ length: ROWS_A_DAY }, (_, index) => rowOf(productOf(day, index, products), day, mark));
  const places = new Map(combinations.map((rcd, place) => [rcd, place]));
  const counts = new Map();
  for (const { retailer, category, department } of rows) {
    const rcd = `${retailer}:${category}:${department}`;
    const place = places.get(rcd) ?? combinations.push(rcd) - 1;
    places.set(rcd, place);
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  await mkdir(`${folder}/crawl_date=${dayAt(day)}`, { recursive: true });
  const path = `${folder}/crawl_date=${dayAt(day)}/part-0.parquet`;
  await writeFile(`${path}.rows`, rows.map((row) => JSON.stringify(row)).join("\n"));
  await connection.run(
    `COPY (FROM read_json('${path}.rows', columns = {${COLUMNS}}, format = 'newline_delimited', hive_partitioning = false)) TO '${path}' (FORMAT parquet, COMPRESSION zstd)`,
  );
  await rm(`${path}.rows`);
  const bytes = await readFile(path);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { rows: rows.length, digest: "", bytes: bytes.length, sha256, counts: [...counts].flat() };
}

/** Different products for each index of a day, spread over all; a factor prime to the number of products. */
function productOf(day, index, products) {
  return ((index + day * 613) * 7919) % products;
}

function rowOf(product, day, mark) {
  const retailer = retailerOf(product);
  const changes = Math.floor((day + product) / 9);
  const selling_price = Math.round((20 + (product % 400) + ((product * 31 + changes * 17) % 60) / 7) * 100) / 100;
  const discount_pct = changes % 3 === 0 ? 16.7 : 0;
  return {
    product_id: createHash("md5").update(`${product} ${day} ${mark}`).digest("hex"),
    sku: skuOf(product),
    url: `https://${retailer}.example/products/${product}`,
    domain: `${retailer}.example`,
    retailer,
    department: DEPARTMENTS[product % 3],
    category: `category-${product % 60}`,
    brand: "Alden",
    // Two retailers have each.
    model_number: `AL-${Math.floor(product / 2)}`,
    // One product in five gets another title once.
    title: `Product number ${product}, with a title of ordinary length${product % 5 === 0 && day > 180 ? ", new" : ""}`,
    mrp: Math.round(selling_price * (discount_pct === 0 ? 1 : 1.2) * 100) / 100,
    ...{ selling_price, discount_pct, currency: "EUR", color: "", image_url: "" },
  };
}

export function retailerOf(product) {
  return RETAILERS[product % RETAILERS.length];
}

export function skuOf(product) {
  return `SKU-${String(product).padStart(7, "0")}`;
}

export function dayAt(day) {
  return new Date(FIRST + day * 86_400_000).toISOString().slice(0, 10);
}
