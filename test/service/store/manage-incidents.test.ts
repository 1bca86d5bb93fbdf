import { expect, test } from "vitest";
import { openIncident, updateIncident } from "../../../src/service/store/manage-incidents.ts";
import { RefusedChangeError } from "../../../src/service/store/store-types.ts";
import { testStore } from "./stores.ts";

const hour = (hours: number) => new Date(Date.UTC(2026, 0, 15, hours));
const SLOW = { title: "Slow pages", suite: "catalog-api", severity: "minor", body: "We look into it." } as const;

test("open incidents and those that ended since a day are listed, newest first", async () => {
  const store = await testStore();
  const ended = await openIncident(store, SLOW, hour(1));
  await updateIncident(store, ended, { state: "identified", body: "A disk." }, hour(1));
  await updateIncident(store, ended, { state: "resolved", body: "Over." }, hour(2));
  const open = await openIncident(store, SLOW, hour(3));
  const later = await openIncident(store, SLOW, hour(4));
  expect((await store.incidents("2026-01-15")).map(({ id }) => id)).toEqual([later, open, ended]);
  expect((await store.incidents("2026-01-16")).map(({ id }) => id)).toEqual([later, open]);
});

test.each(["monitoring", "resolved"] as const)("an incident whose cause is unknown cannot become %s", async (state) => {
  const store = await testStore();
  const id = await openIncident(store, SLOW, hour(8));
  await expect(updateIncident(store, id, { state, body: "Better." }, hour(9))).rejects.toStrictEqual(
    new RefusedChangeError(`incident ${id} is investigating and cannot become ${state}; next it is identified`),
  );
  expect((await store.incidents("2026-01-15"))[0]).toMatchObject({ resolved_at: null, updates: { length: 1 } });
});

test("an incident never returns to an earlier state and does not reopen", async () => {
  const store = await testStore();
  const id = await openIncident(store, SLOW, hour(8));
  await updateIncident(store, id, { state: "identified", body: "A disk." }, hour(8));
  await updateIncident(store, id, { state: "monitoring", body: "Better." }, hour(9));
  await updateIncident(store, id, { state: "monitoring", body: "Still better." }, hour(10));
  const back = updateIncident(store, id, { state: "identified", body: "Hm." }, hour(11));
  await expect(back).rejects.toStrictEqual(
    new RefusedChangeError(`incident ${id} is monitoring and cannot become identified; next it is resolved`),
  );
  await updateIncident(store, id, { state: "resolved", body: "Over." }, hour(12));
  const again = updateIncident(store, id, { state: "resolved", body: "Over." }, hour(13));
  await expect(again).rejects.toStrictEqual(
    new RefusedChangeError(`incident ${id} is resolved, which ends it; open another one`),
  );
  expect((await store.incidents("2026-01-15"))[0]?.updates).toHaveLength(5);
});

test.each([7, 3_000_000_000])("an update of the unknown incident %i names its number", async (id) => {
  const update = updateIncident(await testStore(), id, { state: "resolved", body: "Over." }, hour(8));
  await expect(update).rejects.toStrictEqual(new RefusedChangeError(`there is no incident ${id}`));
});
