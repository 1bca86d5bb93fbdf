import { expect, onTestFinished, test, vi } from "vitest";
import { pageBody } from "../helpers/envelopes.ts";
import { answer } from "../helpers/fault-server.ts";
import { productRow } from "../helpers/products.ts";
import { start } from "../helpers/test-client.ts";

const ROW = productRow();

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
