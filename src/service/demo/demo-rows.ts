import { hash } from "node:crypto";
import type { Product } from "../../contract/product.ts";
import { addDays } from "../../contract/values/day-arithmetic.ts";
import {
  type CrawlPeriod,
  DEMO_BRANDS,
  DEMO_COLORS,
  DEMO_RETAILERS,
  DEMO_TITLES,
  type DemoRetailer,
} from "./demo-retailers.ts";

const DAYS = 90;
const PRODUCTS_PER_CATEGORY = 23;
/** Every seventh product has an awkward title. */
const AWKWARD_EVERY = 7;
/** Every fifth product is listed late, and every ninth disappears early. */
const LATE_EVERY = 5;
const GONE_EVERY = 9;
/** In percent. A product has them in turn. */
const DISCOUNTS = [0, 0, 5, 12.5, 20, 33.3];

/** One product of a retailer, crawled at regular intervals. */
interface DemoProduct {
  retailer: DemoRetailer;
  department: string;
  category: string;
  number: number;
}

/**
 * About 25,000 invented rows as JSON texts: 90 days of crawls before `today`, the same for each run with this day. As in real
 * crawls, some retailers start late or stop early, categories have gaps, and products appear, disappear and change price.
 */
export function* demoRows(today: string): Generator<string> {
  const dates = Array.from({ length: DAYS }, (_, day) => addDays(today, day - DAYS));
  for (const product of demoProducts()) {
    for (const [day, date] of dates.entries()) {
      if (isCrawled(product, day)) {
        yield rowText(product, day, date);
      }
    }
  }
}

function isCrawled({ retailer, category, number }: DemoProduct, day: number): boolean {
  const listed: CrawlPeriod = {
    from: number % LATE_EVERY === 0 ? (number * 7) % DAYS : 0,
    until: number % GONE_EVERY === 0 ? DAYS - ((number * 11) % DAYS) : DAYS,
  };
  const { interval, crawled, gaps } = retailer;
  const gap = gaps?.[category];
  return (
    day % interval === number % interval &&
    (crawled === undefined || isWithin(day, crawled)) &&
    isWithin(day, listed) &&
    !(gap !== undefined && isWithin(day, gap))
  );
}

function isWithin(day: number, { from, until }: CrawlPeriod): boolean {
  return day >= from && day < until;
}

function* demoProducts(): Generator<DemoProduct> {
  for (const retailer of DEMO_RETAILERS) {
    let number = 0;
    for (const [department, categories] of Object.entries(retailer.departments)) {
      for (const category of categories) {
        for (let count = 0; count < PRODUCTS_PER_CATEGORY; count += 1) {
          number += 1;
          yield { retailer, department, category, number };
        }
      }
    }
  }
}

/** The row of a product on a day, as JSON. `product_id` is a hash of the other values. */
function rowText({ retailer, department, category, number }: DemoProduct, day: number, date: string): string {
  const brand = DEMO_BRANDS[number % DEMO_BRANDS.length] ?? "";
  const sku = retailer.sku(number);
  const domain = retailer.domain.replace(/^www\./, "");
  const cents = Math.round((5 + ((number * 37) % 200) * 1.9 + 0.9) * retailer.level) * 100 + 90;
  // A product keeps its price for two to six weeks.
  const discount = DISCOUNTS[(Math.floor((day + number * 5) / (14 + (number % 29))) + number) % DISCOUNTS.length] ?? 0;
  // The type asks for each column of the contract.
  const texts: Readonly<Record<Exclude<keyof Product, "product_id">, string>> = {
    sku: JSON.stringify(sku),
    url: JSON.stringify(`https://${retailer.domain}/p/${encodeURIComponent(sku)}`),
    domain: JSON.stringify(domain),
    retailer: JSON.stringify(retailer.slug),
    department: JSON.stringify(department),
    category: JSON.stringify(category),
    brand: JSON.stringify(brand),
    model_number: JSON.stringify(number % 3 === 0 ? `${category.slice(0, 2).toUpperCase()}-${number}` : ""),
    title: JSON.stringify(titleOf(brand, category, number)),
    mrp: priceText(cents, retailer.decimals),
    selling_price: priceText(Math.round(cents * (1 - discount / 100)), retailer.decimals),
    discount_pct: String(discount),
    currency: JSON.stringify(retailer.currency),
    color: JSON.stringify(DEMO_COLORS[number % DEMO_COLORS.length] ?? null),
    image_url: JSON.stringify(number % 10 === 0 ? "" : `https://img.${domain}/${number}.jpg`),
    crawl_date: JSON.stringify(date),
  };
  const id = hash("sha256", Object.values(texts).join("\u001f")).slice(0, 32);
  const members = Object.entries(texts).map(([name, text]) => `"${name}":${text}`);
  return `{"product_id":"${id}",${members.join(",")}}`;
}

function titleOf(brand: string, category: string, number: number): string {
  const plain = `${brand} ${category.replaceAll("-", " ")} ${(number * 13) % 1000}`.trim();
  const awkward = DEMO_TITLES[Math.floor(number / AWKWARD_EVERY) % DEMO_TITLES.length] ?? "{}";
  return number % AWKWARD_EVERY === 0 ? awkward.replace("{}", plain) : plain;
}

function priceText(cents: number, decimals: DemoRetailer["decimals"]): string {
  return decimals === 0 ? String(Math.round(cents / 100)) : (cents / 100).toFixed(2);
}
