import { product } from "./products.ts";

/** Rows with what real ones have: shared categories, several days, awkward titles, a number that must keep its digits. */
export const TRANSCRIPT_ROWS = [
  product({ sku: "A-1", retailer: "nordwind", category: "lamps", crawl_date: "2026-01-01", title: 'Lamp, 12" =1+1' }),
  product({ sku: "A-1", retailer: "nordwind", category: "lamps", crawl_date: "2026-01-03", selling_price: 12.5 }),
  product({ sku: "B-2", retailer: "nordwind", category: "chairs", crawl_date: "2026-01-10", color: "red" }),
  product({
    sku: "B-2",
    retailer: "casa-luz",
    category: "chairs",
    crawl_date: "2026-01-05",
    title: "\u001b[31mstuhl\u202e",
  }),
  product({ sku: "C\t3", retailer: "casa-luz", department: "garden", category: "chairs", brand: "", title: "a\nb" }),
];

/** The time at which the commands are run. */
export const TRANSCRIPT_NOW = Date.parse("2026-01-20T08:00:00Z");

/** Puts a constant for what differs from run to run, as long as it, so that lines break where they did. */
export function settled(text: string, { url, cwd }: { url: string; cwd: string }): string {
  return text
    .replaceAll(url, "http://service.example")
    .replaceAll(new URL(url).host, "service.example")
    .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:8787")
    .replaceAll(`${cwd}/`, "")
    .replace(/req_[\w-]{24}/g, "req_0")
    .replace(/…[\w-]{4}(?=, from)/g, "…0000")
    .replace(/^[\w-]{43}$/gm, "SECRET")
    .replace(/left for \d+ s/g, "left for 60 s")
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, "YYYY-MM-DD hh:mm UTC")
    .replaceAll(daysAgo(0), "YYYY-MM-DD")
    .replaceAll(daysAgo(NARROW_DAYS - 1), "YYYY-MM-DD")
    .replaceAll(daysAgo(STATUS_DAYS - 1), "YYYY-MM-DD");
}

/** Days of the status feed, today included, and those of them that a narrow terminal shows. */
const STATUS_DAYS = 90;
const NARROW_DAYS = 60;

/** `YYYY-MM-DD` in UTC. */
export function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}

/** Of a long output, the lines that are kept. */
export function firstLines(text: string, count: number | undefined): string {
  const lines = text.split("\n");
  return count === undefined || lines.length <= count ? text : [...lines.slice(0, count), "[…]", ""].join("\n");
}
