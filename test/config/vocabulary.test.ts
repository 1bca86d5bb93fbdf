import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readVocabulary, rememberVocabulary } from "../../src/config/vocabulary.ts";
import { temporaryFolder } from "../helpers/cli.ts";

const OWNER = { service: "https://a.example/", profile: "work" };

async function setUp() {
  const cache = await temporaryFolder();
  const context = { folders: { config: cache, data: cache, cache }, pid: 1 };
  const file = async () => join(cache, "vocabulary", (await readdir(join(cache, "vocabulary")))[0] ?? "");
  return {
    file,
    remember: (seen: Parameters<typeof rememberVocabulary>[1], complete = false) =>
      rememberVocabulary(OWNER, seen, { complete }, context),
    read: (owner: Parameters<typeof readVocabulary>[0] = OWNER) => readVocabulary(owner, context),
  };
}

test("what was seen is added to what was known, each once and sorted, until all is seen", async () => {
  const { read, remember } = await setUp();
  expect(await read()).toEqual({ rcds: [], slugs: {} });
  await remember({ rcds: ["b:c:d", "a:c:d"], slugs: { retailer: ["z", "y"] } });
  await remember({ rcds: ["a:c:d", "c:c:d"], slugs: { retailer: ["x", "y"], category: ["c"] } });
  await remember({});
  expect(await read()).toEqual({
    rcds: ["a:c:d", "b:c:d", "c:c:d"],
    slugs: { retailer: ["x", "y", "z"], category: ["c"] },
  });
  await remember({ rcds: ["n:c:d"] }, true);
  expect(await read()).toEqual({ rcds: ["n:c:d"], slugs: {} });
});

test("each service and profile has its own", async () => {
  const { read, remember } = await setUp();
  await remember({ rcds: ["a:c:d"] });
  const others = [
    { ...OWNER, service: "https://b.example/" },
    { ...OWNER, profile: "night" },
    { ...OWNER, profile: undefined },
  ];
  expect(await Promise.all(others.map(read))).toEqual(others.map(() => ({ rcds: [], slugs: {} })));
});

test("of more than 20,000, those seen last are kept", async () => {
  const { read, remember } = await setUp();
  await remember({ rcds: ["old:c:d"] });
  const rcds = Array.from({ length: 20_000 }, (_, number) => `r${number}:c:d`);
  await remember({ rcds });
  expect((await read()).rcds).toEqual(rcds.sort());
});

test.each([
  ["no JSON", "{", { rcds: [], slugs: {} }],
  ["null", "null", { rcds: [], slugs: {} }],
  ["other members", "{}", { rcds: [], slugs: {} }],
  ["other types", '{"rcds":"a:c:d","slugs":{"retailer":"a"}}', { rcds: [], slugs: { retailer: [] } }],
  [
    "other elements",
    '{"rcds":["a:c:d",7,"a:c"],"slugs":{"retailer":["a",1]}}',
    { rcds: ["a:c:d"], slugs: { retailer: ["a"] } },
  ],
])("a damaged file gives only what can be used: %s", async (_, text, expected) => {
  const { file, read, remember } = await setUp();
  await remember({ rcds: ["b:c:d"] });
  const path = await file();
  await writeFile(path, text);
  expect(await read()).toEqual(expected);
  expect(await readFile(path, "utf8")).toBe(text);
});
