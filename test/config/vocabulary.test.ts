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
  expect(await read()).toEqual([]);
  await remember(["b:c:d", "a:c:d"]);
  await remember(["a:c:d", "c:c:d"]);
  expect(await read()).toEqual(["a:c:d", "b:c:d", "c:c:d"]);
  await remember(["n:c:d"], true);
  expect(await read()).toEqual(["n:c:d"]);
});

test("each service and profile has its own", async () => {
  const { read, remember } = await setUp();
  await remember(["a:c:d"]);
  const others = [
    { ...OWNER, service: "https://b.example/" },
    { ...OWNER, profile: "night" },
    { ...OWNER, profile: undefined },
  ];
  expect(await Promise.all(others.map(read))).toEqual(others.map(() => []));
});

test("of more than 20,000, those seen last are kept", async () => {
  const { read, remember } = await setUp();
  await remember(["old:c:d"]);
  const rcds = Array.from({ length: 20_000 }, (_, number) => `r${number}:c:d`);
  await remember(rcds);
  expect(await read()).toEqual(rcds.sort());
});

test.each([
  ["no JSON", "{", []],
  ["null", "null", []],
  ["other members", "{}", []],
  ["other types", '{"rcds":"a:c:d"}', []],
  ["other elements", '{"rcds":["a:c:d",7,"a:c"]}', ["a:c:d"]],
])("a damaged file gives only what can be used: %s", async (_, text, expected) => {
  const { file, read, remember } = await setUp();
  await remember(["b:c:d"]);
  const path = await file();
  await writeFile(path, text);
  expect(await read()).toEqual(expected);
  expect(await readFile(path, "utf8")).toBe(text);
});
