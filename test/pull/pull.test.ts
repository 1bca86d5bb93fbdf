import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError, NetworkError, SetChangedError } from "../../src/errors.ts";
import { openTemporarySpool } from "../../src/files/spool.ts";
import { createLookAhead } from "../../src/pull/look-ahead.ts";
import { type PullOptions, type PullResult, pull, type RowSink } from "../../src/pull/pull.ts";
import type { FinishedSlice } from "../../src/pull/slice-counts.ts";
import { type FakeRow, type FakeService, fakeRows, fakeService, problemError, texts } from "../helpers/fake-client.ts";

/**
 * Keeps rows as a file does, from whose end slices can be taken back, as a stream, from which nothing can, or as a workbook,
 * which can only start over.
 */
function memorySink(kind: "file" | "stream" | "workbook") {
  const slices: { rows: string[]; slice: FinishedSlice | undefined }[] = [];
  const open = () => {
    const last = slices.at(-1);
    if (last !== undefined && last.slice === undefined) {
      return last;
    }
    const next = { rows: [], slice: undefined };
    slices.push(next);
    return next;
  };
  const sink: RowSink = {
    write: async (rows) => void open().rows.push(...rows.texts()),
    endSlice: async (slice) => void Object.assign(open(), { slice }),
    rewind: async (count) => {
      if (kind === "stream") {
        return count === slices.length ? count : undefined;
      }
      slices.length = kind === "workbook" ? 0 : count;
      return slices.length;
    },
  };
  return {
    sink,
    rows: () => slices.flatMap(({ rows }) => rows),
    finished: () => slices.flatMap(({ slice }) => slice ?? []),
  };
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
    expect([result?.rows, result?.truncated, result?.slices]).toEqual([1240, false, sink.finished()]);
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
  ])("removes written rows from a file if rows are %s during the walk", async (_, change) => {
    const service = fakeService(manyRows());
    beforePage(service, 4, () => change(service));
    const sink = memorySink("file");
    const { error, restarts } = await run(service, sink, { concurrency: 1 });
    expect([error, restarts.length]).toEqual([undefined, expect.any(Number)]);
    expect(restarts.length).toBeGreaterThan(0);
    expect(sink.rows()).toEqual(await undisturbed(service.rows));
  });

  test("gives a workbook that starts over the kept pages again, and asks only for those that changed", async () => {
    const service = fakeService(manyRows());
    const asked: string[] = [];
    service.before = (request, { rcd }) => {
      asked.push(`${request} ${rcd}`);
      if (request === "catalog 0" && rcd?.includes("shoes") && service.rows.length === 1240) {
        service.rows.push({ ...extra, category: "shoes" });
      }
    };
    const keeping = { saved: async () => undefined, dropped: async () => undefined };
    const lookAhead = createLookAhead(await openTemporarySpool(1_000_000), new Map(), keeping);
    const sink = memorySink("workbook");
    const { error, restarts } = await run(service, sink, { concurrency: 1, lookAhead, keepPages: true });
    await lookAhead.close();
    expect([error, restarts.length]).toEqual([undefined, 1]);
    expect(sink.rows()).toEqual(await undisturbed(service.rows));
    // The first page of a slice is requested again at its end.
    const again = asked.filter((page, index) => {
      const times = asked.slice(0, index).filter((earlier) => earlier === page).length;
      return page.startsWith("catalog") && times >= (page.startsWith("catalog 0 ") ? 2 : 1);
    });
    expect(again.filter((page) => !page.includes("shoes"))).toEqual([]);
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
    const { error } = await run(service, memorySink("file"));
    expect(error).toBeInstanceOf(SetChangedError);
    expect(service.requests.filter((request) => request === "coverage").length).toBe(5);
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
      throw new NetworkError("cut", { attempts: 6 });
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

  test("continues after the slices that an earlier pull wrote", async () => {
    const rows = manyRows();
    const sink = await interrupted(rows);
    const before = [...sink.finished()];
    const service = fakeService(rows);
    const asked: unknown[] = [];
    service.before = (_, filters) => void asked.push(filters);
    const { error } = await run(service, sink, { resume: resumeOf(sink) });
    expect([error, before.length]).toEqual([undefined, 3]);
    expect(sink.rows()).toEqual(await undisturbed(rows));
    expect(before.filter(({ filters }) => asked.some((other) => isDeepStrictEqual(other, filters)))).toEqual([]);
  });

  test("reads again only the rows that changed since an earlier pull", async () => {
    const sink = await interrupted(manyRows());
    const changed = [...manyRows(), { ...extra, category: "shoes" }];
    const service = fakeService(changed);
    const asked: string[] = [];
    service.before = (_, { rcd }) => void asked.push(rcd ?? "");
    const { error } = await run(service, sink, { resume: resumeOf(sink) });
    expect(error).toBeUndefined();
    expect(sink.rows()).toEqual(await undisturbed(changed));
    expect(asked.filter((rcd) => rcd.includes("boots"))).toEqual([]);
  });

  test("reports whether more rows match when a resumed pull already has all wanted rows", async () => {
    const rows = manyRows();
    const sink = memorySink("file");
    await run(fakeService(rows), sink, { maxRows: 90 });
    const { result } = await run(fakeService(rows), sink, { maxRows: 90, resume: resumeOf(sink) });
    expect([result?.rows, result?.truncated, sink.rows().length]).toEqual([90, true, 90]);
  });
});

/** A pull that ended after its first three slices, and the requests it had sent. */
async function interrupted(rows: readonly FakeRow[]): Promise<Sink> {
  const sink = memorySink("file");
  const service = fakeService(rows);
  service.before = () => {
    if (sink.finished().length >= 3) {
      throw new NetworkError("cut", { attempts: 6 });
    }
  };
  const { error } = await run(service, sink, { concurrency: 1 });
  expect(error).toBeInstanceOf(NetworkError);
  await sink.sink.rewind(sink.finished().length);
  return sink;
}

/** What the journal of an interrupted pull says. */
function resumeOf(sink: Sink, slicePages = 4): NonNullable<PullOptions["resume"]> {
  return { slicePages, slices: sink.finished() };
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
