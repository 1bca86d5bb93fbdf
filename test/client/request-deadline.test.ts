import { describe, expect, onTestFinished, test, vi } from "vitest";
import { startDeadline } from "../../src/client/timer.ts";
import { pageBody } from "../helpers/envelopes.ts";
import { answer } from "../helpers/fault-server.ts";
import { productRow } from "../helpers/products.ts";
import { start } from "../helpers/test-client.ts";

const ROW = productRow();

const expired = () => new Error("expired");

describe("a deadline", () => {
  test("is aborted with the reason of its parent, whether this happens before or after its start", () => {
    const parent = new AbortController();
    const before = startDeadline([parent.signal], undefined, expired);
    const reason = new Error("given up");
    parent.abort(reason);
    const after = startDeadline([parent.signal], undefined, expired);
    expect([before.signal.reason, after.signal.reason]).toEqual([reason, reason]);
  });

  test("does not follow its parent after it is released", () => {
    const parent = new AbortController();
    const deadline = startDeadline([parent.signal], 60_000, expired);
    deadline.release();
    parent.abort();
    expect(deadline.signal.aborted).toBe(false);
  });
});

test("a signal that outlives many parallel calls keeps no reference to them", async () => {
  const ok = answer({ body: pageBody([ROW]) });
  const { client } = await start(() => ok);
  const { signal } = new AbortController();
  const callInTurn = async (calls: number) => {
    for (let call = 0; call < calls; call += 1) {
      await client.catalog({}, {}, signal);
    }
  };
  const controllers = watchControllers();
  await Promise.all(Array.from({ length: 8 }, () => callInTurn(50)));
  expect(controllers.made()).toBeGreaterThanOrEqual(400);
  await expect.poll(() => controllers.alive()).toBeLessThan(8);
});

/** Watches the controllers that are made from now on, to the end of the test. */
function watchControllers() {
  const made: WeakRef<AbortController>[] = [];
  const Watched = class extends AbortController {
    constructor() {
      super();
      made.push(new WeakRef(this));
    }
  };
  vi.stubGlobal("AbortController", Watched);
  onTestFinished(() => void vi.unstubAllGlobals());
  return {
    made: () => made.length,
    /** How many of them are still referred to. */
    alive: () => {
      globalThis.gc?.();
      return made.filter((reference) => reference.deref() !== undefined).length;
    },
  };
}
