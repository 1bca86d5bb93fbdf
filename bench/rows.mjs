// Generated rows like those of a crawl, the same in every run: about 550 bytes each, ordered by day.
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const RETAILERS = ["alder", "birch", "cedar", "elm", "fir", "hazel"];
const DEPARTMENTS = ["electronics", "garden", "home", "kitchen"];
const CATEGORIES = ["basic", "classic", "compact", "large", "premium"];
const BRANDS = ["Alden", "Brightway", "Corvo", "Élan", "", "Fjällström", "أوكامي"];
const DAYS = 50;
const ROWS_A_CHUNK = 1000;

/** One filter of each kind; together they need every kind of query of the service. */
export const FILTERS = [
  {},
  { retailer: "cedar" },
  { category: "compact" },
  { department: "home" },
  { rcd: "cedar:compact:home,elm:large:garden" },
  { start_date: dayOf(40) },
  { end_date: dayOf(9) },
];

/** Whether filters match a row of `rowOf`. */
export function matches(row, { retailer, category, department, rcd, start_date, end_date }) {
  return (
    (retailer ?? row.retailer) === row.retailer &&
    (category ?? row.category) === row.category &&
    (department ?? row.department) === row.department &&
    (rcd?.split(",").includes(`${row.retailer}:${row.category}:${row.department}`) ?? true) &&
    (start_date ?? row.crawl_date) <= row.crawl_date &&
    (end_date ?? row.crawl_date) >= row.crawl_date
  );
}

/** Row number `index` of a set of `count`: every product is crawled on every one of 50 days. */
export function rowOf(index, count) {
  const products = count / DAYS;
  const number = index % products;
  const retailer = pick(RETAILERS, number);
  const department = pick(DEPARTMENTS, Math.floor(number / RETAILERS.length));
  const category = pick(CATEGORIES, Math.floor(number / (RETAILERS.length * DEPARTMENTS.length)));
  const crawl_date = dayOf(Math.floor(index / products));
  const sku = createHash("md5").update(`${retailer}${number}`).digest("hex").slice(0, 10).toUpperCase();
  const brand = pick(BRANDS, number);
  const mrp = ((number * 7919) % 50_000) / 100 + 5;
  const discount_pct = pick([0, 0, 10, 25], index);
  return {
    product_id: createHash("md5").update(`${sku}${crawl_date}`).digest("hex"),
    sku,
    url: `https://www.${retailer}.example/dp/${sku}`,
    domain: `${retailer}.example`,
    retailer,
    department,
    category,
    brand,
    model_number: `M-${number}`,
    title: `${brand} ${category} ${department} set "${number}", with carrying case, two spare parts and a long title as shops write them`,
    mrp,
    selling_price: Math.round(mrp * (100 - discount_pct)) / 100,
    discount_pct,
    currency: "EUR",
    color: pick([null, "black", "Sea Green"], number),
    image_url: `https://images.${retailer}.example/i/${sku}._AC_UL320_.jpg`,
    crawl_date,
  };
}

/** Writes the set of `count` rows as NDJSON. */
export async function writeRows(count, file) {
  await pipeline(Readable.from(chunks(count)), createWriteStream(file));
}

function* chunks(count) {
  for (let start = 0; start < count; start += ROWS_A_CHUNK) {
    const rows = Array.from({ length: Math.min(ROWS_A_CHUNK, count - start) }, (_, at) => rowOf(start + at, count));
    yield rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  }
}

/** The day of a number from 0 to 49, and those after them. */
export function dayOf(number) {
  return new Date(Date.UTC(2026, 0, 1 + number)).toISOString().slice(0, 10);
}

function pick(list, number) {
  return list[number % list.length];
}
