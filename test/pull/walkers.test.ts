import { expect, test } from "vitest";
import { startWalkers } from "../../src/pull/walkers.ts";

test.each([1, 2])(
  "after a failure none of %i walkers takes another item, and the items that are left fail",
  async (count) => {
    const taken: number[] = [];
    const { ends, stopped } = startWalkers([1, 2, 3, 4, 5], count, async (item) => {
      taken.push(item);
      await Promise.resolve();
      if (item === 2) {
        throw new Error("second");
      }
    });
    await stopped;
    const outcomes = (await Promise.allSettled(ends)).map(({ status }) => status);
    expect({ taken: taken.filter((item) => item > 3), outcomes: outcomes.slice(3) }).toEqual({
      taken: [],
      outcomes: ["rejected", "rejected"],
    });
  },
);
