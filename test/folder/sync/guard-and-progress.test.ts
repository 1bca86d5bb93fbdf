import { describe, expect, test } from "vitest";
import { ShrinkError } from "../../../src/contract/errors.ts";
import type { DayState } from "../../../src/folder/day-state.ts";
import { batchObservers } from "../../../src/folder/sync/day-batch.ts";
import { removalGuard } from "../../../src/folder/sync/removal-guard.ts";
import type { SyncObserver } from "../../../src/folder/sync/sync-run.ts";

function dayOf(counts: Record<string, number>): DayState {
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { rows, digest: "", bytes: 1, sha256: "", counts: new Map(Object.entries(counts)) };
}

test("the only row of a folder is one in words, too", () => {
  const [days, held] = [{ "2026-01-01": dayOf({ "a:b:c": 1 }) }, new Map([["a:b:c", 1]])];
  expect(() => removalGuard(days, held, new Map(), false)).toThrow("the only row in the folder would be removed.");
});

describe("of twenty rows", () => {
  const days = { "2026-01-01": dayOf({ "a:b:c": 4, "d:e:f": 4 }), "2026-01-02": dayOf({ "a:b:c": 6, "g:h:i": 6 }) };
  const held = new Map([
    ["a:b:c", 10],
    ["d:e:f", 4],
    ["g:h:i", 6],
  ]);
  const guard = (remote: [string, number][], isAllowed = false) => removalGuard(days, held, new Map(remote), isAllowed);
  const unchanged = [...held];
  const TOO_MUCH = expect.objectContaining({
    constructor: ShrinkError,
    message: "11 of the 20 rows in the folder would be removed, more than half of them. --allow-shrink removes them",
  });

  test("ten may be removed, all at once or little by little", () => {
    const onRemoval = guard(unchanged);
    onRemoval(4);
    onRemoval(0);
    onRemoval(6);
    expect(() => onRemoval(1)).toThrow(TOO_MUCH);
    guard([["a:b:c", 10]])(10);
  });

  test("the counts alone show that more would go, whatever comes in other combinations", () => {
    const grown: [string, number][] = [["a:b:c", 90]];
    expect(() => guard([...grown, ["d:e:f", 0]])).not.toThrow();
    expect(() =>
      guard([
        ["a:b:c", 9],
        ["new:new:new", 50],
      ]),
    ).toThrow(TOO_MUCH);
  });

  test("all of them may, if that is allowed", () => {
    guard([], true)(20);
  });
});

describe("the progress of batches", () => {
  const batches = [
    { first: "2026-01-01", last: "2026-01-03", rows: 11 },
    { first: "2026-01-07", last: "2026-01-07", rows: 10 },
  ] as const;
  const plan = (totalRows: number, requests: number) => ({ slices: [], totalRows, pages: requests, requests });

  function observed() {
    const told: unknown[] = [];
    const observer: SyncObserver = {
      onTotal: (total) => told.push(total),
      onRows: (rows) => told.push(rows),
      onNote: (note) => told.push(note),
      onKept: () => told.push("kept"),
      onRestart: (reason) => told.push(reason),
      onDamage: (pages) => told.push(pages),
    };
    return { told, observer };
  }

  test("is what is expected of all of them, and then what the plan of each says", async () => {
    const { told, observer } = observed();
    const [first, second] = batches.map(batchObservers(batches, 10, observer));
    expect(told).toEqual([{ rows: 21, requests: 3, stored: 0 }]);
    await first?.onPlan?.(plan(13, 4), 2);
    first?.onRows?.(5);
    first?.onRestart?.("again");
    await first?.onPlan?.(plan(13, 4), 5);
    first?.onRows?.(13);
    await second?.onPlan?.(plan(8, 1), 0);
    second?.onRows?.(8);
    const ofFirst = { rows: 23, requests: 5, stored: 2 };
    const ofBoth = { rows: 21, requests: 5, stored: 2 };
    expect(told.slice(1)).toEqual([ofFirst, 5, "again", ofFirst, 13, ofBoth, 8]);
  });

  test("goes on behind the rows of the batches before", async () => {
    const { told, observer } = observed();
    const observe = batchObservers(batches, 10, observer);
    observe(batches[0]).onRows?.(13);
    observe(batches[1]).onRows?.(8);
    expect(told.slice(1)).toEqual([13, 21]);
  });

  test("is not told where there is none, and without anybody to tell", async () => {
    const { told, observer } = observed();
    batchObservers([], 10, observer);
    expect(told).toEqual([]);
    const batch = batchObservers(batches, 10, undefined)(batches[0]);
    await batch.onPlan?.(plan(13, 4), 0);
    batch.onRows?.(5);
  });
});
