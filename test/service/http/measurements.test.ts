import { expect, test } from "vitest";
import { createMeasurements } from "../../../src/service/http/measurements.ts";
import type { DayCount, KeyUse } from "../../../src/service/store/store.ts";

const MINUTE = 60_000;

/** Measurements with a clock that the test sets, and a store that keeps what it is given, or is away. */
function measured() {
  const time = { now: Date.parse("2026-03-10T23:59:00Z") };
  const written = { counts: [] as (readonly DayCount[])[], uses: [] as (readonly KeyUse[])[] };
  const store = { isAway: false };
  const keep = async <T>(all: (readonly T[])[], values: readonly T[]) => {
    if (store.isAway) {
      throw new Error("away");
    }
    all.push(values);
  };
  const measurements = createMeasurements(
    {
      addDayCounts: (values: readonly DayCount[]) => keep(written.counts, values),
      addKeyUses: (values: readonly KeyUse[]) => keep(written.uses, values),
    },
    () => time.now,
  );
  const respond = async (...statuses: number[]) => {
    for (const statusCode of statuses) {
      await measurements.countResponses("catalog")(undefined, { statusCode });
    }
  };
  return { ...measurements, time, written, store, respond };
}

const day = (date: string, requests: number, failures: number) => ({ date, operation: "catalog", requests, failures });

test("responses are counted by day, and those from 500 on are failures", async () => {
  const { respond, flush, time, written, pendingCounts } = measured();
  await respond(200, 499, 500, 503);
  time.now += MINUTE;
  await respond(200);
  expect(pendingCounts()).toEqual([day("2026-03-10", 4, 2), day("2026-03-11", 1, 0)]);

  await flush();
  await flush();

  expect(written).toEqual({ counts: [[day("2026-03-10", 4, 2), day("2026-03-11", 1, 0)]], uses: [] });
  expect(pendingCounts()).toEqual([]);
});

test("of the uses of a key the latest is written, whatever the clock does", async () => {
  const { useKey, flush, time, written } = measured();
  useKey(1);
  time.now += MINUTE;
  useKey(1);
  useKey(2);
  time.now -= 2 * MINUTE;
  useKey(1);

  await flush();

  const at = "2026-03-11T00:00:00.000Z";
  expect(written.uses).toEqual([
    [
      { id: 1, at },
      { id: 2, at },
    ],
  ]);
});

test("what could not be written is written later, with what came meanwhile", async () => {
  const { respond, useKey, flush, written, store } = measured();
  await respond(500);
  useKey(1);
  store.isAway = true;
  await flush();
  await respond(500, 200);
  store.isAway = false;

  await flush();

  expect(written.counts).toEqual([[day("2026-03-10", 3, 2)]]);
  expect(written.uses).toHaveLength(1);
});

test("the latest ten requests of five minutes tell the present state", async () => {
  const { respond, latestFailures, time } = measured();
  expect(latestFailures("catalog")).toEqual([]);
  await respond(500, 500, ...Array(9).fill(200));
  expect(latestFailures("catalog")).toEqual([true, ...Array(9).fill(false)]);
  expect(latestFailures("sample")).toEqual([]);
  time.now += 5 * MINUTE - 1;
  await respond(500);
  expect(latestFailures("catalog")).toHaveLength(10);
  time.now += 1;
  expect(latestFailures("catalog")).toEqual([true]);
});
