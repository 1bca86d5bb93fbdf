import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { ApiError, NetworkError, SetChangedError } from "../../src/contract/errors.ts";
import { temporaryBytes } from "../../src/files/stored-bytes.ts";
import { type PullOptions, type PullResult, pull, type RowSink } from "../../src/pull/pull.ts";
import { createPageStore, type PageStore, type StoredPage } from "../../src/pull/store/page-store.ts";
import type { RowBatch } from "../../src/rows/batch.ts";
import { batchOf } from "../../src/rows/scan.ts";
import { type FakeRow, type FakeService, fakeRows, fakeService, problemError, texts } from "../helpers/fake-client.ts";

/** Keeps rows as a file does, which can start over, or as a stream, from which nothing can be taken back. */
function memorySink(kind: "file" | "stream") {
  let rows: string[] = [];
  const sink: RowSink = {
    write: async (batch) => void rows.push(...batch.texts()),
    restart: async () => {
      if (kind === "stream") {
        return rows.length === 0;
      }
      rows = [];
      return true;
    },
  };
  return { sink, rows: () => rows };
}

type Sink = ReturnType<typeof memorySink>;

const DEFAULTS = { filters: {}, pageSize: 10, concurrency: 4, signal: new AbortController().signal };

async function run(service: FakeService, { sink }: Sink, options: Partial<PullOptions> = {}) {
  const restarts: string[] = [];
  const observer = { onRestart: (reason: string) => void restarts.push(reason) };
  let result: PullResult | undefined;
  let error: unknown;
  try {
    result = await pull(service.client, sink, { ...DEFAULTS, observer, ...options });
  } catch (caught) {
    error = caught;
  }
  return { result, error, restarts };
}

/** 1240 rows: combinations of one slice each, and one that is cut by date. */
function manyRows(): FakeRow[] {
  const ofBolt = ["bags", "belts", "caps", "gloves", "hats", "scarves", "socks"];
  const ofZeta = Array.from({ length: 17 }, (_, index) => `shirts-${index + 10}`);
  return [
    ...fakeRows(40, "acme", "boots"),
    ...fakeRows(40, "acme", "coats"),
    ...fakeRows(200, "acme", "shoes"),
    ...ofBolt.flatMap((category) => fakeRows(40, "bolt", category)),
    ...ofZeta.flatMap((category) => fakeRows(40, "zeta", category)),
  ];
}

/** Results of `undisturbed`, by rows and size of pages. */
const known = new Map<string, Promise<string[]>>();

/** Rows as an undisturbed pull gives them. */
function undisturbed(rows: readonly FakeRow[], pageSize = DEFAULTS.pageSize): Promise<string[]> {
  const key = `${pageSize} ${texts(rows)}`;
  const found = known.get(key) ?? pullUndisturbed(rows, pageSize);
  known.set(key, found);
  return found;
}

async function pullUndisturbed(rows: readonly FakeRow[], pageSize: number): Promise<string[]> {
  const sink = memorySink("file");
  const { error } = await run(fakeService(rows), sink, { pageSize });
  expect(error).toBeUndefined();
  return sink.rows();
}

/** Does something once, before the nth request for a page. */
function beforePage(service: FakeService, number: number, action: () => void): void {
  let pages = 0;
  service.before = (request) => {
    pages += request === "coverage" ? 0 : 1;
    if (pages === number && request !== "coverage") {
      action();
    }
  };
}

const extra: FakeRow = {
  retailer: "acme",
  department: "fashion",
  category: "boots",
  crawl_date: "2026-01-01",
  sku: "A",
  product_id: "extra",
};

describe("a service that does not report total_matching", () => {
  function untold(): FakeService {
    const service = fakeService(manyRows());
    const { client } = service;
    const catalog: typeof client.catalog = async (...args) => {
      const page = await client.catalog(...args);
      return { ...page, pagination: { ...page.pagination, limit: null, total_matching: null } };
    };
    return { ...service, client: { ...client, catalog } };
  }

  test("is read completely", async () => {
    const sink = memorySink("stream");
    const { result } = await run(untold(), sink);
    expect([result?.rows, new Set(sink.rows()).size]).toEqual([1240, 1240]);
  });

  test("is compared with the coverage", async () => {
    const service = untold();
    const { client } = service;
    const short: FakeService = {
      ...service,
      client: {
        ...client,
        catalog: async (...args) => {
          const page = await client.catalog(...args);
          return { ...page, rows: page.rows.slice(1) };
        },
      },
    };
    const { error } = await run(short, memorySink("stream"));
    expect(error).toBeInstanceOf(SetChangedError);
    expect((error as Error).message).toMatch(/coverage counted \d+ rows, but the walk returned \d+/);
  });
});

describe("a pull", () => {
  test("returns each row once, combination by combination", async () => {
    const rows = manyRows();
    const sink = memorySink("file");
    const { result, error } = await run(fakeService(rows), sink);
    expect(error).toBeUndefined();
    expect([...sink.rows()].sort()).toEqual(texts(rows).sort());
    expect(sink.rows().slice(0, 80)).toEqual(texts(rows.slice(0, 80)));
    const counted = result?.slices.reduce((sum, slice) => sum + slice.rows, 0);
    expect([result?.rows, result?.truncated, counted]).toEqual([1240, false, 1240]);
  });

  test.each(["file", "stream"] as const)(
    "plans again for a %s where the set changed before the first walk",
    async (kind) => {
      const service = fakeService(manyRows());
      beforePage(service, 1, () => service.rows.push(extra));
      const sink = memorySink(kind);
      const { error, restarts } = await run(service, sink, { concurrency: 1 });
      expect([error, restarts.length]).toEqual([undefined, 1]);
      expect(sink.rows()).toEqual(await undisturbed(service.rows));
    },
  );

  test.each([
    ["added", (service: FakeService) => void service.rows.push(extra)],
    ["removed", (service: FakeService) => void service.rows.splice(0, 1)],
    ["exchanged", (service: FakeService) => void service.rows.splice(39, 1, extra)],
  ])("makes a file again if rows are %s during the walk", async (_, change) => {
    const service = fakeService(manyRows());
    beforePage(service, 4, () => change(service));
    const sink = memorySink("file");
    const { error, restarts } = await run(service, sink, { concurrency: 1 });
    expect([error, restarts.length]).toEqual([undefined, expect.any(Number)]);
    expect(restarts.length).toBeGreaterThan(0);
    expect(sink.rows()).toEqual(await undisturbed(service.rows));
  });

  test("gives a file that starts over the kept pages again, and asks only for those that changed", async () => {
    const service = fakeService(manyRows());
    const asked: string[] = [];
    service.before = (request, { rcd }) => {
      asked.push(`${request} ${rcd}`);
      if (request === "catalog 0" && rcd?.includes("shoes") && service.rows.length === 1240) {
        service.rows.push({ ...extra, category: "shoes" });
      }
    };
    const sink = memorySink("file");
    const { error, restarts } = await run(service, sink, { concurrency: 1 });
    expect([error, restarts.length]).toEqual([undefined, 1]);
    expect(sink.rows()).toEqual(await undisturbed(service.rows));
    // The first page of a slice is requested again at its end.
    const again = asked.filter((page, index) => {
      const times = asked.slice(0, index).filter((earlier) => earlier === page).length;
      return page.startsWith("catalog") && times >= (page.startsWith("catalog 0 ") ? 2 : 1);
    });
    expect(again.filter((page) => !page.includes("shoes"))).toEqual([]);
  });

  test("gives a file again the rows of a group that was cut by date, if one was missing while its first slice was read", async () => {
    const rows = manyRows();
    const service = fakeService(rows);
    const hidden = rows.find(({ category }) => category === "shoes") as FakeRow;
    let shown = false;
    service.before = (request, { rcd, start_date }) => {
      if (request !== "coverage" && rcd?.includes("shoes") && !shown) {
        shown = start_date !== undefined;
        service.rows = shown ? rows : rows.filter((row) => row !== hidden);
      }
    };
    const sink = memorySink("file");
    const { error, restarts } = await run(service, sink, { concurrency: 1 });
    expect([shown, error]).toEqual([true, undefined]);
    expect(restarts).toEqual(["coverage counted 200 rows, but the walk returned 199"]);
    expect(sink.rows()).toEqual(await undisturbed(rows));
  });

  test("fails if rows that a stream already has have changed", async () => {
    const service = fakeService(manyRows());
    beforePage(service, 4, () => service.rows.push(extra));
    const { error } = await run(service, memorySink("stream"), { concurrency: 1 });
    expect(error).toBeInstanceOf(SetChangedError);
  });

  test.each([
    ["file", undefined],
    ["stream", "the set changed while it was read: rows that were already read have changed"],
  ] as const)(
    "loses no row of a %s if a row was removed and another one added while its slice was read",
    async (kind, message) => {
      // One combination and day, so that the set is one slice.
      const service = fakeService(fakeRows(50, "acme", "shoes", 1));
      const kept = service.rows.filter((_, index) => index !== 3);
      let swapped = false;
      service.before = (request) => {
        if (request === "catalog 20" && !swapped) {
          swapped = true;
          service.rows = [...kept, { ...(kept[0] as FakeRow), sku: "Z", product_id: "added" }];
        }
      };
      const sink = memorySink(kind);
      const { error } = await run(service, sink);
      expect([swapped, (error as Error | undefined)?.message]).toEqual([true, message]);
      if (error === undefined) {
        expect(sink.rows()).toEqual(texts(service.rows));
      }
    },
  );

  test("continues a stream if only unwritten rows have changed", async () => {
    const rows = manyRows();
    const service = fakeService(rows);
    service.before = (request, { rcd }) => {
      if (request === "catalog 0" && rcd?.includes("hats") && service.rows.length === rows.length) {
        service.rows.push({ ...extra, retailer: "bolt", category: "hats" });
      }
    };
    const sink = memorySink("stream");
    const { error, restarts } = await run(service, sink);
    expect([error, restarts.length]).toEqual([undefined, 1]);
    expect(sink.rows()).toEqual(await undisturbed(service.rows));
  });

  test("makes a new plan if a combination was removed", async () => {
    const rows = manyRows();
    const service = fakeService(rows);
    service.before = (request, { rcd }) => {
      if (request !== "coverage" && rcd?.includes("bolt")) {
        service.rows = rows.filter(({ retailer }) => retailer !== "bolt");
        throw problemError("unknown_retailer");
      }
    };
    const sink = memorySink("file");
    const { error, result } = await run(service, sink);
    expect([error, result?.rows]).toEqual([undefined, 960]);
    expect([...sink.rows()].sort()).toEqual(texts(service.rows).sort());
  });

  test("fails if coverage and walks never agree", async () => {
    const service = fakeService(manyRows());
    const { coverage } = service.client;
    service.client.coverage = async (...args) => {
      const answer = await coverage(...args);
      return { ...answer, data: answer.data.map((entry) => ({ ...entry, matching_rows: entry.matching_rows + 1 })) };
    };
    const discarded: string[] = [];
    const store = openedStore({ record: async ({ kind, slice }) => void (kind === "drop" && discarded.push(slice)) });
    const { error } = await run(service, memorySink("file"), { store });
    expect(error).toBeInstanceOf(SetChangedError);
    expect(service.requests.filter((request) => request === "coverage").length).toBe(5);
    // A later process must not use the pages that were found to be wrong.
    expect(discarded.length).toBeGreaterThan(0);
    expect(discarded.length).toBe(4 * new Set(discarded).size);
    expect(discarded.flatMap((key) => store.pagesOf(key))).toEqual([]);
  });

  test("continues as long as it reads more of a set that keeps changing", async () => {
    const service = fakeService(manyRows());
    const changing = ["bags", "belts", "caps", "gloves", "hats", "scarves", "socks"];
    service.before = (request, { rcd }) => {
      const category = changing.find((name) => request === "catalog 0" && rcd?.includes(`:${name}:`));
      if (category !== undefined) {
        changing.splice(changing.indexOf(category), 1);
        service.rows.push({ ...extra, retailer: "bolt", category, product_id: `extra-${category}` });
      }
    };
    const sink = memorySink("file");
    const { error, restarts } = await run(service, sink, { concurrency: 1 });
    expect([error, restarts.length]).toEqual([undefined, 7]);
    expect(sink.rows()).toEqual(await undisturbed(service.rows));
  });

  test("throws errors that are not about the set", async () => {
    const service = fakeService(manyRows());
    beforePage(service, 9, () => {
      throw new NetworkError("cut");
    });
    const sink = memorySink("file");
    const { error } = await run(service, sink);
    expect(error).toBeInstanceOf(NetworkError);
    expect(sink.rows()).toEqual((await undisturbed(manyRows())).slice(0, sink.rows().length));
  });

  test.each([
    [1, true],
    [95, true],
    [1239, true],
    [1240, false],
    [1241, false],
  ])("ends after %i rows if no more are wanted", async (maxRows, truncated) => {
    const sink = memorySink("file");
    const { result } = await run(fakeService(manyRows()), sink, { maxRows });
    expect([result?.rows, result?.truncated]).toEqual([Math.min(maxRows, 1240), truncated]);
    expect(sink.rows()).toEqual((await undisturbed(manyRows())).slice(0, maxRows));
  });

  test("requests only a few more pages than the wanted rows need", async () => {
    const service = fakeService(manyRows());
    await run(service, memorySink("file"), { maxRows: 15, concurrency: 1 });
    // The coverage, two pages, two that are read ahead, and one that is read again.
    expect(service.requests.length).toBeLessThanOrEqual(6);
  });

  test.each([1, 4, 16])("asks for no page again that is in its store (concurrency %i)", async (concurrency) => {
    const rows = manyRows();
    const { store, read } = await interrupted(rows, 14);
    const service = fakeService(rows);
    const asked: string[] = [];
    service.before = (request, filters) => void asked.push(`${request} ${JSON.stringify(filters)}`);
    const sink = memorySink("file");
    expect(read.length).toBe(store.size());
    // Another size of pages does not matter either.
    const { error } = await run(service, sink, { store, concurrency, pageSize: 7 });
    expect(error).toBeUndefined();
    expect(sink.rows()).toEqual(await undisturbed(rows));
    // The pages before the seam of the slice that had begun: its last one before it goes on, its first one when it ends.
    expect(read.filter((request) => asked.includes(request))).toEqual(read.slice(-2));
  });

  test("reads again only the rows that changed since an earlier pull", async () => {
    const { store } = await interrupted(manyRows(), 13);
    const changed = [...manyRows(), { ...extra, category: "shoes" }];
    const service = fakeService(changed);
    const asked: string[] = [];
    service.before = (_, { rcd }) => void asked.push(rcd ?? "");
    const sink = memorySink("file");
    const { error } = await run(service, sink, { store });
    expect(error).toBeUndefined();
    expect(sink.rows()).toEqual(await undisturbed(changed));
    expect(asked.filter((rcd) => rcd.includes("boots"))).toEqual([]);
  });

  test("reads the rows of an earlier pull again if the days of their coverage have changed, though not their number", async () => {
    const rows = manyRows();
    const { store } = await interrupted(rows, 13);
    const changed = [...rows.slice(1), { ...extra, crawl_date: "2026-03-01" }];
    const sink = memorySink("file");
    const { error, restarts } = await run(fakeService(changed), sink, { store });
    expect([error, restarts]).toEqual([undefined, []]);
    expect(sink.rows()).toEqual(await undisturbed(changed));
  });

  test("remembers the ids of an earlier pull: a row that comes again is not written twice", async () => {
    const rows = manyRows();
    const { store } = await interrupted(rows, 5);
    const service = fakeService(rows);
    const { client } = service;
    let repeats = 0;
    const catalog: typeof client.catalog = async (filters, page, signal) => {
      const answer = await client.catalog(filters, page, signal);
      if (page?.cursor !== "20" || !filters.rcd?.includes("coats")) {
        return answer;
      }
      repeats += 1;
      const { rows: first } = await client.catalog(filters, { ...page, cursor: undefined }, signal);
      return repeats > 1 ? answer : { ...answer, rows: batchOf([...answer.rows.texts().slice(1), first.text(0)]) };
    };
    const sink = memorySink("file");
    const { restarts } = await run({ ...service, client: { ...client, catalog } }, sink, { store });
    expect([repeats, restarts]).toEqual([2, [expect.stringContaining("was returned twice")]]);
    expect(sink.rows()).toEqual(await undisturbed(rows));
  });

  test.each([
    ["ends too early", 0, 3, "the walk ended after 30 rows, but total_matching is 40"],
    ["has a page twice", 1, 4, /^row .* was returned twice$/],
  ])(
    "checks the pages of its store as it reads them: a slice that %s is read again",
    async (_, doubled, kept, reason) => {
      const rows = manyRows();
      const { store, keys } = await interrupted(rows, 6);
      const forged = openedStore();
      const [key = ""] = keys;
      const pages = store.pagesOf(key);
      for (let index = 0; index < kept; index += 1) {
        const page = pages[Math.max(0, index - doubled)] as StoredPage;
        const cursor = index === kept - 1 ? null : (pages[index]?.cursor ?? null);
        await forged.save(key, index, (await store.read(page)) as RowBatch, { ...page, cursor });
      }
      const sink = memorySink("file");
      const { error, restarts } = await run(fakeService(rows), sink, { store: forged });
      expect([error, restarts[0]]).toEqual([
        undefined,
        typeof reason === "string" ? reason : expect.stringMatching(reason),
      ]);
      expect(sink.rows()).toEqual(await undisturbed(rows));
    },
  );

  test("reports whether more rows match when its store already has all wanted rows", async () => {
    const rows = manyRows();
    const store = openedStore();
    await run(fakeService(rows), memorySink("file"), { maxRows: 90, store });
    const sink = memorySink("file");
    const { result } = await run(fakeService(rows), sink, { maxRows: 90, store });
    expect([result?.rows, result?.truncated, sink.rows().length]).toEqual([90, true, 90]);
  });
});

function openedStore(options: Partial<Parameters<typeof createPageStore>[1]> = {}): PageStore {
  const store = createPageStore(temporaryBytes(true), { keeps: true, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** The store of a pull that ended when it had `count` pages, the slices of these, and their requests. */
async function interrupted(rows: readonly FakeRow[], count: number) {
  const keys: string[] = [];
  const store = openedStore({ record: async ({ slice }) => void keys.push(slice) });
  const service = fakeService(rows);
  const read: string[] = [];
  service.before = (request, filters) => {
    if (store.size() >= count) {
      throw new NetworkError("cut");
    }
    const page = `${request} ${JSON.stringify(filters)}`;
    if (request !== "coverage" && !read.includes(page)) {
      read.push(page);
    }
  };
  const { error } = await run(service, memorySink("file"), { concurrency: 1, store });
  expect(error).toBeInstanceOf(NetworkError);
  return { store, read, keys };
}

test("random faults do not change the rows", async () => {
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
          if (request !== "coverage" && count < 4 && (dice.next().value ?? 0) < 30) {
            faults.set(slice, count + 1);
            throw problemError("invalid_cursor");
          }
        };
        const sink = memorySink("file");
        const { error } = await run(service, sink, { pageSize, concurrency });
        expect(error instanceof ApiError ? error.problem : error).toBeUndefined();
        expect(sink.rows()).toEqual(await undisturbed(rows, pageSize));
      },
    ),
    { numRuns: 20 },
  );
});
