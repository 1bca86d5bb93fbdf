import fc from "fast-check";
import { expect, test } from "vitest";
import { oneRowEach } from "../../../helpers/products.ts";
import { sharedService } from "../../../helpers/service.ts";

const rows = oneRowEach(
  "acme:lamps:home",
  "acme:chairs:home",
  "acme:shoes:wear",
  "bolt:lamps:lights",
  "bolt:drills:tools",
);

const shared = sharedService({ rows, rateLimit: 1_000_000, sampleRateLimit: 1_000_000 });

const long = "x".repeat(8_000);
const NO_TEXT = "The parameter is not valid percent-encoded UTF-8.";

// Every wrong value, on every operation: the right code, the right field, what is wrong, and never the unfiltered set.
const refusals: (readonly [query: string, code: string, field: string, detail?: string])[] = [
  ["retailer=", "invalid_request", "retailer"],
  ["retailer=%20", "invalid_request", "retailer"],
  ["retailer=+", "invalid_request", "retailer", "The parameter retailer is empty."],
  ["category=", "invalid_request", "category"],
  ["department=", "invalid_request", "department"],
  ["rcd=", "invalid_request", "rcd"],
  ["retailer", "invalid_request", "retailer"],
  ["retailer=acme%00", "invalid_request", "retailer"],
  ["category=lamps%0a", "invalid_request", "category", "The parameter category contains control characters."],
  ["department=%1b%5b31m", "invalid_request", "department"],
  ["retailer=acme&retailer=acme", "invalid_request", "retailer", "The parameter retailer was sent more than once."],
  ["start_date=2026-01-01&start_date=2026-01-01", "invalid_request", "start_date"],
  ["retailer[]=acme", "invalid_request", "retailer[]"],
  ["Retailer=acme", "invalid_request", "Retailer"],
  ["retailer=%zz", "invalid_request", "retailer", NO_TEXT],
  ...["%", "%ff", "%c3%28", "%ed%a0%80"].map((value) => [`retailer=${value}`, "invalid_request", "retailer"] as const),
  ["%ff=1", "invalid_request", "%ff", NO_TEXT],
  ["retailer=acme&%72etailer=acme", "invalid_request", "retailer"],
  ["since=2026-01-01", "invalid_request", "since", 'There is no parameter "since" here.'],
  ["retailer=acme,bolt", "unknown_retailer", "retailer"],
  ["retailer=ACME", "unknown_retailer", "retailer", 'There is no retailer "ACME".'],
  ["retailer=*", "unknown_retailer", "retailer"],
  [`retailer=${long.slice(0, 80)}`, "unknown_retailer", "retailer", `There is no retailer "${long.slice(0, 80)}".`],
  [`retailer=${long}`, "unknown_retailer", "retailer", `There is no retailer "${"x".repeat(39)}…${"x".repeat(40)}".`],
  [`category=${long}`, "unknown_category", "category"],
  [`department=${long}`, "unknown_department", "department"],
  [`start_date=${long}`, "invalid_date_range", "start_date"],
  [`rcd=${long}`, "invalid_request", "rcd"],
  [`rcd=a:b:${long}`, "unknown_retailer", "rcd"],
  ["category=lamp", "unknown_category", "category", 'There is no category "lamp".'],
  ["department=hom", "unknown_department", "department", 'There is no department "hom".'],
  [
    "retailer=acme&category=drills",
    "unknown_category",
    "category",
    'There is no category "drills" at the retailer "acme".',
  ],
  ["retailer=acme&department=tools", "unknown_department", "department"],
  ["rcd=acme", "invalid_request", "rcd"],
  ["rcd=acme:lamps", "invalid_request", "rcd", '"acme:lamps" is not a retailer:category:department triple.'],
  ["rcd=acme:lamps:home:more", "invalid_request", "rcd"],
  ["rcd=acme::home", "invalid_request", "rcd"],
  ["rcd=acme:lamps:home,", "invalid_request", "rcd"],
  ["rcd=acme:lamps:home,%20bolt:lamps:lights", "invalid_request", "rcd"],
  [
    "rcd=acme:lamps:home%00",
    "invalid_request",
    "rcd",
    '"acme:lamps:home\\u0000" is not a retailer:category:department triple.',
  ],
  ["rcd=akme:lamps:home", "unknown_retailer", "rcd"],
  ["rcd=acme:drills:home", "unknown_category", "rcd"],
  ["rcd=acme:lamps:tools", "unknown_department", "rcd"],
  ["rcd=acme:lamps:wear", "unknown_category", "rcd", 'There is no combination "acme:lamps:wear".'],
  ["rcd=acme:lamps:home,bolt:lamps:home", "unknown_department", "rcd"],
  ["start_date=", "invalid_date_range", "start_date"],
  ["end_date=", "invalid_date_range", "end_date"],
  [
    "start_date=2026-02-30",
    "invalid_date_range",
    "start_date",
    'start_date "2026-02-30" is not a calendar date, YYYY-MM-DD.',
  ],
  ["end_date=2025-02-29", "invalid_date_range", "end_date"],
  ["start_date=2026-1-1", "invalid_date_range", "start_date"],
  ["start_date=20260101", "invalid_date_range", "start_date"],
  ["start_date=2026-01-01T00:00:00Z", "invalid_date_range", "start_date"],
  ["end_date=today", "invalid_date_range", "end_date"],
  ["end_date=2026-01-01%00", "invalid_date_range", "end_date"],
  [
    "start_date=2026-01-16&end_date=2026-01-15",
    "invalid_date_range",
    "start_date",
    "start_date 2026-01-16 is later than end_date 2026-01-15.",
  ],
];

/** What only the catalog takes. */
const refusedPages: typeof refusals = [
  ...["0", "-1", "+5", "1.0", "1e2", "ten", "", "%205", "0x10", "9".repeat(5_000), "%00"].map(
    (limit) => [`limit=${limit}`, "invalid_request", "limit"] as const,
  ),
  ["limit=501", "invalid_request", "limit", 'limit "501" is not a whole number from 1 to 500.'],
  ["limit=5&%6Cimit=6", "invalid_request", "limit"],
  ["cursor=x", "invalid_cursor", "cursor", "The cursor was not issued by this service."],
  ["cursor=", "invalid_cursor", "cursor"],
  ["cursor=%00", "invalid_cursor", "cursor"],
];

const withoutPages: typeof refusals = [
  ["limit=1", "invalid_request", "limit"],
  ["cursor=1", "invalid_request", "cursor"],
];

test.each([
  ["sample", [...refusals, ...withoutPages]],
  ["catalog", [...refusals, ...refusedPages]],
  ["coverage", [...refusals, ...withoutPages]],
])("%s refuses every wrong filter with its code and field", async (operation, all) => {
  const service = await shared();

  const responses = [];
  for (const [query] of all) {
    const { status, body } = await service.get(`/v1/${operation}?${query}`);
    responses.push([query, status, body.code, body.field, body.detail]);
  }

  const anything = expect.any(String);
  expect(responses).toEqual(all.map(([query, code, field, detail = anything]) => [query, 400, code, field, detail]));
});

test("any query is answered or refused, and never an internal error", async () => {
  const service = await shared();
  const name = fc.constantFrom("retailer", "category", "rcd", "start_date", "limit", "cursor", "a%", "");
  const odd = fc.constantFrom(..."% %00 %FF %ud800 + & = :: , # 2026-02-30 1e3 -1 é 𝒳".split(" "));
  const value = fc.array(fc.oneof(odd, fc.string({ maxLength: 8 })), { maxLength: 4 }).map((parts) => parts.join(""));
  const query = fc.array(fc.tuple(name, value), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(query, async (pairs) => {
      const text = pairs.map((pair) => pair.join("=")).join("&");
      const { status } = await service.get(`/v1/catalog?${text}`);
      expect([200, 400]).toContain(status);
    }),
    { numRuns: 100 },
  );
});

const selections: [query: string, rcds: string[]][] = [
  ["", ["acme:chairs:home", "acme:lamps:home", "acme:shoes:wear", "bolt:lamps:lights", "bolt:drills:tools"]],
  ["retailer=acme", ["acme:chairs:home", "acme:lamps:home", "acme:shoes:wear"]],
  ["category=lamps", ["acme:lamps:home", "bolt:lamps:lights"]],
  ["&category=l%61mps&", ["acme:lamps:home", "bolt:lamps:lights"]],
  ["department=home", ["acme:chairs:home", "acme:lamps:home"]],
  ["retailer=bolt&category=lamps", ["bolt:lamps:lights"]],
  ["retailer=acme&category=shoes&department=home", []],
  ["rcd=bolt:drills:tools", ["bolt:drills:tools"]],
  ["rcd=bolt:drills:tools,acme:lamps:home", ["acme:lamps:home", "bolt:drills:tools"]],
  ["rcd=acme:lamps:home,acme:lamps:home", ["acme:lamps:home"]],
  ["rcd=bolt%3Adrills%3Atools%2Cacme%3Alamps%3Ahome&retailer=acme", ["acme:lamps:home"]],
  ["rcd=acme:lamps:home&category=chairs", []],
  ["rcd=acme:lamps:home&start_date=2026-01-15&end_date=2026-01-15", ["acme:lamps:home"]],
];

test("filters select their combinations, and every filter sent applies", async () => {
  const service = await shared();

  const found = [];
  for (const [query] of selections) {
    const { body } = await service.get(`/v1/coverage?${query}`);
    found.push([query, body.data.map(({ rcd }: { rcd: string }) => rcd)]);
  }

  expect(found).toEqual(selections);
});

test("all six filters are echoed as they were sent", async () => {
  const service = await shared();
  const filters = {
    retailer: "acme",
    category: "lamps",
    department: "home",
    rcd: "acme:lamps:home,bolt:lamps:lights",
    start_date: "2026-01-01",
    end_date: "2026-12-31",
  };

  const { body } = await service.get(`/v1/coverage?${new URLSearchParams(filters)}`);

  expect(body.meta.resolved).toEqual(filters);
});
