import { expect, onTestFinished, test, vi } from "vitest";
import { ok, start } from "../helpers/test-client.ts";

test("a signal that outlives many parallel calls keeps no reference to them", async () => {
  const { client } = await start(() => ok);
  const { signal } = new AbortController();
  const made: WeakRef<AbortController>[] = [];
  const Watched = class extends AbortController {
    constructor() {
      super();
      made.push(new WeakRef(this));
    }
  };
  vi.stubGlobal("AbortController", Watched);
  onTestFinished(() => void vi.unstubAllGlobals());
  const callInTurn = async () => {
    for (let call = 0; call < 10; call += 1) {
      await client.catalog({}, {}, signal);
    }
  };
  await Promise.all(Array.from({ length: 8 }, callInTurn));
  expect(made.length).toBeGreaterThanOrEqual(80);
  const alive = () => {
    globalThis.gc?.();
    return made.filter((reference) => reference.deref() !== undefined).length;
  };
  await expect.poll(alive).toBeLessThan(8);
});
