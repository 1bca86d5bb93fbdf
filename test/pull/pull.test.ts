import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { NetworkError, SetChangedError } from "../../src/contract/errors.ts";
import type { Filters } from "../../src/contract/filters.ts";
import { batchOf } from "../../src/rows/scan.ts";
import { type FakeRow, type FakeService, fakeRows, fakeService, problemError, texts } from "../helpers/fake-client.ts";
import { beforePage, manyRows, openedStore, pulled, type TestPull, undisturbed } from "../helpers/pulls.ts";

/** The rows of `manyRows` as an undisturbed pull gives them. */
let inOrder: string[];
beforeAll(async () => {
  inOrder = await undisturbed(manyRows());
});

describe("a pull", () => {
  test.each(["file", "stream"] as const)("gives each row to a %s once, combination by combination", async (kind) => {
    const all = manyRows();
    const { rows, result, error } = await pulled(fakeService(all), kind);
    expect(error).toBeUndefined();
    expect([...rows].sort()).toEqual(texts(all).sort());
    expect(rows).toEqual(inOrder);
    const inSlices = result?.slices.reduce((sum, slice) => sum + slice.rows, 0);
    expect({ rows: result?.rows, truncated: result?.truncated, inSlices }).toEqual({
      rows: 1240,
      truncated: false,
      inSlices: 1240,
    });
  });

  test.each([1, 4, 16, 64])("gives the same order with %i walkers", async (concurrency) => {
    expect((await pulled(fakeService(manyRows()), "stream", { concurrency })).rows).toEqual(inOrder);
  });

  test("gives a stream its first rows when it has read the coverage and few pages", async () => {
    const service = fakeService(manyRows());
    const requests: number[] = [];
    const onRead = () => void requests.push(service.requests.length);
    await pulled(service, "stream", { concurrency: 1, onRead });
    expect(requests[0]).toBeLessThan(6);
  });

  test("reads some pages a second time, unless the service names the version of its data", async () => {
    const [plain, versioned] = [fakeService(manyRows()), fakeService(manyRows())];
    versioned.version = "7";
    const [of, ofVersioned] = [await pulled(plain, "file"), await pulled(versioned, "file")];
    expect({
      ofRecheckedPages: of.result?.recheckedPages,
      ofVersionedRecheckedPages: ofVersioned.result?.recheckedPages,
    }).toEqual({ ofRecheckedPages: 4, ofVersionedRecheckedPages: 0 });
    expect(plain.requests.length).toBe(versioned.requests.length + 4);
  });

  test.each([
    [0, 0],
    [10, 13],
    [100, 125],
  ])("reads %i %% of the pages a second time where that is asked for", async (recheck, expected) => {
    const { result, error } = await pulled(fakeService(manyRows()), "file", { recheck });
    expect({ error, recheckedPages: result?.recheckedPages }).toEqual({ error: undefined, recheckedPages: expected });
  });

  test("reads a slice without rows a second time like any other", async () => {
    const days = ["2026-01-01", "2026-06-30"];
    const rows = fakeRows(200, "acme", "boots", 2).map((row, index) => ({ ...row, crawl_date: days[index % 2] ?? "" }));
    const { error, result } = await pulled(fakeService(rows), "file", { recheck: 100 });
    expect({ error, rows: result?.rows, hasEmptySlice: result?.slices.some((slice) => slice.rows === 0) }).toEqual({
      error: undefined,
      rows: 200,
      hasEmptySlice: true,
    });
  });

  test("asks for no page twice but for these, and in no more slices than it needs", async () => {
    const service = fakeService(fakeRows(2_000, "acme", "shoes", 100));
    const { result } = await pulled(service, "file");
    expect(result?.slices.length).toBeLessThanOrEqual(12);
    expect(service.requests.length).toBeLessThanOrEqual(1.02 * 201 + 8);
  });

  test.each([
    [1, true],
    [95, true],
    [1239, true],
    [1240, false],
    [1241, false],
  ])("ends after %i rows if no more are wanted", async (maxRows, truncated) => {
    for (const kind of ["file", "stream"] as const) {
      const { rows, result } = await pulled(fakeService(manyRows()), kind, { maxRows });
      expect({ rows: result?.rows, truncated: result?.truncated }).toEqual({
        rows: Math.min(maxRows, 1240),
        truncated,
      });
      expect(rows).toEqual(inOrder.slice(0, maxRows));
    }
  });

  test("requests only a few more pages than the wanted rows need", async () => {
    const service = fakeService(manyRows());
    await pulled(service, "file", { maxRows: 15, concurrency: 1 });
    // The coverage, two pages, and these a second time.
    expect(service.requests.length).toBeLessThanOrEqual(5);
  });

  test("throws errors that are not about the set", async () => {
    const service = fakeService(manyRows());
    beforePage(service, 9, () => {
      throw new NetworkError("cut");
    });
    const { error, rows } = await pulled(service, "stream");
    expect(error).toBeInstanceOf(NetworkError);
    expect(rows).toEqual(inOrder.slice(0, rows.length));
  });

  test("a row that comes twice in a walk ends the pull if it always does", async () => {
    const service = fakeService(fakeRows(40, "acme", "boots", 1));
    const { catalog } = service.client;
    service.client.catalog = async (filters, page, ...rest) => {
      const answer = await catalog(filters, page, ...rest);
      const [first] = (await catalog(filters, { ...page, cursor: undefined })).rows.texts();
      const texts = answer.rows.texts();
      return page?.cursor === "30" ? { ...answer, rows: batchOf([...texts.slice(1), first ?? ""]) } : answer;
    };
    const { error } = await pulled(service, "file");
    const message = 'the set changed while it was read: row "acme-boots-000000" was returned twice';
    expect(error).toStrictEqual(new SetChangedError(message));
  });

  test("refuses a coverage that names rows which no request can get", async () => {
    const service = fakeService(manyRows());
    const { coverage } = service.client;
    service.client.coverage = async (...args) => {
      const answer = await coverage(...args);
      return { ...answer, data: answer.data.map((entry) => ({ ...entry, matching_rows: 0 })) };
    };
    const { error } = await pulled(service, "file");
    const message =
      "the coverage contradicts itself: acme:boots:fashion has 40 rows, but none that match, although no dates are asked for";
    expect(error).toStrictEqual(new SetChangedError(message));
  });
});

describe("a pull that goes on with the pages of an interrupted one", () => {
  /** Interrupts a pull before a page, changes the service, and pulls again. */
  async function resumed(service: FakeService, page: number, options: TestPull, change = () => {}) {
    const store = openedStore();
    beforePage(service, page, () => {
      throw new NetworkError("cut");
    });
    const cut = await pulled(service, "file", { ...options, store });
    expect(cut.error).toBeInstanceOf(NetworkError);
    service.before = () => undefined;
    change();
    return await pulled(service, "file", { ...options, store });
  }

  const MOMENTS = [20, 100, 180].flatMap((page) => [1, 4, 8, 16].map((concurrency) => [page, concurrency] as const));

  test.each(MOMENTS)("at page %i of 200, with %i walkers, sends few requests more", async (page, concurrency) => {
    const rows = ["boots", "coats", "shoes"].flatMap((category, index) =>
      fakeRows(500 + 167 * index, "acme", category),
    );
    const service = fakeService(rows);
    const { error, rows: found } = await resumed(service, page, { concurrency });
    expect({ error, found: [...found].sort() }).toEqual({ error: undefined, found: texts(rows).sort() });
    const fewest = 1 + Math.ceil(rows.length / 10);
    expect(service.requests.length).toBeLessThanOrEqual(1.02 * fewest + 8 + concurrency);
  });

  test.each(["boots", "coats", "shoes"])(
    "reads %s again, begun before, if its rows have been replaced",
    async (name) => {
      const service = fakeService(["boots", "coats", "shoes"].flatMap((category) => fakeRows(50, "acme", category)));
      const after = service.rows.map((row) =>
        row.category === name ? { ...row, product_id: `${row.product_id}x` } : row,
      );
      const change = () => {
        service.rows = after;
      };
      // The last slice has pages, but not all.
      const { error, rows } = await resumed(service, 13, { concurrency: 1, recheck: 0 }, change);
      expect({ error, rows: [...rows].sort() }).toEqual({ error: undefined, rows: texts(after).sort() });
    },
  );
});

describe("a service that does not report total_matching", () => {
  function untold(change: (texts: string[]) => string[] = (same) => same) {
    const service = fakeService(manyRows());
    const { catalog } = service.client;
    service.client.catalog = async (...args) => {
      const page = await catalog(...args);
      const rows = batchOf(change(page.rows.texts()));
      return { ...page, rows, pagination: { ...page.pagination, limit: null, total_matching: null } };
    };
    return service;
  }

  test("is read completely", async () => {
    const { result, rows } = await pulled(untold(), "stream");
    expect({ rows: result?.rows, distinct: new Set(rows).size }).toEqual({ rows: 1240, distinct: 1240 });
  });

  test("is compared with the coverage", async () => {
    const { error } = await pulled(
      untold((rows) => rows.slice(1)),
      "file",
    );
    expect(error).toBeInstanceOf(SetChangedError);
    expect(error?.message).toMatch(/coverage counted \d+ rows, but the pages have \d+/);
  });
});

describe("cursors that expire", () => {
  test("a refused cursor does not change the rows", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 25 }),
        fc.integer({ min: 1, max: 32 }),
        fc.infiniteStream(fc.integer({ min: 0, max: 99 })),
        async (counts, pageSize, concurrency, dice) => {
          const rows = counts.flatMap((count, index) => fakeRows(count, "acme", `category-${index}`, 5));
          const service = fakeService(rows);
          const faults = new Map<string, number>();
          service.before = (request, filters) => {
            const slice = JSON.stringify(filters);
            const count = faults.get(slice) ?? 0;
            // What is refused again and again cannot be read.
            if (!/^(coverage|catalog 0)$/.test(request) && count < 3 && (dice.next().value ?? 0) < 30) {
              faults.set(slice, count + 1);
              throw problemError("invalid_cursor");
            }
          };
          const { error, rows: found } = await pulled(service, "file", { pageSize, concurrency });
          expect(error).toBeUndefined();
          expect(found).toEqual(await undisturbed(rows, { pageSize }));
        },
      ),
      { numRuns: 20 },
    );
  });

  test("slices whose cursors never last are read page by page, without a cursor", async () => {
    const rows = ["boots", "coats", "hats"].flatMap((category) => fakeRows(400, "acme", category, 100));
    const service = fakeService(rows);
    const uses = new Map<string, number>();
    service.before = (request, filters) => {
      // A cursor lasts for two pages.
      const slice = JSON.stringify(filters);
      const isFirst = request === "catalog 0";
      const count = isFirst ? 0 : (uses.get(slice) ?? 0) + 1;
      uses.set(slice, count);
      if (request.startsWith("catalog") && count > 1) {
        throw problemError("invalid_cursor");
      }
    };
    const { error, rows: found } = await pulled(service, "file", { recheck: 0 });
    expect({ error, found: [...found].sort() }).toEqual({ error: undefined, found: texts(rows).sort() });
  });

  /** A service whose cursors never last, and that `count`s the rows of a slice in a way of its own. */
  function refusing(rows: readonly FakeRow[], count: FakeService["client"]["coverage"]) {
    const service = fakeService(rows);
    service.before = (request) => {
      if (!/^(coverage|catalog 0)$/.test(request)) {
        throw problemError("invalid_cursor");
      }
    };
    const { coverage } = service.client;
    service.client.coverage = (filters, ...rest) =>
      Object.keys(filters).length === 0 ? coverage(filters, ...rest) : count(filters, ...rest);
    return service;
  }

  const NONE = { combinations: 0, matching_rows: 0, corpus_rows: 0, earliest_date: null, latest_date: null };
  const noRows = async (filters: Filters) => {
    const resolved = { retailer: null, category: null, department: null, rcd: null, start_date: null, end_date: null };
    return { data: [], meta: { request_id: "req_fake", resolved: { ...resolved, ...filters }, coverage: NONE } };
  };

  test.each(["file", "stream"] as const)("a slice that is counted again must have its rows (%s)", async (kind) => {
    const rows = [...fakeRows(10, "acme", "boots"), ...fakeRows(20, "acme", "coats", 2)];
    const { error } = await pulled(refusing(rows, noRows), kind);
    const message = "the set changed while it was read: coverage counted 20 rows, but now 0";
    expect(error).toStrictEqual(new SetChangedError(message));
  });

  test("rows are not all written if each slice of a combination loses its days", async () => {
    const { error } = await pulled(refusing(fakeRows(400, "acme", "boots", 10), noRows), "file");
    expect(error).toStrictEqual(new SetChangedError("the set changed while it was read: 400 rows, but 0 were written"));
  });

  test("a combination that is gone when its slice is counted again makes a new plan", async () => {
    const service = refusing([...fakeRows(5, "acme", "boots"), ...fakeRows(10, "bolt", "coats")], async () => {
      service.rows = service.rows.slice(0, 5);
      throw problemError("unknown_retailer");
    });
    const { error, rows } = await pulled(service, "file", { pageSize: 9 });
    expect({ error, rowCount: rows.length }).toEqual({ error: undefined, rowCount: 5 });
  });

  test("a page that can be cut no further ends the pull with the reason", async () => {
    const service = fakeService(fakeRows(40, "acme", "boots", 1));
    service.before = (request) => {
      if (request === "catalog 20") {
        throw problemError("invalid_cursor");
      }
    };
    const { error } = await pulled(service, "file");
    const message =
      "the set cannot be read completely: the service no longer accepts its cursor, 3 times at the same place";
    expect(error).toStrictEqual(new SetChangedError(message));
  });
});
