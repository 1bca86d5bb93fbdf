/** Days of the demo, counted from 0. `until` is exclusive. */
export interface CrawlPeriod {
  from: number;
  until: number;
}

/** An invented retailer and what it sells. */
export interface DemoRetailer {
  slug: string;
  domain: string;
  currency: string;
  /** Decimal places of its prices. Default: 2. */
  decimals?: 0;
  /** Units of its currency for one euro, roughly. */
  level: number;
  /** The sku of product number `n`. */
  sku: (n: number) => string;
  /** Days between two crawls of one product. */
  interval: number;
  /** When the retailer was crawled. Default: always. */
  crawled?: CrawlPeriod;
  /** Periods in which a category was not crawled. */
  gaps?: Readonly<Record<string, CrawlPeriod>>;
  /** Category slugs by department slug. A category may occur in several departments and retailers. */
  departments: Readonly<Record<string, readonly string[]>>;
}

const padded = (n: number) => String(n).padStart(6, "0");

/** Invented; domains end in `.example` (RFC 2606 section 3). */
export const DEMO_RETAILERS: readonly DemoRetailer[] = [
  {
    slug: "nordwind",
    domain: "www.nordwind.example",
    currency: "EUR",
    level: 1,
    sku: (n) => `NW-${padded(n)}`,
    interval: 2,
    gaps: { tents: { from: 58, until: 90 } },
    departments: {
      electronics: ["headphones", "keyboards", "monitors"],
      kitchen: ["kettles", "coffee-makers", "knives"],
      outdoor: ["tents", "headlamps"],
    },
  },
  {
    slug: "bazaar-plus",
    domain: "bazaarplus.example",
    currency: "EGP",
    level: 52,
    sku: (n) => `Z${(n * 7919).toString(16).toUpperCase().padStart(8, "0")}`,
    interval: 2,
    gaps: { "phone-cases": { from: 30, until: 47 } },
    departments: {
      electronics: ["headphones", "phone-cases", "power-banks"],
      beauty: ["perfume", "skin-care"],
      home: ["kettles", "carpets"],
    },
  },
  {
    slug: "harbor-goods",
    domain: "harborgoods.example",
    currency: "USD",
    level: 1.1,
    sku: (n) => String(100_000 + n),
    interval: 3,
    crawled: { from: 12, until: 90 },
    gaps: { hoses: { from: 64, until: 90 }, puzzles: { from: 12, until: 40 } },
    departments: {
      garden: ["hoses", "lanterns", "tents"],
      home: ["carpets", "lamps", "knives"],
      toys: ["puzzles", "board-games"],
    },
  },
  {
    slug: "kisumu-market",
    domain: "shop.kisumu-market.example",
    currency: "KES",
    decimals: 0,
    level: 140,
    sku: (n) => `km${n}`,
    interval: 3,
    crawled: { from: 35, until: 90 },
    departments: { groceries: ["tea", "coffee", "spices"], home: ["lamps", "kettles"], beauty: ["skin-care", "soap"] },
  },
  {
    slug: "tanoshi",
    domain: "tanoshi.example",
    currency: "JPY",
    decimals: 0,
    level: 160,
    sku: (n) => `4900${padded(n)}`,
    interval: 4,
    gaps: { "model-kits": { from: 20, until: 38 } },
    departments: { toys: ["puzzles", "model-kits", "board-games"], stationery: ["pens", "notebooks"] },
  },
  {
    slug: "ridge-and-river",
    domain: "www.ridgeandriver.example",
    currency: "GBP",
    level: 0.86,
    sku: (n) => String(100_000 + n),
    interval: 4,
    crawled: { from: 0, until: 66 },
    departments: { outdoor: ["tents", "headlamps", "stoves"], clothing: ["jackets", "boots", "gloves"] },
  },
  {
    slug: "casa-luz",
    domain: "casaluz.example",
    currency: "BRL",
    level: 6.2,
    sku: (n) => `${n % 97}/${padded(n)}`,
    interval: 4,
    crawled: { from: 21, until: 90 },
    gaps: { cushions: { from: 44, until: 60 } },
    departments: { home: ["lamps", "carpets", "cushions"], kitchen: ["coffee-makers", "knives", "kettles"] },
  },
];

export const DEMO_BRANDS: readonly string[] = ["Alden", "Brightway", "Corvo", "D&M", "", "Élan", "Fjällström", "Ōkami"];

export const DEMO_COLORS: readonly (string | null)[] = [null, "black", "white", null, "Sea Green", "أزرق", "red, matt"];

/** Titles that are difficult for files, spreadsheets or terminals. `{}` stands for the plain title. */
export const DEMO_TITLES: readonly string[] = [
  '{}, 15" with "quick" charge',
  "={} & more",
  "+{} (bundle of 2)",
  "-{}- clearance",
  "@{} limited",
  "{}\twith a tab",
  "{}\nsecond line",
  "{}\r\nWindows line",
  "{} سماعات بلوتوث لاسلكية",
  "{} 🎧🏕️ family 👩‍👩‍👧",
  "{}\u200b zero\u200dwidth\ufeff",
  "\u001b[31m{}\u001b[0m in red",
  "{} \u0007bell and \u0085next line",
  "{} \u202eright to left override",
  "Cafe\u0301 {}; 50 % off, 'today'",
  "  {} between spaces  ",
  '{} \\"backslash\\"',
];
