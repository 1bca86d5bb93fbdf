import { mkdir, readFile, symlink } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runCatalog, temporaryFolder } from "../helpers/cli.ts";
import { product } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

const RECORDER = fileURLToPath(new URL("../helpers/recorded-writes.cjs", import.meta.url));

function nameOf(path: string): string {
  return path.replace(/\.\d+\.new$/, ".PID.new").replace(/staging-[^/]*/, "staging") || ".";
}

/** What a run does to files below `cwd`, in order, a word for each call and its paths. Repeated writes count once. */
async function writesOf(
  args: readonly string[],
  cwd: string,
  options: { stdin?: string; env: Record<string, string> },
) {
  const record = join(await temporaryFolder(), "writes");
  const env = { ...options.env, WRITES: record, NODE_OPTIONS: `--require "${RECORDER}"` };
  const { code, stderr } = await runCatalog(args, { ...options, cwd, env });
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  const calls = (await readFile(record, "utf8")).trimEnd().split("\n");
  const lines = calls.map((call) => {
    const [name, ...paths] = JSON.parse(call) as string[];
    return [name, ...paths.map((path) => nameOf(relative(cwd, path)))].join(" ");
  });
  // A slow run also renews its lock, at any place.
  const kept = lines.filter((line, at) => !/^(write|sync) .*lock$/.test(line) || lines.indexOf(line) === at);
  return kept.filter((line, at) => line !== kept[at - 1]);
}

test("an export through a link syncs its file before the rename and the target's folder after it, then does so with the manifest, then removes its pages", async () => {
  const cwd = await temporaryFolder();
  const { url, key } = await startTestService({ rows: [product()] });
  await mkdir(join(cwd, "share"));
  await symlink("share/rows.csv", join(cwd, "rows.csv"));
  const env = { CATALOG_BASE_URL: url, CATALOG_API_KEY: key };
  const lines = await writesOf(["export", "-o", "rows.csv", "--manifest"], cwd, { env });
  expect(lines).toEqual([
    "write share/rows.csv.partial.lock",
    "sync share/rows.csv.partial.lock",
    "sync share",
    "write share/rows.csv.partial.json",
    "write share/rows.csv.partial.pages",
    "write share/rows.csv.partial.json",
    "write share/rows.csv.partial",
    "sync share/rows.csv.partial",
    "rename share/rows.csv.partial share/rows.csv",
    "sync share",
    "write share/rows.csv.manifest.json.new",
    "sync share/rows.csv.manifest.json.new",
    "rename share/rows.csv.manifest.json.new share/rows.csv.manifest.json",
    "sync share",
    "remove share/rows.csv.partial.json",
    "remove share/rows.csv.partial.pages",
    "sync share",
    "remove share/rows.csv.partial.lock",
  ]);
});

test("a stored key is synced before it gets its name, and its folder after that", async () => {
  const cwd = await temporaryFolder();
  const { url, key } = await startTestService();
  const env = { XDG_CONFIG_HOME: cwd };
  const lines = await writesOf(["auth", "login", "--base-url", url], cwd, { env, stdin: `${key}\n` });
  expect(lines).toEqual([
    "sync .",
    "write catalog/config.toml.lock",
    "sync catalog/config.toml.lock",
    "write catalog/config.toml.PID.new",
    "sync catalog/config.toml.PID.new",
    "rename catalog/config.toml.PID.new catalog/config.toml",
    "sync catalog",
    "remove catalog/config.toml.lock",
  ]);
});

test("a sync says which days it changes before it changes them, and what they are after that", async () => {
  const cwd = await temporaryFolder();
  const { url, key } = await startTestService({ rows: [product()] });
  const env = { CATALOG_BASE_URL: url, CATALOG_API_KEY: key };
  const lines = await writesOf(["sync", "rows"], cwd, { env });
  const state = [
    "write rows/.catalog/state.json.new",
    "sync rows/.catalog/state.json.new",
    "rename rows/.catalog/state.json.new rows/.catalog/state.json",
    "sync rows/.catalog",
  ];
  const day = "rows/.catalog/staging/2026-01-15";
  const own = lines
    .slice(lines.indexOf(`write ${day}`))
    .filter((line) => !/2026-01-15\.|staging$|staging\/rows$/.test(line));
  expect(own.slice(own.indexOf(`sync ${day}`))).toEqual([
    `sync ${day}`,
    ...state,
    `rename ${day} rows/crawl_date=2026-01-15/part-0.parquet`,
    "sync rows",
    "sync rows/crawl_date=2026-01-15",
    ...state,
    "remove rows/.catalog/sync.json",
    "remove rows/.catalog/sync.pages",
    "sync rows/.catalog",
    ...state,
    "remove rows/.catalog/lock",
    "write rows/.catalog/log.ndjson",
  ]);
});
