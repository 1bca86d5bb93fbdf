import { describe, expect, test } from "vitest";
import { type Budget, createBudget } from "../../../src/client/requests/budget.ts";
import { SimulatedClock } from "../../helpers/simulated-clock.ts";

interface ServerOptions {
  limit: number;
  windowSeconds: number;
  /** Milliseconds from the window's start to the start of the clock; `undefined`: a window starts with its first request. */
  phase: number | undefined;
  rounding: "up" | "down";
}

/** A server that counts requests in exact fixed windows and tells what is left. */
function fixedWindowServer(
  clock: Pick<SimulatedClock, "now">,
  { limit, windowSeconds, phase, rounding }: ServerOptions,
) {
  const length = windowSeconds * 1000;
  let start = phase === undefined ? Number.NEGATIVE_INFINITY : -phase;
  let spent = 0;
  const state = { served: 0, refused: 0 };
  return {
    state,
    take() {
      const now = clock.now();
      if (now >= start + length) {
        start = phase === undefined ? now : start + Math.floor((now - start) / length) * length;
        spent = 0;
      }
      const left = (start + length - now) / 1000;
      const resetSeconds = rounding === "up" ? Math.ceil(left) : Math.floor(left);
      const success = spent < limit;
      spent += success ? 1 : 0;
      state.served += success ? 1 : 0;
      state.refused += success ? 0 : 1;
      return { success, rate: { limit, remaining: limit - spent, resetSeconds } };
    },
  };
}

/** A signal that is never aborted. */
const NEVER = new AbortController().signal;

type Server = ReturnType<typeof fixedWindowServer>;

/** Pulls `requests` through a budget of its own, `concurrency` at once; a refused one is sent again. */
async function pull(
  clock: SimulatedClock,
  server: Server,
  { requests, concurrency, latency }: { requests: number; concurrency: number; latency: (number: number) => number },
): Promise<void> {
  const budget = createBudget({ now: clock.now, sleep: clock.sleep });
  let started = 0;
  const request = async (number: number): Promise<void> => {
    const permit = await budget.acquire(NEVER);
    await clock.sleep(latency(number) / 2);
    const { success, rate } = server.take();
    await clock.sleep(latency(number) / 2);
    permit.answered({ status: success ? 200 : 429, rate, asked: success ? 0 : rate.resetSeconds * 1000 });
    if (!success) {
      await request(number);
    }
  };
  const worker = async () => {
    while (started < requests) {
      started += 1;
      await request(started);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/** Milliseconds that someone needs who knows the server's clock and spends every window to its end. */
function idealTime(pull: { requests: number; concurrency: number; latency: number; phase: number }): number {
  const { requests, concurrency, latency, phase } = pull;
  const length = WINDOW.windowSeconds * 1000;
  const firstLength = length - phase;
  const rounds = Math.max(0, 1 + Math.floor((firstLength - latency / 2) / latency));
  const first = Math.min(WINDOW.limit, rounds * concurrency);
  const laterWindows = Math.ceil((requests - first) / WINDOW.limit);
  const tail = requests - first - (laterWindows - 1) * WINDOW.limit;
  const paced = firstLength + (laterWindows - 1) * length + Math.ceil(tail / concurrency) * latency;
  return Math.max(paced, Math.ceil(requests / concurrency) * latency);
}

const WINDOW = { limit: 120, windowSeconds: 60 };

describe("a single pull", () => {
  const cases = [5, 300, 2000].flatMap((latency) =>
    [1, 8, 32].flatMap((concurrency) =>
      ([undefined, 0, 17_300, 59_999] as const).flatMap((phase) =>
        (["up", "down"] as const).map((rounding) => ({ latency, concurrency, phase, rounding })),
      ),
    ),
  );

  test.each(cases)(
    "gets no 429 and wastes under 5 % at $latency ms, $concurrency at once, phase $phase, rounded $rounding",
    async ({ latency, concurrency, phase, rounding }) => {
      const clock = new SimulatedClock();
      const server = fixedWindowServer(clock, { ...WINDOW, phase, rounding });
      await clock.run(pull(clock, server, { requests: 360, concurrency, latency: () => latency }));

      expect(server.state).toEqual({ served: 360, refused: 0 });
      const ideal = idealTime({ requests: 360, concurrency, latency, phase: phase ?? 0 });
      expect(clock.now() / ideal).toBeLessThan(1.05);
    },
  );

  test("gets no 429 when responses come out of order", async () => {
    const clock = new SimulatedClock();
    const server = fixedWindowServer(clock, { ...WINDOW, phase: 31_000, rounding: "down" });
    const latency = (number: number) => 20 + ((number * 7919) % 1500);
    await clock.run(pull(clock, server, { requests: 600, concurrency: 16, latency }));
    expect(server.state).toEqual({ served: 600, refused: 0 });
  });

  test.each(["up", "down"] as const)("gets no 429 in windows of 7 seconds, rounded %s", async (rounding) => {
    const clock = new SimulatedClock();
    const server = fixedWindowServer(clock, { limit: 10, windowSeconds: 7, phase: 4321, rounding });
    await clock.run(pull(clock, server, { requests: 100, concurrency: 8, latency: () => 130 }));
    expect(server.state).toEqual({ served: 100, refused: 0 });
  });
});

test("a pull gets no 429 from a server whose clock is slower by half a thousandth", async () => {
  const clock = new SimulatedClock();
  const slower = { now: () => clock.now() * 0.9995 };
  const server = fixedWindowServer(slower, { ...WINDOW, phase: undefined, rounding: "up" });
  await clock.run(pull(clock, server, { requests: 600, concurrency: 8, latency: () => 5 }));
  expect(server.state).toEqual({ served: 600, refused: 0 });
});

describe("pulls of one team", () => {
  test("share the windows with few 429s and little waste", async () => {
    const clock = new SimulatedClock();
    const server = fixedWindowServer(clock, { ...WINDOW, phase: 0, rounding: "up" });
    const one = { requests: 600, concurrency: 8, latency: (number: number) => 150 + ((number * 7919) % 300) };
    const other = { ...one, latency: (number: number) => 150 + ((number * 104_729) % 300) };
    await clock.run(Promise.all([pull(clock, server, one), pull(clock, server, other)]));

    expect(server.state.served).toBe(1200);
    expect(server.state.refused).toBeLessThan(0.03 * 1200);
    expect(clock.now()).toBeLessThan(1.05 * 9 * 60_000);
  });
});

describe("a budget", () => {
  const RATE = { limit: 120, remaining: 119, resetSeconds: 60 };

  /** Asks for `wanted` permits. @returns how many of them were granted so far */
  function asked(budget: Budget, wanted: number): () => number {
    let count = 0;
    for (let number = 0; number < wanted; number += 1) {
      budget.acquire(NEVER).then(() => {
        count += 1;
      });
    }
    return () => count;
  }

  /** How many of `wanted` requests may leave at once. */
  async function granted(budget: Budget, wanted: number): Promise<number> {
    const count = asked(budget, wanted);
    await new Promise(setImmediate);
    return count();
  }

  /** A budget, its clock and the pauses that it reports. */
  function paced(maxRate?: number) {
    const clock = new SimulatedClock();
    const waits: number[] = [];
    const onWait = (milliseconds: number) => waits.push(milliseconds);
    return { clock, waits, budget: createBudget({ now: clock.now, sleep: clock.sleep, maxRate, onWait }) };
  }

  /** Sends a request, which is answered at once. */
  async function sendOne(budget: Budget, rate: typeof RATE | undefined, status = 200, asked = 0) {
    (await budget.acquire(NEVER)).answered({ status, rate, asked });
  }

  test("allows one request until a response reports the limit", async () => {
    expect(await granted(paced().budget, 5)).toBe(1);
  });

  test("allows all requests that the window has left once it is known", async () => {
    const { budget } = paced();
    await sendOne(budget, { ...RATE, remaining: 3 });
    expect(await granted(budget, 5)).toBe(3);
  });

  test("does not pace a service without rate-limit headers", async () => {
    const { budget } = paced();
    await sendOne(budget, undefined);
    expect(await granted(budget, 50)).toBe(50);
  });

  test("does not conclude from a gateway's error page that the service has no limits", async () => {
    const { budget } = paced();
    await sendOne(budget, undefined, 502);
    expect(await granted(budget, 5)).toBe(1);
  });

  test("never has more open requests than connections", async () => {
    const { budget } = paced();
    const rate = { ...RATE, limit: 1000, remaining: 999 };
    await sendOne(budget, rate);
    expect(await granted(budget, 100)).toBe(64);
  });

  test("waits as long as a 429 asks, and reports it", async () => {
    const { clock, waits, budget } = paced();
    await sendOne(budget, undefined, 429, 90_000);
    await clock.run(budget.acquire(NEVER));
    expect({ now: clock.now(), waits }).toEqual({ now: 90_000, waits: [90_000] });
  });

  test("reports a pause once the last open request is answered", async () => {
    const { clock, waits, budget } = paced();
    const rate = { limit: 120, remaining: 1, resetSeconds: 30 };
    await sendOne(budget, rate);
    const last = await budget.acquire(NEVER);
    const next = budget.acquire(NEVER);
    expect(waits).toEqual([]);
    last.answered({ status: 200, rate: { ...rate, remaining: 0 }, asked: 0 });
    expect(waits).toEqual([31_050]);
    await clock.run(next);
  });

  test("stops its timer when nobody waits any more, because the process would wait for it", async () => {
    const clock = new SimulatedClock();
    const timers: AbortSignal[] = [];
    const sleep = (milliseconds: number, signal: AbortSignal) => {
      timers.push(signal);
      return clock.sleep(milliseconds, signal);
    };
    const budget = createBudget({ now: clock.now, sleep });
    await sendOne(budget, undefined, 429, 90_000);
    const abort = new AbortController();
    const waiting = budget.acquire(abort.signal);
    abort.abort("enough");
    await expect(waiting).rejects.toBe("enough");
    expect(timers.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test("continues with a limit of 0 once its window is over", async () => {
    const { clock, budget } = paced();
    const rate = { limit: 0, remaining: 0, resetSeconds: 5 };
    await sendOne(budget, rate, 429);
    await clock.run(budget.acquire(NEVER));
    expect(clock.now()).toBe(6050);
  });

  test("does not count a late response of the old window in the new one", async () => {
    const { clock, budget } = paced();
    const learning = await budget.acquire(NEVER);
    learning.answered({ status: 200, rate: { ...RATE, resetSeconds: 20 }, asked: 0 });
    await clock.run(clock.sleep(15_000));
    const late = await budget.acquire(NEVER);
    await clock.run(clock.sleep(10_000));
    expect(await granted(budget, 1)).toBe(1);
    late.answered({ status: 200, rate: { ...RATE, remaining: 0, resetSeconds: 5 }, asked: 0 });
    expect(await granted(budget, 1)).toBe(1);
  });

  test("keeps to a known window when a response does not report it", async () => {
    const { budget } = paced();
    for (const rate of [{ ...RATE, remaining: 3 }, undefined]) {
      await sendOne(budget, rate);
    }
    expect(await granted(budget, 5)).toBe(3);
  });

  test("leaves room for those who have used up a window before its own request was refused", async () => {
    const { clock, budget } = paced();
    const rate = { limit: 4, remaining: 3, resetSeconds: 60 };
    await sendOne(budget, rate);
    const refused = { ...rate, remaining: 0 };
    await sendOne(budget, refused, 429);
    const left = asked(budget, 4);
    await clock.run(clock.sleep(60_050));
    await new Promise(setImmediate);
    // Three requests of others were counted, and none of ours.
    expect(left()).toBe(1);
  });

  test("sends as many requests in a new window as the limit says, until a response shows more of it", async () => {
    const { clock, budget } = paced();
    const rate = { limit: 3, remaining: 0, resetSeconds: 5 };
    await sendOne(budget, rate);
    const left = asked(budget, 9);
    await clock.run(clock.sleep(6_049));
    const before = left();
    await clock.run(clock.sleep(1));
    await new Promise(setImmediate);
    expect({ before, left: left() }).toEqual({ before: 0, left: 3 });
  });

  test("reports a pause once, whoever waits, and how long it is from then", async () => {
    const { clock, waits, budget } = paced();
    await clock.run(clock.sleep(1_000));
    const rate = { limit: 120, remaining: 0, resetSeconds: 30 };
    await sendOne(budget, rate);
    const waiting = [budget.acquire(NEVER), budget.acquire(NEVER)];
    await clock.run(clock.sleep(10_000));
    waiting.push(budget.acquire(NEVER));
    expect(waits).toEqual([31_050]);
    await clock.run(Promise.all(waiting));
    expect({ waits, now: clock.now() }).toEqual({ waits: [31_050], now: 32_050 });
  });

  test("waits longer when a later response asks for it", async () => {
    const { clock, budget } = paced();
    await sendOne(budget, RATE);
    const [one, other] = [await budget.acquire(NEVER), await budget.acquire(NEVER)];
    one.answered({ status: 429, rate: undefined, asked: 5_000 });
    const next = budget.acquire(NEVER);
    other.answered({ status: 429, rate: undefined, asked: 20_000 });
    await clock.run(next);
    expect(clock.now()).toBe(20_000);
  });

  test("spends no time that has passed on requests of --max-rate", async () => {
    const { clock, budget } = paced(30);
    const left: number[] = [];
    for (let number = 0; number < 3; number += 1) {
      const permit = await clock.run(budget.acquire(NEVER));
      left.push(clock.now());
      permit.answered({ status: 200, rate: RATE, asked: 0 });
      await (number === 0 ? clock.run(clock.sleep(60_000)) : undefined);
    }
    expect(left).toEqual([0, 60_000, 62_000]);
  });

  test("spreads the requests of --max-rate evenly", async () => {
    const { clock, budget } = paced(30);
    const left: number[] = [];
    for (let number = 0; number < 4; number += 1) {
      const permit = await clock.run(budget.acquire(NEVER));
      left.push(clock.now());
      permit.answered({ status: 200, rate: { ...RATE, remaining: 119 - number }, asked: 0 });
    }
    expect(left).toEqual([0, 2000, 4000, 6000]);
  });

  test("skips a waiting request that is aborted and continues with the next", async () => {
    const { budget } = paced();
    const first = await budget.acquire(NEVER);
    const abort = new AbortController();
    const second = budget.acquire(abort.signal);
    const third = budget.acquire(NEVER);
    abort.abort(new Error("enough"));
    await expect(second).rejects.toThrow("enough");
    first.release();
    await expect(third).resolves.toBeDefined();
  });
});
