import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countDays, type DayCounts, type EndDays, requestsFor } from "../../src/commands/coverage/day-counts.ts";
import { SetChangedError } from "../../src/contract/errors.ts";
import type { Filters } from "../../src/contract/filters.ts";
import { type FakeRow, type FakeService, fakeRows, fakeService } from "../helpers/fake-client.ts";

const rowOn = (day: number, category: string, index: number): FakeRow => ({
  ...{ retailer: "acme", department: "fashion", category, sku: `S${index}`, product_id: `${category}-${index}` },
  crawl_date: new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10),
});

/** Rows of up to four combinations: crawled daily, now and then, or once, with long stretches without rows. */
const sets = fc
  .array(
    fc.record({
      category: fc.constantFrom("shoes", "hats", "coats", "gloves"),
      day: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.constantFrom(0, 200, 201, 900)),
    }),
    { maxLength: 60, size: "max" },
  )
  .map((rows) => rows.map(({ category, day }, index) => rowOn(day, category, index)));

function counted(rows: readonly FakeRow[]): Record<string, Record<string, number>> {
  const days: Record<string, Record<string, number>> = {};
  for (const { crawl_date, category } of rows) {
    const rcd = `acme:${category}:fashion`;
    const day = days[crawl_date] ?? {};
    days[crawl_date] = { ...day, [rcd]: (day[rcd] ?? 0) + 1 };
  }
  return days;
}

const plain = (days: DayCounts) =>
  Object.fromEntries([...days].map(([day, counts]) => [day, Object.fromEntries(counts)]));

interface Counting {
  filters?: Filters;
  requests?: number;
  wanted?: EndDays | undefined;
}

async function count(service: FakeService, { filters = {}, requests, wanted }: Counting = {}) {
  const { data } = await service.client.coverage(filters);
  service.requests.length = 0;
  const seen: number[] = [];
  const bound = requestsFor(data, wanted);
  const search = { wanted, signal: new AbortController().signal, onRows: (rows: number) => void seen.push(rows) };
  const days = await countDays(service.client, filters, data, { ...search, requests: requests ?? bound });
  return { days: plain(days), sent: service.requests.length, bound, seen };
}

describe("the rows of each day", () => {
  test("are exact, within the requests that were announced", async () => {
    await fc.assert(
      fc.asyncProperty(sets, async (rows) => {
        const { days, sent, bound, seen } = await count(fakeService(rows));
        expect(days).toEqual(counted(rows));
        expect(sent).toBeLessThanOrEqual(bound);
        expect(seen.at(-1)).toBe(rows.length);
      }),
      { numRuns: 30 },
    );
  });

  test("take one request for each day but the first, and one to check the whole, if every day has rows", async () => {
    const { sent, bound } = await count(fakeService(fakeRows(90, "acme", "shoes", 30)));
    expect([sent, bound]).toEqual([30, 30]);
  });

  test("take few requests if few days have rows", async () => {
    const rows = [0, 0, 0, 700, 700, 1400, 1400, 1400].map((day, index) => rowOn(day, "shoes", index));
    const { days, sent, bound } = await count(fakeService(rows));
    expect(Object.values(days)).toEqual([3, 2, 3].map((rows) => ({ "acme:shoes:fashion": rows })));
    expect(sent).toBeLessThan(25);
    expect(bound).toBe(4 * 11 + 1);
  });

  test("take no request if each combination was crawled on one day, or has one row on each of two", async () => {
    const rows = [rowOn(3, "shoes", 1), rowOn(3, "shoes", 2), rowOn(7, "hats", 3), rowOn(9, "coats", 4)];
    const { days, sent, bound } = await count(fakeService([...rows, rowOn(40, "coats", 5)]));
    expect(Object.keys(days).sort()).toEqual(["2026-01-04", "2026-01-08", "2026-01-10", "2026-02-10"]);
    expect([sent, bound]).toEqual([0, 0]);
  });

  test("at one end of the set are exact, within one request each and one for the whole", async () => {
    const ends = fc.record({ most: fc.integer({ min: 1, max: 4 }), newestFirst: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(sets, ends, async (rows, wanted) => {
        const { days, sent, bound } = await count(fakeService(rows), { wanted });
        const all = Object.entries(counted(rows)).sort(([a], [b]) => (a < b === wanted.newestFirst ? 1 : -1));
        expect(days).toMatchObject(Object.fromEntries(all.slice(0, wanted.most)));
        expect(sent).toBeLessThanOrEqual(Math.min(bound, wanted.most + 1));
      }),
      { numRuns: 30 },
    );
  });

  test("end on the last day that a date can name", async () => {
    const far = { ...rowOn(0, "shoes", 9), crawl_date: "9999-12-31" };
    const rows = [rowOn(0, "shoes", 1), rowOn(3, "shoes", 2), rowOn(3, "shoes", 3), far];
    for (const wanted of [undefined, { most: 2, newestFirst: true }, { most: 3, newestFirst: false }]) {
      expect((await count(fakeService(rows), { wanted })).days).toMatchObject({
        "9999-12-31": { "acme:shoes:fashion": 1 },
      });
    }
  });

  test("keep to the filters", async () => {
    const rows = [...fakeRows(40, "acme"), ...fakeRows(40, "zeta")];
    const { days } = await count(fakeService(rows), { filters: { retailer: "zeta", end_date: "2026-01-03" } });
    expect(days).toEqual(
      Object.fromEntries(["01", "02", "03"].map((day) => [`2026-01-${day}`, { "zeta:shoes:fashion": 4 }])),
    );
  });
});

describe("a set that changes while its days are counted", () => {
  /** Adds a row to the first day before the request of that number. */
  function changing(before: readonly number[]): FakeService {
    const service = fakeService(fakeRows(30));
    let asked = 0;
    service.before = () => {
      asked += 1;
      if (before.includes(asked)) {
        service.rows = [...service.rows, rowOn(0, "shoes", 100 + asked)];
      }
    };
    return service;
  }

  test("is counted again", async () => {
    const service = changing([4]);
    const { days } = await count(service, { requests: 40 });
    expect(days).toEqual(counted(service.rows));
    expect(days["2026-01-01"]).toEqual({ "acme:shoes:fashion": 4 });
  });

  test("is refused if it changes again and again", async () => {
    const service = changing(Array.from({ length: 50 }, (_, index) => index + 2));
    await expect(count(service, { requests: 40 })).rejects.toThrow(SetChangedError);
    expect(service.requests.length).toBeLessThanOrEqual(40);
  });

  test("is refused rather than counted with more requests than allowed", async () => {
    const service = changing([4]);
    await expect(count(service)).rejects.toThrow(SetChangedError);
  });
});
