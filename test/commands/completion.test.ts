import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { splitLine } from "../../src/commands/completion/complete.ts";
import { EXIT } from "../../src/contract/errors.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { type InProcessOptions, runInProcess } from "../helpers/in-process.ts";
import { product } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

const ROWS = [
  product({ sku: "1", retailer: "nordwind", category: "lamps", department: "home" }),
  product({ sku: "2", retailer: "casa-luz", category: "chairs", department: "garden" }),
  product({ sku: "3", retailer: "casa-luz", category: "lamps", department: "home" }),
];

/** The words offered at the end of a command line, the kind of completion first. */
async function offered(line: string, options: InProcessOptions = {}): Promise<string[]> {
  const { stdout } = await runInProcess(["__complete", "--line", `catalog ${line}`], options);
  const [kind = "", ...lines] = stdout.trimEnd().split("\n");
  return [kind, ...lines.map((text) => text.split("\t")[0] ?? "")];
}

/** A service whose vocabulary was seen by one coverage call. */
async function seenService() {
  const cache = await temporaryFolder();
  const { url, key } = await startTestService({ rows: ROWS });
  const env = { CATALOG_BASE_URL: url, CATALOG_API_KEY: key };
  const folders = { config: "/nonexistent", data: "/nonexistent", cache };
  const run = (...args: string[]) => runInProcess(args, { env, folders });
  return { cache, env, folders, run, words: async (line: string) => (await offered(line, { env, folders })).slice(1) };
}

describe("completion offers", () => {
  test.each([
    ["sam", ["words", "sample"]],
    ["auth log", ["words", "login", "logout"]],
    ["--retries 3 service keys c", ["words", "create"]],
    ["export --max-r", ["words", "--max-rows", "--max-rate"]],
    ["export --format p", ["words", "parquet"]],
    ["export --format=n", ["words", "--format=ndjson"]],
    ["export -f ts", ["words", "tsv"]],
    ["sample --columns sku,sel", ["list", "sku,selling_price"]],
    ["sample --columns sku,sk", ["list"]],
    ["export --date y", ["words", "yesterday"]],
    ["diff --only ap", ["list", "appeared"]],
    ["movers --only drop,ri", ["list", "drop,rise"]],
    ["history --sort pr", ["words", "price"]],
    ["sample --sort sell", ["words", "selling_price"]],
    ["diff --sort ri", ["words", "rise"]],
    ["coverage --sort days", ["words", "days_old"]],
    ["export --partition-by retailer,cr", ["list", "retailer,crawl_date"]],
    ["history SKU ro", ["folders"]],
    ["history --search x ro", ["folders"]],
    ["history S", ["words"]],
    ["help __", ["words"]],
    ["help comp", ["words", "compare", "completion"]],
    ["export --output ro", ["files"]],
    ["verify ", ["files"]],
    ["index ", ["files"]],
    ["diff --against ro", ["folders"]],
    ["sync ro", ["folders"]],
    ["sync log ro", ["folders"]],
    ["explain invalid_c", ["words", "invalid_cursor", "invalid_credentials"]],
    ["help form", ["words", "formats"]],
    ["completion z", ["words", "zsh"]],
    ["export --no-such-flag=", ["words"]],
  ])("the possible words after `catalog %s`", async (line, expected) => {
    expect(await offered(line)).toEqual(expected);
  });

  test("no flag twice, unless it is repeatable", async () => {
    expect(await offered("export --demo --rcd a:b:c --de")).toEqual(["words", "--department"]);
    expect(await offered("export --rcd a:b:c --rc")).toEqual(["words", "--rcd"]);
  });

  test("no slug that was never reported", async () => {
    expect(await offered("export --retailer ")).toEqual(["words"]);
  });

  test("the slugs of a coverage response, limited by the flags typed before", async () => {
    const { run, words } = await seenService();
    await run("coverage");
    expect(await words("export --retailer ")).toEqual(["casa-luz", "nordwind"]);
    expect(await words("export --retailer nordwind --category ")).toEqual(["lamps"]);
    expect(await words("export --category=chairs --department ")).toEqual(["garden"]);
    expect(await words("export --rcd nordwind:lamps:home,casa-luz:c")).toEqual([
      "nordwind:lamps:home,casa-luz:chairs:garden",
    ]);
  });

  test("nothing that a shell would run or expand", async () => {
    const { cache, run, words } = await seenService();
    await run("coverage");
    const [name = ""] = await readdir(join(cache, "vocabulary"));
    await writeFile(join(cache, "vocabulary", name), JSON.stringify({ rcds: ["a;b:c:d", "$(x):c:d", "fine:c:d", 7] }));
    expect(await words("export --retailer ")).toEqual(["fine"]);
  });

  test("the profiles of the configuration file", async () => {
    const config = join(await temporaryFolder(), "config.toml");
    await writeFile(config, "[profiles.staging]\n[profiles.work]\n");
    expect(await offered("export --profile w", { env: { CATALOG_CONFIG: config } })).toEqual(["words", "work"]);
  });
});

describe("the vocabulary", () => {
  test("can only be read by its owner", async () => {
    const { cache, run } = await seenService();
    await run("coverage");
    const folder = join(cache, "vocabulary");
    const [name = "", ...more] = await readdir(folder);
    expect({ mode: (await stat(join(folder, name))).mode & 0o777, more }).toEqual({ mode: 0o600, more: [] });
  });

  test("never makes the command fail that stores it", async () => {
    const { env, folders } = await seenService();
    const file = join(await temporaryFolder(), "file");
    await writeFile(file, "");
    expect(
      await runInProcess(["coverage"], {
        env,
        folders: { ...folders, cache: join(file, "catalog") },
      }),
    ).toMatchObject({ code: EXIT.ok, stderr: "" });
  });
});

test.each([
  ["", [""]],
  ["catalog ", ["catalog", ""]],
  ['catalog  a\\ b \'c d\' "e \\" f"g', ["catalog", "a b", "c d", 'e " fg']],
  ["catalog 'open wo", ["catalog", "open wo"]],
  ['catalog "a\\\\" b', ["catalog", "a\\", "b"]],
  ["catalog '' $(x)", ["catalog", "", "$(x)"]],
])("the line %j is split into words without running anything", (line, words) => {
  expect(splitLine(line)).toEqual(words);
});

test.each(["bash", "zsh", "fish"])("the script of %s calls the tool", async (shell) => {
  expect(await runInProcess(["completion", shell])).toMatchObject({
    code: EXIT.ok,
    stdout: expect.stringContaining("catalog __complete"),
  });
});

test("an unknown shell is refused, and the known ones are listed", async () => {
  expect(await runInProcess(["completion", "tcsh"])).toMatchObject({
    code: EXIT.usage,
    stderr: expect.stringContaining("bash, zsh, fish"),
  });
});
