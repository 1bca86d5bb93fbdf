import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  createKey,
  DuplicateKeyError,
  hashSecret,
  listKeys,
  revokeKey,
} from "../../../../src/service/store/access/manage-keys.ts";
import { RefusedChangeError, UnknownNameError } from "../../../../src/service/store/store.ts";
import { openStore } from "../../../../src/service/store/writable-store.ts";
import { temporaryFolder } from "../../../helpers/cli.ts";
import { NO_DEADLINE, testStore } from "../stores.ts";

const MORNING = new Date("2026-01-15T08:00:00Z");
const NOON = new Date("2026-01-15T12:00:00Z");
const EVENING = new Date("2026-01-15T20:00:00Z");

test("a key is found by the hash of its secret, which has 43 characters of base64url", async () => {
  const store = await testStore();
  const secret = await createKey(store, { name: "notebook" }, MORNING);
  expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(await store.keyByHash(hashSecret(secret), NO_DEADLINE)).toEqual({
    id: 1,
    name: "notebook",
    team: "default",
    scopes: ["catalog:sample", "catalog:read"],
    retailers: null,
    createdAt: "2026-01-15T08:00:00.000Z",
    lastUsedAt: null,
    revokedAt: null,
  });
  expect(await store.keyByHash(hashSecret(`${secret}x`), NO_DEADLINE)).toBeUndefined();
});

test("the secret is not in the database", async () => {
  const path = join(await temporaryFolder(), "keys.db");
  const store = await openStore(path);
  const secret = await createKey(store, { name: "notebook" }, MORNING);
  await store.close();
  const files = await Promise.all([path, `${path}-wal`].map((file) => readFile(file).catch(() => Buffer.alloc(0))));
  const bytes = Buffer.concat(files);
  expect(bytes.includes(hashSecret(secret))).toBe(true);
  expect(bytes.includes(secret)).toBe(false);
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
      createdAt: "2026-01-15T12:00:00.000Z",
      lastUsedAt: null,
      revokedAt: null,
    },
    {
      id: 1,
      name: "b",
      team: "red",
      scopes: ["catalog:read"],
      retailers: ["acme"],
      createdAt: "2026-01-15T08:00:00.000Z",
      lastUsedAt: null,
      revokedAt: "2026-01-15T12:00:00.000Z",
    },
  ]);
});

test("a revocation by another process takes effect at the next read of the key", async () => {
  const path = join(await temporaryFolder(), "keys.db");
  const [service, command] = [await testStore(path), await testStore(path)];
  const secret = await createKey(command, { name: "notebook" }, MORNING);
  expect((await service.keyByHash(hashSecret(secret), NO_DEADLINE))?.revokedAt).toBeNull();
  await revokeKey(command, "notebook", NOON);
  expect((await service.keyByHash(hashSecret(secret), NO_DEADLINE))?.revokedAt).toBe("2026-01-15T12:00:00.000Z");
});

test("a revoked key keeps its name", async () => {
  const store = await testStore();
  await createKey(store, { name: "notebook" }, MORNING);
  await revokeKey(store, "notebook", NOON);
  await expect(createKey(store, { name: "notebook" }, EVENING)).rejects.toThrow(
    new DuplicateKeyError(`there is already a key named "notebook"`),
  );
  expect(await listKeys(store)).toHaveLength(1);
});

test("an unknown scope creates no key", async () => {
  const store = await testStore();
  const creating = createKey(store, { name: "notebook", scopes: ["catalog:read", "catalog:write"] }, MORNING);
  await expect(creating).rejects.toThrow(
    new RefusedChangeError('"catalog:write" is not a scope: use catalog:sample or catalog:read'),
  );
  expect(await listKeys(store)).toEqual([]);
});

test("revoking an unknown name lists the existing names", async () => {
  const store = await testStore();
  await createKey(store, { name: "notebook" }, MORNING);
  const error = await revokeKey(store, "notebok", NOON).catch((reason: unknown) => reason);
  expect(error).toEqual(new UnknownNameError('there is no key named "notebok"', ["notebook"]));
});
