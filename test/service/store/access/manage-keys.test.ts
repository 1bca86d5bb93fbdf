import { expect, test } from "vitest";
import { createKey, listKeys, revokeKey } from "../../../../src/service/store/access/manage-keys.ts";
import { createTeam, deleteTeam } from "../../../../src/service/store/access/manage-teams.ts";
import { RefusedChangeError } from "../../../../src/service/store/store-types.ts";
import { testStore } from "../stores.ts";

const MORNING = new Date("2026-01-15T08:00:00Z");
const NOON = new Date("2026-01-15T12:00:00Z");
const EVENING = new Date("2026-01-15T20:00:00Z");

test("keys are listed by name with team, scopes, retailers and revocation", async () => {
  const store = await testStore();
  await createKey(store, { name: "b", team: "red", scopes: ["catalog:read"], retailers: ["acme"] }, MORNING);
  await createKey(store, { name: "a" }, NOON);
  await revokeKey(store, "b", NOON);
  await revokeKey(store, "b", EVENING);
  expect(await listKeys(store)).toEqual([
    {
      id: 2,
      name: "a",
      team: "default",
      scopes: ["catalog:sample", "catalog:read"],
      retailers: null,
      created_at: "2026-01-15T12:00:00.000Z",
      last_used_at: null,
      revoked_at: null,
    },
    {
      id: 1,
      name: "b",
      team: "red",
      scopes: ["catalog:read"],
      retailers: ["acme"],
      created_at: "2026-01-15T08:00:00.000Z",
      last_used_at: null,
      revoked_at: "2026-01-15T12:00:00.000Z",
    },
  ]);
});

test("a key does not bring back its team, which was deleted meanwhile, with every right", async () => {
  const store = await testStore();
  await createTeam(store, "sales", { retailers: ["acme"] }, MORNING);
  await deleteTeam(store, "sales", { revokeKeys: true });

  await expect(createKey(store, { name: "laptop", team: "sales" }, NOON)).rejects.toThrow('there is no team "sales"');
});

test("a revoked key keeps its name", async () => {
  const store = await testStore();
  await createKey(store, { name: "notebook" }, MORNING);
  await revokeKey(store, "notebook", NOON);
  await expect(createKey(store, { name: "notebook" }, EVENING)).rejects.toStrictEqual(
    new RefusedChangeError(`there is already a revoked key named "notebook"`),
  );
  expect(await listKeys(store)).toHaveLength(1);
});
