import { product } from "./products.ts";

/** Rows like real ones: shared categories, several days, awkward titles, a number that must keep its digits. */
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

/** Two shops of lamps and kettles over two weeks: prices that fall and rise, a new low, and a product that is new. */
export const MORNING_ROWS = (
  [
    ["nordwind", "lamps", "NW-7", "EL-40", "Desk lamp „Élan“, brass", 50, [45, 45, 40, 30], ["05", "09", "15", "18"]],
    ["nordwind", "lamps", "NW-8", "FL-2", "Floor lamp, dimmable", 120, [90, 99, 95], ["05", "15", "18"]],
    ["nordwind", "lamps", "NW-9", "", "Clip lamp, black", 20, [20], ["17"]],
    ["nordwind", "kettles", "NW-3", "K17", "Kettle 1.7 l, steel", 35, [35, 32], ["05", "12"]],
    ["casa-luz", "lamps", "000451", "el-40", "Desk lamp Élan brass, E27", 48, [39, 44], ["05", "16"]],
    ["casa-luz", "kettles", "000452", " K17", "Kettle 1.7 l", 30, [24, 30], ["05", "16"]],
  ] as const
).flatMap(([retailer, category, sku, model_number, title, mrp, prices, days]) =>
  days.map((day, index) => {
    const selling_price = prices[index] ?? mrp;
    const discount_pct = Math.round(100 - (100 * selling_price) / mrp);
    const crawl_date = `2026-01-${day}`;
    return product({ retailer, category, sku, model_number, title, mrp, selling_price, discount_pct, crawl_date });
  }),
);

/** The basket of a user, `basket.csv` beside that folder. */
export const MORNING_BASKET = "sku,retailer,quantity\nNW-7,nordwind,2\nNW-3,nordwind,1\n000451,casa-luz,1\n";

/** What a user asks every morning, of the folder `rows`. */
export const MORNING_QUESTIONS = {
  "morning-report": ["report", "rows"],
  "morning-what-dropped": ["movers", "rows", "--only", "drop"],
  "morning-what-since-my-last-look": ["movers", "rows", "--since", "last", "--only", "drop"],
  "morning-is-it-a-new-low": ["history", "NW-7", "rows"],
  "morning-what-is-new": [
    ...["diff", "rows", "--from", "latest-7d", "--to", "latest", "--only", "appeared", "--category", "lamps"],
  ],
  "morning-who-is-cheapest": ["history", "--search", "desk lamp élan", "rows"],
  "morning-last-known-prices": ["latest", "rows", "--category", "lamps"],
  "morning-same-product-elsewhere": ["compare", "rows"],
  "morning-where-a-price-comes-from": [
    ...["why", "nordwind", "NW-7", "rows", "--columns", "crawl_date,selling_price,counted,figures,file,product_id"],
  ],
  "morning-discounts-by-category": ["latest", "rows", "--group-by", "category"],
  "morning-price-of-a-basket": ["index", "basket.csv", "rows", "--start-date", "latest-6d"],
  "morning-how-fresh": ["coverage", "--from", "rows", "--group-by", "retailer"],
} as const;

/** Replaces what differs between runs by constants of the same length, so that lines break at the same places. */
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

/** The first lines of a long output. */
export function firstLines(text: string, count: number | undefined): string {
  const lines = text.split("\n");
  return count === undefined || lines.length <= count ? text : [...lines.slice(0, count), "[…]", ""].join("\n");
}
