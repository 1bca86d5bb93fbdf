import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";

/** `catalog service …` on a database of the test's own. */
async function setUp({ rows = [] as readonly object[] } = {}) {
  const folder = await temporaryFolder();
  const database = join(folder, "service.db");
  const service = (...args: string[]) => runInProcess(["service", ...args, "--database", database]);
  if (rows.length > 0) {
    const stdin = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
    await runInProcess(["service", "load", "-", "--database", database], { stdin });
  }
  return { folder, database, service };
}

test("teams are created, changed, given members and shown", async () => {
  const { service } = await setUp({ rows: [product({ sku: "1", retailer: "nordwind" })] });
  const steps = [
    ["teams", "create", "sales", "--scope", "catalog:sample", "--retailer", "nordwind"],
    ["teams", "grant", "sales", "--scope", "catalog:read"],
    ["teams", "members", "add", "sales", " Ada@Example.com"],
    ["teams", "members", "add", "sales", "bob@example.com"],
    ["teams", "members", "remove", "sales", "bob@example.com"],
    ["keys", "create", "laptop", "--team", "sales", "-o", "-"],
    ["keys", "create", "old", "--team", "sales"],
    ["keys", "revoke", "old"],
  ];
  for (const step of steps) {
    expect(await service(...step)).toMatchObject({ code: 0, stderr: "" });
  }

  const [list, show] = [await service("teams", "list", "-f", "table"), await service("teams", "show", "sales")];

  expect(list.stdout.split("\n").map((line) => line.trimEnd().split(/ {2,}/))).toEqual([
    ["name", "scopes", "retailers", "members", "active keys"],
    expect.any(Array),
    ["sales", "catalog:read", "nordwind", "1", "1"],
    [""],
  ]);
  expect(show.stdout).toBe(`team       sales
scopes     catalog:read
retailers  nordwind
members    ada@example.com
keys       laptop, old (revoked)
`);
});

test("listings are JSON documents with --format json", async () => {
  const { service } = await setUp();
  await service("teams", "create", "sales");
  await service("keys", "create", "laptop", "--team", "sales");
  await service("teams", "members", "add", "sales", "ada@example.com");

  const [teams, team, keys] = [
    JSON.parse((await service("teams", "list", "-f", "json")).stdout),
    JSON.parse((await service("teams", "show", "sales", "-f", "json")).stdout),
    JSON.parse((await service("keys", "list", "-f", "json")).stdout),
  ];

  const grants = { scopes: ["catalog:sample", "catalog:read"], retailers: null };
  const created_at = expect.stringMatching(/^\d{4}-.*Z$/);
  const sales = { name: "sales", ...grants, created_at, members: ["ada@example.com"] };
  expect(teams).toEqual([{ ...sales, active_keys: 1 }]);
  expect(team).toEqual({ ...sales, keys: [{ name: "laptop", revoked: false }] });
  expect(keys).toEqual([
    { name: "laptop", team: "sales", ...grants, created_at, last_used_at: null, revoked_at: null },
  ]);
});

test.each([
  [["keys", "create", "b", "--team", "sales", "--scope", "catalog:read"], /has other grants: scopes catalog:sample;/],
  [["teams", "create", "sales"], /there is already a team "sales"\./],
  [["teams", "grant", "sale", "--all-retailers"], /there is no team "sale"; there are other, sales\./],
  [["keys", "create", "a\nb"], /the name of a key must be of visible characters, unlike "a\\nb"\./],
  [["teams", "create", "a\u202eb"], /the name of a team must be of visible characters/],
  [["teams", "create", "\u200d\u3164"], /the name of a team must be of visible characters/],
  [["teams", "create", " sales "], /there is already a team "sales"/],
  [["keys", "create", "b", "--team", "sale"], /there is no team "sale"\. To create it, .*\nDid you mean sales\?/],
  [["keys", "create", "b", "--scope", "catalog:write"], /--scope "catalog:write" is not one of catalog:sample/],
  [["teams", "create", "new", "--retailer", "a,,b"], /--retailer "a,,b" has an empty value; name a retailer\./],
  [
    ["teams", "create", "new", "--retailer", "x", "--all-retailers"],
    /--all-retailers cannot be combined with --retailer/,
  ],
  [["remove", "--all", "-n"], /unknown option '-n'/],
  [["teams", "grant", "sales"], /nothing to change: give --scope/],
  [
    ["teams", "grant", "sales", "--retailer", "x", "--all-retailers"],
    /--all-retailers cannot be combined with --retailer/,
  ],
  [["teams", "members", "add", "sales", "ada"], /"ada" is not an e-mail address/],
  [["teams", "members", "add", "sale", "ada@example.com"], /there is no team "sale"/],
  [["teams", "members", "remove", "sales", "ada@example.com"], /is not a member of the team "sales"; there are none\./],
  [["keys", "revoke", "b"], /there is no key named "b"; there is a\./],
  [["keys", "revoke", "a", "--team", "sale"], /there is no team "sale"; there are other, sales\./],
])("%j is refused with exit code 2", async (args, message) => {
  const { service } = await setUp();
  await service("keys", "create", "a", "--team", "sales", "--scope", "catalog:sample");
  await service("keys", "create", "a", "--team", "other", "--all-retailers");

  expect(await service(...args)).toMatchObject({ code: EXIT.usage, stderr: expect.stringMatching(message) });
});

test("a granted retailer without rows is granted with a warning", async () => {
  const { service } = await setUp({
    rows: ["nordwind", "gone"].map((retailer) => product({ sku: retailer, retailer })),
  });
  await service("remove", "--retailer", "gone");

  const warnings = [
    (await service("teams", "create", "sales", "--retailer", "nordwnd")).stderr,
    (await service("teams", "grant", "sales", "--retailer", "gone")).stderr,
    (await service("keys", "create", "a", "--team", "new", "--retailer", "nordwind")).stderr,
  ];

  expect(warnings).toEqual([
    'warning: the database has no rows of the retailer "nordwnd" yet; did you mean nordwind?\n',
    'warning: the database has no rows of the retailer "gone" yet.\n',
    "",
  ]);
});

test.each([
  [["keys", "list"]],
  [["keys", "revoke", "a"]],
  [["teams", "list"]],
  [["teams", "show", "sales"]],
  [["incident", "list"]],
  [["incident", "resolve", "1"]],
])("%j creates no database", async (args) => {
  const { folder, database, service } = await setUp();

  expect(await service(...args)).toMatchObject({
    code: EXIT.failure,
    stderr: expect.stringContaining(`there is no database ${database}; create one`),
  });
  expect(await readdir(folder)).toEqual([]);
});

test("incidents are listed with their ids, open ones first", async () => {
  const { service } = await setUp();
  await service("keys", "create", "a");
  await service("incident", "open", "Slow pages", "--severity", "minor");
  await service("incident", "open", "No answers", "--severity", "major");
  await service("incident", "update", "2", "--state", "identified", "--body", "A disk is full.");
  await service("incident", "resolve", "2");

  const { stdout } = await service("incident", "list", "-f", "table");
  const documents = JSON.parse((await service("incident", "list", "-f", "json")).stdout);

  const today = new Date().toISOString().slice(0, 10);
  expect(stdout.split("\n").map((line) => line.trimEnd().split(/ {2,}/))).toEqual([
    ["id", "state", "severity", "began", "suite", "title"],
    expect.any(Array),
    ["1", "investigating", "minor", today, "catalog-api", "Slow pages"],
    ["2", "resolved", "major", today, "catalog-api", "No answers"],
    [""],
  ]);
  expect(documents).toMatchObject([
    { id: 1, title: "Slow pages", resolved_at: null, updates: [{ state: "investigating", body: "Slow pages" }] },
    { id: 2, updates: [{ state: "resolved", body: "Resolved." }, { state: "identified" }, { state: "investigating" }] },
  ]);
});

test("a team with valid keys is deleted only with --revoke-keys", async () => {
  const { service } = await setUp();
  await service("keys", "create", "laptop", "--team", "sales", "--all-retailers");

  const refused = await service("teams", "delete", "sales");
  const deleted = await service("teams", "delete", "sales", "--revoke-keys", "-v");

  expect(refused).toMatchObject({ code: EXIT.usage, stderr: expect.stringContaining("laptop. Revoke them first") });
  expect(deleted).toEqual({
    code: 0,
    stdout: "",
    stderr: 'Team "sales" is deleted, with 1 valid key and 0 members.\n',
  });
  expect((await service("teams", "show", "sales")).code).toBe(EXIT.usage);
});

test("a key for a team that cannot be there is refused without making a database", async () => {
  const folder = await temporaryFolder();
  expect(
    await runInProcess(
      ["service", "keys", "create", "k", "--team", "typo", "--database", "./new/rows.db", "-o", "./key"],
      { cwd: folder },
    ),
  ).toMatchObject({ code: EXIT.usage, stderr: expect.stringContaining('there is no team "typo"') });
  expect(await readdir(folder)).toEqual([]);
});
