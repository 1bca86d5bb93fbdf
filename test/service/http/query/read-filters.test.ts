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

const shared = sharedService({ rows, rateLimit: 1_000, sampleRateLimit: 1_000 });

const long = "x".repeat(8_000);

// Every wrong value, on every operation: the right code, the right field, and never the unfiltered set.
const refusals: [query: string, code: string, field: string][] = [
  ["retailer=", "invalid_request", "retailer"],
  ["retailer=%20", "invalid_request", "retailer"],
  ["category=", "invalid_request", "category"],
  ["department=", "invalid_request", "department"],
  ["rcd=", "invalid_request", "rcd"],
  ["retailer", "invalid_request", "retailer"],
  ["retailer=acme%00", "invalid_request", "retailer"],
  ["category=lamps%0a", "invalid_request", "category"],
  ["department=%1b%5b31m", "invalid_request", "department"],
  ["retailer=acme&retailer=acme", "invalid_request", "retailer"],
  ["start_date=2026-01-01&start_date=2026-01-01", "invalid_request", "start_date"],
  ["retailer[]=acme", "invalid_request", "retailer[]"],
  ["Retailer=acme", "invalid_request", "Retailer"],
  ["retailer=%zz", "invalid_request", "retailer"],
  ["since=2026-01-01", "invalid_request", "since"],
  ["retailer=acme,bolt", "unknown_retailer", "retailer"],
  ["retailer=ACME", "unknown_retailer", "retailer"],
  ["retailer=*", "unknown_retailer", "retailer"],
  [`retailer=${long}`, "unknown_retailer", "retailer"],
  [`category=${long}`, "unknown_category", "category"],
  [`department=${long}`, "unknown_department", "department"],
  [`start_date=${long}`, "invalid_date_range", "start_date"],
  [`rcd=${long}`, "invalid_request", "rcd"],
  [`rcd=a:b:${long}`, "unknown_retailer", "rcd"],
  ["category=lamp", "unknown_category", "category"],
  ["department=hom", "unknown_department", "department"],
  ["retailer=acme&category=drills", "unknown_category", "category"],
  ["retailer=acme&department=tools", "unknown_department", "department"],
  ["rcd=acme", "invalid_request", "rcd"],
  ["rcd=acme:lamps", "invalid_request", "rcd"],
  ["rcd=acme:lamps:home:more", "invalid_request", "rcd"],
  ["rcd=acme::home", "invalid_request", "rcd"],
  ["rcd=acme:lamps:home,", "invalid_request", "rcd"],
  ["rcd=acme:lamps:home,%20bolt:lamps:lights", "invalid_request", "rcd"],
  ["rcd=acme:lamps:home%00", "invalid_request", "rcd"],
  ["rcd=akme:lamps:home", "unknown_retailer", "rcd"],
  ["rcd=acme:drills:home", "unknown_category", "rcd"],
  ["rcd=acme:lamps:tools", "unknown_department", "rcd"],
  ["rcd=acme:lamps:wear", "unknown_category", "rcd"],
  ["rcd=acme:lamps:home,bolt:lamps:home", "unknown_department", "rcd"],
  ["start_date=", "invalid_date_range", "start_date"],
  ["end_date=", "invalid_date_range", "end_date"],
  ["start_date=2026-02-30", "invalid_date_range", "start_date"],
  ["end_date=2025-02-29", "invalid_date_range", "end_date"],
  ["start_date=2026-1-1", "invalid_date_range", "start_date"],
  ["start_date=20260101", "invalid_date_range", "start_date"],
  ["start_date=2026-01-01T00:00:00Z", "invalid_date_range", "start_date"],
  ["end_date=today", "invalid_date_range", "end_date"],
  ["end_date=2026-01-01%00", "invalid_date_range", "end_date"],
  ["start_date=2026-01-16&end_date=2026-01-15", "invalid_date_range", "start_date"],
];

test.each(["sample", "catalog", "coverage"])(
  "%s refuses every wrong filter with its code and field",
  async (operation) => {
    const service = await shared();

    const responses = [];
    for (const [query] of refusals) {
      const { status, body } = await service.get(`/v1/${operation}?${query}`);
      responses.push([query, status, body.code, body.field]);
    }

    expect(responses).toEqual(refusals.map(([query, code, field]) => [query, 400, code, field]));
  },
);

const selections: [query: string, rcds: string[]][] = [
  ["", ["acme:chairs:home", "acme:lamps:home", "acme:shoes:wear", "bolt:lamps:lights", "bolt:drills:tools"]],
  ["retailer=acme", ["acme:chairs:home", "acme:lamps:home", "acme:shoes:wear"]],
  ["category=lamps", ["acme:lamps:home", "bolt:lamps:lights"]],
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
