import { expect, test } from "vitest";
import { createKey, listKeys, revokeKey } from "../../../../src/service/store/access/manage-keys.ts";
import { createTeam, deleteTeam, grantTeam } from "../../../../src/service/store/access/manage-teams.ts";
import { addMember, normalEmail, readMembers, removeMember } from "../../../../src/service/store/access/members.ts";
import { keyOf, testStore } from "../stores.ts";

const NOW = new Date("2026-01-15T08:00:00Z");

test("all keys of a team get new rights of the team at their next request", async () => {
  const store = await testStore();
  await createTeam(store, "sales", { scopes: ["catalog:sample"], retailers: ["acme"] }, NOW);
  const [first, second] = [
    await createKey(store, { name: "first", team: "sales" }, NOW),
    await createKey(store, { name: "second", team: "sales" }, NOW),
  ];
  const grants = async (secret: string) => {
    const key = await keyOf(store, secret);
    return [key?.scopes, key?.retailers];
  };
  const before = [await grants(first), await grants(second)];

  await grantTeam(store, "sales", { scopes: ["catalog:read"] });
  const between = await grants(second);
  await grantTeam(store, "sales", { retailers: null });

  expect(before).toEqual(Array(2).fill([["catalog:sample"], ["acme"]]));
  expect(between).toEqual([["catalog:read"], ["acme"]]);
  expect([await grants(first), await grants(second)]).toEqual(Array(2).fill([["catalog:read"], null]));
});

test("a key with grants that differ from its team's is refused", async () => {
  const store = await testStore();
  await createKey(store, { name: "a", team: "sales", scopes: ["catalog:sample"], retailers: ["b", "a"] }, NOW);
  await createKey(store, { name: "b", team: "sales", retailers: ["a", "b", "b"] }, NOW);

  const more = createKey(store, { name: "c", team: "sales", scopes: ["catalog:read"] }, NOW);
  await expect(more).rejects.toThrow('the team "sales" has other grants: scopes catalog:sample; retailers a, b');
  await expect(createKey(store, { name: "c", team: "sales", retailers: ["a"] }, NOW)).rejects.toThrow("other grants");

  expect((await listKeys(store)).map(({ name }) => name)).toEqual(["a", "b"]);
});

test("two teams may have keys with the same name, and revoking one needs the team", async () => {
  const store = await testStore();
  await createKey(store, { name: "laptop", team: "one", retailers: null }, NOW);
  await createKey(store, { name: "laptop", team: "two", retailers: null }, NOW);

  await expect(revokeKey(store, "laptop", NOW)).rejects.toThrow(
    'the teams one, two each have a key named "laptop"; add --team',
  );
  await revokeKey(store, "laptop", NOW, "two");

  expect((await listKeys(store)).map(({ team, revoked_at }) => [team, revoked_at !== null])).toEqual([
    ["one", false],
    ["two", true],
  ]);
});

test("a person belongs to one team", async () => {
  const store = await testStore();
  await createTeam(store, "one", {}, NOW);
  await createTeam(store, "two", {}, NOW);
  await addMember(store, { team: "one", email: "ada@example.com" }, NOW);

  await expect(addMember(store, { team: "two", email: "ada@example.com" }, NOW)).rejects.toThrow(
    'ada@example.com is already a member of the team "one"',
  );
  await expect(removeMember(store, { team: "two", email: "ada@example.com" })).rejects.toThrow("is not a member");
  await removeMember(store, { team: "one", email: "ada@example.com" });

  expect(await store.read(readMembers)).toEqual([]);
});

test("the time of a key's last use is stored", async () => {
  const store = await testStore();
  await createKey(store, { name: "laptop" }, NOW);

  await store.addKeyUses([{ id: 1, at: "2026-02-01T00:00:00.000Z" }]);
  await store.addKeyUses([{ id: 1, at: "2026-01-31T00:00:00.000Z" }]);

  expect((await listKeys(store)).map(({ last_used_at }) => last_used_at)).toEqual(["2026-02-01T00:00:00.000Z"]);
});

test.each([
  [" Ada@Example.COM ", "ada@example.com"],
  ["ada@localhost", "ada@localhost"],
  ["ada", undefined],
  ["a da@example.com", undefined],
  ["Ada <ada@example.com>", undefined],
  ["a@b.example,c@d.example", undefined],
  ["ada@example.com\nBcc: eve@example.com", undefined],
  [`${"a".repeat(250)}@example.com`, undefined],
])("the address %j is read as %j", (text, email) => {
  expect(normalEmail(text)).toBe(email);
});

test("a team is deleted with its keys and its members, but with valid keys only if that is asked for", async () => {
  const store = await testStore();
  const secret = await createKey(store, { name: "laptop", team: "sales", retailers: null }, NOW);
  await createKey(store, { name: "other", team: "ops", retailers: null }, NOW);
  await addMember(store, { team: "sales", email: "ada@example.com" }, NOW);
  const session = "INSERT INTO portal_session VALUES ('hash', 'ada@example.com', '', '')";
  await store.write((writer) => writer.query(session));

  await expect(deleteTeam(store, "sales", { revokeKeys: false })).rejects.toThrow("has valid keys: laptop");
  const deleted = await deleteTeam(store, "sales", { revokeKeys: true });

  expect(deleted).toEqual({ keys: 1, members: 1 });
  expect(await keyOf(store, secret)).toBeUndefined();
  expect((await listKeys(store)).map(({ name }) => name)).toEqual(["other"]);
  expect(await store.read(readMembers)).toEqual([]);
  expect(await store.read((reader) => reader.query("SELECT * FROM portal_session"))).toEqual([]);
  await expect(deleteTeam(store, "sales", { revokeKeys: true })).rejects.toThrow('there is no team "sales"');
});
