import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inOrder } from "../../src/pull/schedule.ts";
import type { RowBatch } from "../../src/rows/batch.ts";
import { batchOf } from "../../src/rows/scan.ts";

const options = { concurrency: 4, lookAheadBytes: 1_000_000 };
const never = new AbortController().signal;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The JSON text of the value of each row. */
function valuesOf(rows: RowBatch): string[] {
  return rows.texts().map((text) => text.slice('{"value":'.length, -1));
}

/** A source of rows with one value each, given as JSON text, whose pages come when `ready` says so. */
function source(pages: readonly string[][], ready: () => Promise<void> = async () => undefined) {
  return async function* (): AsyncGenerator<RowBatch> {
    for (const page of pages) {
      await ready();
      yield batchOf(page.map((value) => `{"value":${value}}`));
    }
  };
}

async function rowsOf(events: AsyncIterable<Awaited<ReturnType<ReturnType<typeof inOrder>["next"]>>["value"]>) {
  const rows: string[] = [];
  for await (const event of events) {
    if (event?.kind === "rows") {
      rows.push(...valuesOf(event.rows));
    }
  }
  return rows;
}

describe("a schedule", () => {
  test("hands on every row once and in order, whatever the order in which pages come", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.array(fc.array(fc.string(), { minLength: 1, maxLength: 3 }), { maxLength: 4 }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom(0, 20, 1_000_000),
        async (s, sets, concurrency, lookAheadBytes) => {
          const pages = sets.map((set, i) => set.map((page, j) => page.map((text) => JSON.stringify({ i, j, text }))));
          const sources = pages.map((set) => source(set, () => s.schedule(Promise.resolve())));
          const rows = await s.waitFor(rowsOf(inOrder(sources, { concurrency, lookAheadBytes }, never)));
          expect(rows).toEqual(pages.flat(2));
        },
      ),
      { numRuns: 100 },
    );
  });

  test("reads no more sources at once than it may", async () => {
    let open = 0;
    let most = 0;
    const sources = Array.from(
      { length: 20 },
      () =>
        async function* (): AsyncGenerator<RowBatch> {
          open += 1;
          most = Math.max(most, open);
          await new Promise((resolve) => setImmediate(resolve));
          yield batchOf(["{}"]);
          open -= 1;
        },
    );
    await rowsOf(inOrder(sources, options, never));
    expect(most).toBe(4);
  });

  test("holds no more than it may while the consumer takes nothing", async () => {
    let produced = 0;
    const endless = async function* (): AsyncGenerator<RowBatch> {
      for (;;) {
        produced += 1;
        yield batchOf(["{}"]);
      }
    };
    const events = inOrder(
      Array.from({ length: 8 }, () => endless),
      { concurrency: 8, lookAheadBytes: 40 },
      never,
    );
    await events.next();
    for (let turn = 0; turn < 1_000; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(produced).toBeLessThan(40);
    await events.return();
  });

  test("lets go of the rows of a page that waits", async () => {
    const waiting = batchOf(['{"value":1}', '{"value":2}']);
    const later = async function* (): AsyncGenerator<RowBatch> {
      yield waiting;
    };
    const rows = await rowsOf(inOrder([source([["0"]], turn), later], options, never));
    expect(rows).toEqual(["0", "1", "2"]);
    expect([waiting.length, waiting.bytes.length]).toEqual([0, 0]);
  });

  test("hands on what stands before a failure, then fails", async () => {
    const failing = async function* (): AsyncGenerator<RowBatch> {
      yield batchOf(['{"value":3}']);
      throw new Error("cut");
    };
    const events = inOrder([source([["1"], ["2"]]), failing, source([["4"]])], options, never);
    const rows: string[] = [];
    const reading = (async () => {
      for await (const event of events) {
        if (event.kind === "rows") {
          rows.push(...valuesOf(event.rows));
        }
      }
    })();
    await expect(reading).rejects.toThrow("cut");
    expect(rows).toEqual(["1", "2", "3"]);
  });

  test("ends every source when it is left early", async () => {
    let closed = 0;
    const sources = Array.from(
      { length: 4 },
      () =>
        async function* (signal: AbortSignal): AsyncGenerator<RowBatch> {
          try {
            for (;;) {
              signal.throwIfAborted();
              await new Promise((resolve) => setImmediate(resolve));
              yield batchOf(["{}"]);
            }
          } finally {
            closed += 1;
          }
        },
    );
    for await (const _ of inOrder(sources, options, never)) {
      break;
    }
    expect(closed).toBe(4);
  });

  test("rejects with the reason of the signal while it waits", async () => {
    const controller = new AbortController();
    const stuck = async function* (signal: AbortSignal): AsyncGenerator<RowBatch> {
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
      yield batchOf(["{}"]);
    };
    const next = inOrder([stuck], options, controller.signal).next();
    controller.abort(new Error("enough"));
    await expect(next).rejects.toThrow("enough");
  });
});
