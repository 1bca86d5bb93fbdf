import { expect, test } from "vitest";
import { createKey, listKeys, revokeKey } from "../../../../src/service/store/access/manage-keys.ts";
import { RefusedChangeError } from "../../../../src/service/store/store.ts";
import { keyOf, testStore } from "../stores.ts";

const MORNING = new Date("2026-01-15T08:00:00Z");
const NOON = new Date("2026-01-15T12:00:00Z");
const EVENING = new Date("2026-01-15T20:00:00Z");

test("a key is found by the hash of its secret, which has 43 characters of base64url", async () => {
  const store = await testStore();
  const secret = await createKey(store, { name: "notebook" }, MORNING);
  expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(await keyOf(store, secret)).toEqual({
    id: 1,
    name: "notebook",
    team: "default",
    scopes: ["catalog:sample", "catalog:read"],
    retailers: null,
    created_at: "2026-01-15T08:00:00.000Z",
    last_used_at: null,
    revoked_at: null,
  });
  expect(await keyOf(store, `${secret}x`)).toBeUndefined();
});

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

test("a revoked key keeps its name", async () => {
  const store = await testStore();
  await createKey(store, { name: "notebook" }, MORNING);
  await revokeKey(store, "notebook", NOON);
  await expect(createKey(store, { name: "notebook" }, EVENING)).rejects.toStrictEqual(
    new RefusedChangeError(`there is already a key named "notebook"`),
  );
  expect(await listKeys(store)).toHaveLength(1);
});

test("an unknown scope creates no key", async () => {
  const store = await testStore();
  const creating = createKey(store, { name: "notebook", scopes: ["catalog:read", "catalog:write"] }, MORNING);
  await expect(creating).rejects.toStrictEqual(
    new RefusedChangeError('"catalog:write" is not a scope: use catalog:sample or catalog:read'),
  );
  expect(await listKeys(store)).toEqual([]);
});
