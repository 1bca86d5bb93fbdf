import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { FileError } from "../../src/contract/errors.ts";
import { temporaryBytes } from "../../src/files/stored-bytes.ts";
import { inOrder, type WalkSource } from "../../src/pull/schedule.ts";
import { createPageStore, temporaryStore } from "../../src/pull/store/page-store.ts";
import type { WalkedPage } from "../../src/pull/walk.ts";
import type { RowBatch } from "../../src/rows/batch.ts";
import { batchOf } from "../../src/rows/scan.ts";

const never = new AbortController().signal;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A store on a disk that is full after so many bytes. */
function waitingIn(room: number) {
  const bytes = temporaryBytes(false);
  let left = room;
  const append = async (piece: Buffer) => {
    left -= piece.length;
    return left < 0 ? undefined : await bytes.append(piece);
  };
  return createPageStore({ ...bytes, append }, { keeps: false });
}

function schedule({ concurrency = 4, limit = 1_000_000 } = {}) {
  const store = waitingIn(limit);
  onTestFinished(() => store.close());
  return { concurrency, store };
}

/** The JSON text of the value of each row. */
function valuesOf(rows: RowBatch): string[] {
  return rows.texts().map((text) => text.slice('{"value":'.length, -1));
}

function pageOf(rows: RowBatch, cursor: string | null = "next"): WalkedPage {
  const coverage = { combinations: 1, matching_rows: 0, earliest_date: null, latest_date: null };
  return { rows, facts: { rows: rows.length, digest: "", cursor, set: { total: 0, coverage } } };
}

/** A source of rows with one value each, given as JSON text, whose pages come when `ready` says so. */
function source(pages: readonly string[][], ready: () => Promise<void> = async () => undefined): WalkSource {
  return sourceOf(async function* () {
    for (const page of pages) {
      await ready();
      yield batchOf(page.map((value) => `{"value":${value}}`));
    }
  });
}

let sources = 0;

function sourceOf(rows: (signal: AbortSignal) => AsyncIterable<RowBatch>): WalkSource {
  sources += 1;
  return {
    key: String(sources),
    walk: async function* (signal) {
      for await (const batch of rows(signal)) {
        yield pageOf(batch);
      }
    },
  };
}

async function rowsOf(events: AsyncIterable<Awaited<ReturnType<ReturnType<typeof inOrder>["next"]>>["value"]>) {
  const rows: string[] = [];
  for await (const event of events) {
    if (event?.rows !== undefined) {
      rows.push(...valuesOf(event.rows));
    }
  }
  return rows;
}

describe("a schedule", () => {
  test("yields each row once and in order, whatever the order in which pages arrive", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.array(fc.array(fc.string(), { minLength: 1, maxLength: 3 }), { maxLength: 4 }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom(0, 20, 1_000_000),
        async (s, sets, concurrency, limit) => {
          const pages = sets.map((set, i) => set.map((page, j) => page.map((text) => JSON.stringify({ i, j, text }))));
          const sources = pages.map((set) => source(set, () => s.schedule(Promise.resolve())));
          const store = waitingIn(limit);
          const rows = await s.waitFor(rowsOf(inOrder(sources, { concurrency, store }, never)));
          await store.close();
          expect(rows).toEqual(pages.flat(2));
        },
      ),
      { numRuns: 40 },
    );
  });

  test("reads at most the allowed number of sources at once", async () => {
    let open = 0;
    let most = 0;
    const sources = Array.from({ length: 20 }, () =>
      sourceOf(async function* () {
        open += 1;
        most = Math.max(most, open);
        await turn();
        yield batchOf(["{}"]);
        open -= 1;
      }),
    );
    await rowsOf(inOrder(sources, schedule(), never));
    expect(most).toBe(4);
  });

  test("keeps at most two pages of each source in memory, whatever the free space on disk", async () => {
    for (const limit of [0, 100, 1_000_000]) {
      const pages: RowBatch[] = [];
      const many = () =>
        sourceOf(async function* () {
          for (let page = 0; page < 50; page += 1) {
            const rows = batchOf(['{"value":1}']);
            pages.push(rows);
            yield rows;
          }
        });
      const events = inOrder(Array.from({ length: 8 }, many), schedule({ concurrency: 8, limit }), never);
      let reads = 0;
      let most = 0;
      for await (const event of events) {
        for (let idle = 0; idle < 20; idle += 1) {
          await turn();
        }
        most = Math.max(most, pages.filter(({ length }) => length > 0).length - reads);
        // What the consumer has had is its own.
        reads += event.rows !== undefined && pages.includes(event.rows) ? 1 : 0;
      }
      expect(most).toBeLessThanOrEqual(2 * 8 + 2);
    }
  });

  test("reads ahead while there is space on disk, without waiting for the consumer", async () => {
    let produced = 0;
    const sources = Array.from({ length: 4 }, () =>
      sourceOf(async function* () {
        for (let page = 0; page < 30; page += 1) {
          produced += 1;
          yield batchOf(['{"value":1}']);
        }
      }),
    );
    const events = inOrder(sources, schedule(), never);
    await events.next();
    while (produced < 90) {
      await turn();
    }
    await events.return();
  });

  test("begins no source that is far ahead of the consumer, where pages go when they were passed on", async () => {
    let begun = 0;
    const sources = Array.from({ length: 60 }, () =>
      sourceOf(async function* () {
        begun += 1;
        yield batchOf(['{"value":1}']);
      }),
    );
    const events = inOrder(sources, schedule({ concurrency: 2 }), never);
    const seen: number[] = [];
    for await (const { index, rows } of events) {
      for (let idle = 0; idle < 20; idle += 1) {
        await turn();
      }
      if (rows !== undefined) {
        seen.push(begun - index);
      }
    }
    expect([seen.length, Math.max(...seen)]).toEqual([60, 2 * 4]);
  });

  test("reads a source whose pages are all in the store at its turn, beside as many others as are allowed", async () => {
    const store = temporaryStore();
    onTestFinished(() => store.close());
    const sets = [["a", "b"], ["c"]].map((values) => values.map((value) => batchOf([`{"value":"${value}"}`])));
    const walked: string[] = [];
    for (const [key, pages] of Object.entries({ first: sets[0] ?? [], last: sets[1] ?? [] })) {
      for (const [index, rows] of pages.entries()) {
        await store.save(key, index, rows, pageOf(rows, index === pages.length - 1 ? null : "next").facts);
      }
    }
    const stored = (key: string): WalkSource => ({
      key,
      walk: async function* () {
        walked.push(key);
        for (const page of store.pagesOf(key)) {
          yield { rows: (await store.read(page)) ?? batchOf([]), facts: page, stored: page };
        }
      },
    });
    const asking = source([["1"]], async () => void walked.push("asking"));
    const sources = [stored("first"), stored("last"), asking];
    const rows = await rowsOf(inOrder(sources, { concurrency: 1, store }, never));
    expect([rows, walked]).toEqual([
      ['"a"', '"b"', '"c"', "1"],
      ["asking", "first", "last"],
    ]);
  });

  test("frees the rows of a waiting page", async () => {
    const waiting = batchOf(['{"value":1}', '{"value":2}']);
    const later = sourceOf(async function* () {
      yield waiting;
    });
    const once = async () => {
      while (waiting.length > 0) {
        await turn();
      }
    };
    const rows = await rowsOf(inOrder([source([["0"]], once), later], schedule(), never));
    expect(rows).toEqual(["0", "1", "2"]);
    expect([waiting.length, waiting.bytes.length]).toEqual([0, 0]);
  });

  test("yields everything before an error, then throws it", async () => {
    const failing = sourceOf(async function* () {
      yield batchOf(['{"value":3}']);
      throw new Error("cut");
    });
    const events = inOrder([source([["1"], ["2"]]), failing, source([["4"]])], schedule(), never);
    const rows: string[] = [];
    const reading = (async () => {
      for await (const event of events) {
        if (event.rows !== undefined) {
          rows.push(...valuesOf(event.rows));
        }
      }
    })();
    await expect(reading).rejects.toThrow("cut");
    expect(rows).toEqual(["1", "2", "3"]);
  });

  test("begins no source after one has failed", async () => {
    const failing = sourceOf(async function* () {
      throw new Error("cut");
      // biome-ignore lint/correctness/noUnreachable: a source of rows yields some.
      yield batchOf([]);
    });
    let begun = 0;
    const later = source([["1"]], async () => {
      begun += 1;
    });
    const slow = source([["0"], ["0"]], async () => {
      for (let idle = 0; idle < 20; idle += 1) {
        await turn();
      }
    });
    const events = inOrder([slow, failing, later, later], schedule({ concurrency: 2 }), never);
    await expect(rowsOf(events)).rejects.toThrow("cut");
    expect(begun).toBe(0);
  });

  test("fails if a page that waited is damaged", async () => {
    const { store } = schedule();
    const damaged = { ...store, read: async () => undefined };
    const waiting = batchOf(['{"value":1}']);
    const later = sourceOf(async function* () {
      yield waiting;
    });
    const once = async () => {
      while (waiting.length > 0) {
        await turn();
      }
    };
    const events = inOrder([source([["0"]], once), later], { concurrency: 2, store: damaged }, never);
    await expect(rowsOf(events)).rejects.toThrow(
      new FileError("a page was damaged on disk after it was written; repeat the command", "pages"),
    );
  });

  test("ends all sources when the consumer stops early", async () => {
    let closed = 0;
    const sources = Array.from({ length: 4 }, () =>
      sourceOf(async function* (signal) {
        try {
          for (;;) {
            signal.throwIfAborted();
            await turn();
            yield batchOf(["{}"]);
          }
        } finally {
          closed += 1;
        }
      }),
    );
    for await (const _ of inOrder(sources, schedule(), never)) {
      break;
    }
    expect(closed).toBe(4);
  });

  test("rejects with the reason of the signal while it waits", async () => {
    const controller = new AbortController();
    const stuck = sourceOf(async function* (signal) {
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
      yield batchOf(["{}"]);
    });
    const next = inOrder([stuck], schedule(), controller.signal).next();
    controller.abort(new Error("enough"));
    await expect(next).rejects.toThrow("enough");
  });
});
