import { Command } from "@commander-js/extra-typings";
import { describe, expect, test } from "vitest";
import type { Context, Run } from "../../src/cli/context.ts";
import { declare as declareAuth } from "../../src/commands/auth/command.ts";
import { declare as declareCompletion } from "../../src/commands/completion/command.ts";
import { declare as declareCoverage } from "../../src/commands/coverage/command.ts";
import { declare as declareDiff } from "../../src/commands/diff/command.ts";
import { declare as declareExplain } from "../../src/commands/explain/command.ts";
import { declare as declareExport } from "../../src/commands/export/command.ts";
import { declare as declareHistory } from "../../src/commands/history/command.ts";
import { declare as declareIndex } from "../../src/commands/index/command.ts";
import { declare as declareLatest } from "../../src/commands/latest/command.ts";
import { declare as declareMovers } from "../../src/commands/movers/command.ts";
import { declare as declareReport } from "../../src/commands/report/command.ts";
import { declare as declareSample } from "../../src/commands/sample/command.ts";
import { declare as declareService } from "../../src/commands/service/command.ts";
import { declare as declareSql } from "../../src/commands/sql/command.ts";
import { declare as declareStatus } from "../../src/commands/status/command.ts";
import { declare as declareSync } from "../../src/commands/sync/command.ts";
import { declare as declareVerify } from "../../src/commands/verify/command.ts";

/** All that a command may know before it runs: anything else is undefined, so that using it fails. */
const CONTEXT = {
  now: () => Date.parse("2026-03-10T12:00:00Z"),
  stdout: { isTTY: false },
  isStdoutClosed: () => false,
  folders: { config: "/nonexistent", data: "/nonexistent" },
  env: {},
} as unknown as Context;

/** The options that a command line has, as the command would run with them. Nothing is started. */
async function optionsOf<Options>(
  declare: (command: Command, context: Context, run: Run<Options>) => void,
  ...args: readonly string[]
): Promise<Options> {
  const runs: Options[] = [];
  const command = new Command("catalog").exitOverride().command("tested");
  declare(command, CONTEXT, async (options) => void runs.push(options));
  await command.parseAsync(args, { from: "user" });
  expect(runs).toHaveLength(1);
  return runs[0] as Options;
}

const GLOBALS = {
  timeout: 30_000,
  retries: 5,
  quiet: false,
  verbose: false,
  color: true,
  progress: "auto",
  errorFormat: "human",
};
const SOURCE = { globals: GLOBALS, demo: false, filters: {} };
const FOLDER = { ...SOURCE, folder: "rows" };
const NDJSON = { format: "ndjson", noClobber: false, links: false };
const LIST = { pager: true };

/** What every question about prices has. */
const QUESTION = { ...FOLDER, suspectFactor: "10", showSql: false, output: NDJSON, list: LIST };

describe("a command line becomes complete options", () => {
  test("of export", async () => {
    const options = await optionsOf(
      declareExport,
      "--retailer",
      "acme,other",
      "--date",
      "2d",
      "-o",
      "a.csv.gz",
      "--bom",
    );
    expect(options).toEqual({
      ...SOURCE,
      filters: { retailer: ["acme", "other"], start_date: "2d", end_date: "2d" },
      output: { ...NDJSON, format: "csv", output: "a.csv.gz", compression: "gzip" },
      spreadsheet: "bom",
      manifest: false,
      pageSize: 500,
      concurrency: 8,
      storeMode: "careful",
      dryRun: false,
      failOnEmpty: false,
    });
  });

  test.each([
    [["--resume"], "resume"],
    [["--fresh"], "fresh"],
    [["--resume", "--fresh"], "fresh"],
  ])("of export with %j", async (flags, storeMode) => {
    expect(await optionsOf(declareExport, "-o", "rows.csv", ...flags)).toMatchObject({ storeMode });
  });

  test("of coverage", async () => {
    const options = await optionsOf(declareCoverage, "rows/", "--group-by", "brand", "--brand", "Acme", "--chart");
    expect(options).toEqual({
      ...FOLDER,
      folder: "rows/",
      brands: ["Acme"],
      groupBy: "brand",
      failOnEmpty: false,
      output: { ...NDJSON, format: "table" },
      list: LIST,
      chart: true,
      maxRequests: 60,
    });
  });

  test("of diff: a folder alone means its last week", async () => {
    const options = await optionsOf(declareDiff, "rows", "--max-age", "14d", "--sort", "drop");
    expect(options).toEqual({
      ...QUESTION,
      isOfService: false,
      strict: false,
      maxAge: 14,
      failOnEmpty: false,
      concurrency: 8,
      list: { ...LIST, sort: { column: "percent", descending: false } },
    });
  });

  test("of sample", async () => {
    const options = await optionsOf(declareSample, "--card", "--columns", "sku,title", "--demo", "-q");
    expect(options).toEqual({
      ...SOURCE,
      globals: { ...GLOBALS, quiet: true },
      demo: true,
      view: "card",
      output: { ...NDJSON, format: "table" },
      list: LIST,
      columns: ["sku", "title"],
      failOnEmpty: false,
    });
  });

  test("of sync", async () => {
    expect(await optionsOf(declareSync, "rows", "--start-date", "30d", "--prune", "--max-rate", "60")).toEqual({
      ...SOURCE,
      filters: { start_date: "30d" },
      folder: "rows",
      concurrency: 8,
      maxRate: 60,
      lookback: 2,
      audit: 12,
      verify: false,
      dryRun: false,
      adopt: false,
      prune: true,
      allowShrink: false,
      format: "text",
    });
  });

  test("of movers", async () => {
    expect(await optionsOf(declareMovers, "rows", "--only", "drop", "-n", "3")).toEqual({
      ...QUESTION,
      kinds: ["drop"],
      maxAge: 14,
      list: { ...LIST, limit: 3 },
    });
  });

  test("of history: the last word is a folder if it looks like one", async () => {
    expect(await optionsOf(declareHistory, "A1", "B2", "./rows", "--html", "page.html")).toEqual({
      ...QUESTION,
      folder: "./rows",
      page: { file: "page.html", noClobber: false, isOnly: true },
      skus: ["A1", "B2"],
      search: [],
    });
  });

  test("of latest, whose columns follow its groups", async () => {
    const columns = ["mean_discount_pct", "brand"];
    expect(await optionsOf(declareLatest, "rows", "--group-by", "brand", "--columns", columns.join(","))).toEqual({
      ...QUESTION,
      groupBy: "brand",
      gone: false,
      maxAge: 14,
      columns,
    });
  });

  test("of index, whose days are no filters", async () => {
    expect(await optionsOf(declareIndex, "basket.csv", "rows", "--start-date", "30d", "--max-age", "7d")).toEqual({
      ...QUESTION,
      ownList: "basket.csv",
      startDate: "30d",
      maxAge: 7,
    });
  });

  test("of report", async () => {
    const { conditions, ...options } = await optionsOf(declareReport, "rows", "--fail-if", "stale > 0");
    expect(conditions.map(({ text }) => text)).toEqual(["stale > 0"]);
    expect(options).toEqual({
      ...FOLDER,
      output: { ...NDJSON, format: "text" },
      urls: false,
      limit: 10,
      maxAge: 14,
      staleAfter: 28,
      suspectFactor: "10",
      showSql: false,
    });
  });

  test("of sql", async () => {
    const options = await optionsOf(declareSql, "from rows", "rows", "--memory", "1GiB", "--no-pager");
    expect(options).toEqual({
      ...FOLDER,
      query: "from rows",
      tables: [],
      memory: 1024 ** 3,
      pager: false,
      output: NDJSON,
    });
  });

  test.each([
    [["login", "--profile", "ci"], { globals: { ...GLOBALS, profile: "ci" }, check: true }],
    [["login", "--api-key-command", "pass", "--no-check"], { globals: GLOBALS, apiKeyCommand: "pass", check: false }],
    [["status"], { globals: GLOBALS, format: "text" }],
    [["status", "-f", "json"], { globals: GLOBALS, format: "json" }],
    [["logout"], { globals: GLOBALS }],
  ])("of auth %j", async (args, options) => {
    const runs: [string, unknown][] = [];
    const run = (name: string) => async (given: unknown) => void runs.push([name, given]);
    const command = new Command("catalog").exitOverride().command("auth");
    declareAuth(command, CONTEXT, { login: run("login"), status: run("status"), logout: run("logout") });
    await command.parseAsync(args, { from: "user" });
    expect(runs).toEqual([[args[0], options]]);
  });

  test("of status", async () => {
    const address = "https://status.example.com/feed.json";
    expect(await optionsOf(declareStatus, "--status-url", address, "-f", "json")).toEqual({
      globals: GLOBALS,
      statusUrl: address,
      demo: false,
      format: "json",
    });
  });

  test("of explain: a code in any spelling is the error that it means", async () => {
    const { found, ...options } = await optionsOf(declareExplain, "RATE-LIMITED");
    expect({ code: found?.code, options }).toEqual({
      code: "rate_limited",
      options: { globals: GLOBALS, format: "text" },
    });
  });

  test("of verify and completion", async () => {
    expect(await optionsOf(declareVerify, "rows.csv", "-q")).toEqual({
      globals: { ...GLOBALS, quiet: true },
      file: "rows.csv",
    });
    expect(await optionsOf(declareCompletion, "zsh")).toEqual({ shell: "zsh" });
  });

  test.each([
    [["keys", "create", "laptop", "--team", "sales"], { key: { name: "laptop", team: "sales" } }],
    [
      ["keys", "create", "laptop", "-o", "-", "--scope", "catalog:sample,catalog:read", "--all-retailers"],
      { key: { name: "laptop", scopes: ["catalog:sample", "catalog:read"], retailers: null } },
    ],
    [["keys", "list", "-f", "json"], { output: { ...NDJSON, format: "json" }, list: LIST }],
    [["keys", "revoke", "laptop"], { name: "laptop" }],
    [
      ["teams", "create", "sales", "--retailer", "acme, bolt", "--retailer", "acme"],
      { name: "sales", grants: { retailers: ["acme", "bolt"] } },
    ],
    [["teams", "create", "sales", "--all-retailers"], { name: "sales", grants: { retailers: null } }],
    [["teams", "grant", "sales", "--all-retailers"], { name: "sales", grants: { retailers: null } }],
    [["teams", "show", "sales"], { name: "sales", format: "table" }],
    [["teams", "delete", "sales"], { name: "sales", revokeKeys: false }],
    [["teams", "members", "add", "sales", "Ada@Example.com"], { team: "sales", email: "ada@example.com" }],
    [["incident", "open", "Slow"], { title: "Slow", severity: "minor", suite: "catalog-api", body: "Slow" }],
    [["incident", "resolve", "7"], { id: 7, state: "resolved", body: "Resolved." }],
    [["load", "a.csv", "-"], { files: ["a.csv", "-"] }],
    [
      ["load", "--replace", "--retailer", "acme", "--date", "yesterday", "a.csv"],
      { files: ["a.csv"], replacement: { retailer: "acme", day: "2026-03-09" } },
    ],
    [["remove", "--end-date", "365d", "--dry-run"], { filters: { end_date: "365d" }, dryRun: true }],
    [
      ["start", "--public-url", "https://api.example.com/", "--trust-proxy", "1", "--window", "30"],
      {
        service: {
          host: "127.0.0.1",
          port: 8787,
          rateLimit: 120,
          sampleRateLimit: 30,
          windowSeconds: 30,
          drainDelay: 0,
          publicUrl: "https://api.example.com",
          trustProxy: 1,
        },
      },
    ],
  ])("of service %j", async (args, options) => {
    const base = { globals: GLOBALS, database: "rows.db", databaseFlag: " --database rows.db" };
    expect(await optionsOf<unknown>(declareService, ...args, "--database", "rows.db")).toEqual({ ...base, ...options });
  });

  test.each([
    ["localhost", "127.0.0.1"],
    ["[::1]", "::1"],
  ])("of service start --host %s, which is %s", async (host, expected) => {
    expect(await optionsOf<unknown>(declareService, "start", "--host", host, "--database", "rows.db")).toMatchObject({
      service: { host: expected, drainDelay: 0 },
    });
  });
});
