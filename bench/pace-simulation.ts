import { setImmediate as turn } from "node:timers/promises";
import { createBudget } from "../src/client/requests/budget.ts";
import type { StoredBytes } from "../src/files/stored-bytes.ts";
import { pull } from "../src/pull/pull.ts";
import { createPageStore } from "../src/pull/store/page-store.ts";
import type { RowBatch } from "../src/rows/batch.ts";
import { createRateLimit } from "../src/service/http/admission/rate-limit.ts";
import type { createWindows } from "../src/service/store/rate-limit-windows.ts";
import { fakeRows, fakeService } from "../test/helpers/fake-client.ts";
import { SimulatedClock } from "../test/helpers/simulated-clock.ts";

export interface Simulation {
  pages: number;
  concurrency: number;
  /** Milliseconds that a request takes. */
  latency: number;
  limit: number;
  windowSeconds: number;
}

export interface SimulatedPull {
  /** Simulated, until the last row is written. */
  milliseconds: number;
  requests: number;
  refused: number;
  rows: number;
}

const ROWS_A_PAGE = 10;
const COMBINATIONS = 20;

/** Pulls with the real engine and the real budget from a service that counts in fixed windows, in simulated time. */
export async function simulatePull({
  pages,
  concurrency,
  latency,
  limit,
  windowSeconds,
}: Simulation): Promise<SimulatedPull> {
  const clock = new SimulatedClock(() => turn());
  const server = createRateLimit(
    { windows: (_, length) => windowInMemory(length) },
    "team",
    limit,
    windowSeconds,
    clock.now,
  );
  const budget = createBudget({ now: clock.now, sleep: clock.sleep });
  const { signal } = new AbortController();
  const count = (pages * ROWS_A_PAGE) / COMBINATIONS;
  const service = fakeService(
    Array.from({ length: COMBINATIONS }, (_, number) => fakeRows(count, `retailer-${number}`)).flat(),
  );
  const result = { requests: 0, refused: 0, rows: 0 };
  service.before = async () => {
    for (let admitted = false; !admitted; ) {
      const permit = await budget.acquire(signal);
      await clock.sleep(latency / 2);
      const rate = await server.count("team");
      admitted = rate.admitted;
      result.requests += 1;
      result.refused += admitted ? 0 : 1;
      await clock.sleep(latency / 2);
      const asked = admitted ? 0 : rate.resetSeconds * 1000;
      permit.answered({ status: admitted ? 200 : 429, rate, asked });
    }
  };
  const store = createPageStore(storedInMemory());
  const write = async (rows: RowBatch) => {
    result.rows += rows.length;
  };
  const set = { filters: {}, pageSize: ROWS_A_PAGE, concurrency, isStreamed: true, write, signal };
  await clock.run(pull(service.client, store, set));
  return { ...result, milliseconds: clock.now() };
}

/** The window of one key, which needs no real time. */
function windowInMemory(length: number): ReturnType<typeof createWindows> {
  let window = { endsAt: 0, used: 0 };
  return {
    count: async (_, time) => {
      const isOver = time >= window.endsAt;
      window = isOver ? { endsAt: time + length, used: 1 } : { ...window, used: window.used + 1 };
      return window;
    },
    countForTeam: async () => undefined,
    readForTeam: async () => window,
  };
}

/** Pages that need no real time: a file would be written by another thread while the clock goes on. */
function storedInMemory(): StoredBytes {
  const pieces = new Map<number, Buffer>();
  let end = 0;
  return {
    append: async (bytes) => {
      const at = end;
      pieces.set(at, Buffer.from(bytes));
      end += bytes.length;
      return { at, length: bytes.length };
    },
    read: async ({ at }) => pieces.get(at) ?? Buffer.alloc(0),
    free: ({ at }) => void pieces.delete(at),
    sync: async () => {},
    close: async () => {},
  };
}
