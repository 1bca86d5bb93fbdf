import { describe, expect, test } from "vitest";
import { EXIT } from "../../../src/contract/errors.ts";
import { runInProcess } from "../../helpers/in-process.ts";
import { oneRowEach, product } from "../../helpers/products.ts";
import { startTestService } from "../../helpers/service.ts";
import { syncedFolder } from "../../helpers/synced-folder.ts";

describe("two letters swapped", () => {
  test("are found before a slug with the same beginning", async () => {
    const rows = oneRowEach("acme:shoe-polish:care", "acme:shoes:clothing", "acme:hoses:garden");
    const service = await startTestService({ rows });
    const { code, stderr } = await runInProcess(["coverage", "--category", "shose"], { service });
    expect(code).toBe(EXIT.usage);
    expect(stderr).toMatch(/Did you mean shoes, [^\n]*\n {2}catalog coverage --category shoes\n/);
  });

  test.each([
    [["exprot", "--demo"], "catalog export --demo"],
    [["export", "--demo", "--ouptut", "x"], "catalog export --demo --output x"],
    [["export", "--demo", "-f", "cvs"], "catalog export --demo -f csv"],
    [["export", "--demo", "--columns", "sku,ttile"], "catalog export --demo --columns sku,title"],
    [["export", "--columns", "sku,ttile,bran,selling_prise"], "catalog export --columns sku,title,brand,selling_price"],
    [["explain", "rate_limtied"], "catalog explain rate_limited"],
    [["help", "exprot"], "catalog help export"],
  ])("%j is put right", async (args, corrected) => {
    const { code, stderr } = await runInProcess(args);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain(`\n  ${corrected}\n`);
  });
});

test.each([
  ["latest-3", "Did you mean latest-3d?"],
  ["30", "Did you mean 30d?"],
  ["yesterdy", "Did you mean yesterday?"],
  ["today-1", undefined],
  ["2026", undefined],
])("a wrong day %s gets no other day for a suggestion", async (day, suggestion) => {
  const { code, stderr } = await runInProcess(["coverage", "--demo", "--date", day]);
  expect({ code, exec: /Did you mean .*/.exec(stderr)?.[0] }).toEqual({ code: EXIT.usage, exec: suggestion });
});

test("swapped parts of a triple are put right, of a service and of a folder", async () => {
  const rows = oneRowEach("acme:shoes:clothing", "acme:drills:tools", "bolt:clothing:shoes");
  const service = await startTestService({ rows });
  const ofService = await runInProcess(["coverage", "--rcd", "acme:clothing:shoes"], { service });
  const folder = await syncedFolder(rows);
  const ofFolder = await runInProcess(["coverage", folder, "--rcd", "acme:clothing:shoes"]);
  for (const { code, stderr } of [ofService, ofFolder]) {
    expect({ code, stderr }).toEqual({
      code: EXIT.usage,
      stderr: expect.stringContaining("Did you mean acme:shoes:clothing?\n"),
    });
    expect(stderr).toMatch(/\n {2}catalog coverage .*--rcd acme:shoes:clothing\n/);
  }
});

test("a value without close matches gets some valid values and no corrected command line", async () => {
  const service = await startTestService({ rows: oneRowEach("acme:shoes:clothing", "bolt:drills:tools") });
  const { code, stderr } = await runInProcess(["coverage", "--retailer", "zzzz"], { service });
  expect({ code, stderr: stderr.split("\n").slice(0, 3) }).toEqual({
    code: EXIT.usage,
    stderr: [
      'error: There is no retailer "zzzz".',
      "Valid values include acme, bolt.",
      "List them: `catalog coverage --group-by retailer`.",
    ],
  });
});

test("a corrected comma list has no value twice and is accepted", async () => {
  const service = await startTestService({ rows: oneRowEach("acme:shoes:clothing", "bolt:drills:tools") });
  const { stderr } = await runInProcess(["coverage", "--retailer", "acme,bolt,acmee,bolz"], { service });
  const [, corrected = ""] = /\n {2}catalog (.*)\n/.exec(stderr) ?? [];
  expect(corrected).toBe("coverage --retailer acme,bolt,bolz");
  const again = await runInProcess(corrected.split(" "), { service });
  expect(again.stderr).toContain("\n  catalog coverage --retailer acme,bolt\n");
});

test("a command that is named for more keeps the service and the retailer of the command line", async () => {
  const service = await startTestService({ rows: oneRowEach("acme:shoes:clothing") });
  const env = { CATALOG_API_KEY: service.key };
  const flags = ["--base-url", service.url, "--retailer", "acme"];
  const own = await runInProcess(["export", ...flags, "--category", "x"], { env });
  const demo = await runInProcess(["coverage", "--demo", "--retailer", "nordwnd"]);
  expect(own.stderr).toContain(`\`catalog coverage --base-url ${service.url} --retailer acme --group-by category\`.\n`);
  expect(demo.stderr).toContain("`catalog coverage --demo --group-by retailer`.\n");
});

describe("a wrong flag or command", () => {
  test.each([
    [["auth", "lgoin"], "catalog auth --help", "catalog auth login"],
    [["auth", "login", "--profil", "x"], "catalog auth login --help", "catalog auth login --profile x"],
    [["service", "keys", "craete", "x"], "catalog service keys --help", "catalog service keys create x"],
    [["service", "start", "--prot", "1"], "catalog service start --help", "catalog service start --port 1"],
    [
      ["service", "keys", "create", "x", "--taem=t"],
      "catalog service keys create --help",
      "catalog service keys create x --team=t",
    ],
    [
      ["service", "incident", "open", "x", "--severty", "minor"],
      "catalog service incident open --help",
      "catalog service incident open x --severity minor",
    ],
    [["--verison"], "catalog --help", "catalog --version"],
    [["version"], "catalog --help", "catalog --version"],
    [["completion", "fihs", "-q"], "bash, zsh, fish", "catalog completion fish -q"],
    [["coverage", "--json"], "catalog coverage --help", "catalog coverage --format=json"],
    [["export", "--start", "7d"], "catalog export --help", "catalog export --start-date 7d"],
    [["-q", "export", "-retailer", "x"], "catalog export --help", "catalog -q export --retailer x"],
  ])("%j gets the command it belongs to", async (args, told, corrected) => {
    const { code, stderr } = await runInProcess(args);
    expect(code).toBe(EXIT.usage);
    expect(stderr.split("\n")[0]).toContain(told);
    expect(stderr).toContain(`\n  ${corrected}\n`);
  });

  test("a corrected command line that would be refused, too, is not printed", async () => {
    const { code, stderr } = await runInProcess(["exprot", "--no-such-flag"]);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toContain("Did you mean export?");
    expect(stderr).not.toContain("  catalog export");
  });

  test("a word of ten thousand letters is not repeated as a whole", async () => {
    const word = "x".repeat(10_000);
    for (const args of [
      ["coverage", word],
      [`exprot${word}`],
      ["coverage", `--${word}`],
      ["coverage", "--sort", word],
      ["movers", word],
    ]) {
      const { code, stderr } = await runInProcess(args);
      expect(code).not.toBe(0);
      expect(stderr.length).toBeLessThan(1_000);
    }
  });

  test("a surplus operand is counted", async () => {
    const { stderr } = await runInProcess(["sync", "a", "b"]);
    expect(stderr).toBe(
      "error: too many arguments for 'sync'. Expected 1 argument but got 2; see `catalog sync --help`.\n",
    );
  });

  test.each([
    [["service", "keys", "--databse", "x"], "and `catalog service keys` needs a subcommand"],
    [["--demo", "export"], "the option '--demo' must come after the name of its command: `catalog export --demo`"],
    [["service", "keys", "create"], "missing required argument 'name'; see `catalog service keys create --help`"],
  ])("%j gets a message that says what is missing", async (args, told) => {
    expect(await runInProcess(args)).toMatchObject({ code: EXIT.usage, stderr: expect.stringContaining(told) });
  });

  test("a misspelt flag before the name of its command gets no corrected command line", async () => {
    const { stderr } = await runInProcess(["auth", "--formt", "json", "status"]);
    expect(stderr).toContain("Did you mean --format");
    expect(stderr).not.toContain("  catalog auth --format");
  });
});

describe("a key on the command line", () => {
  test.each([
    [["auth", "login", "--api-key", "s3cr3t"]],
    [["auth", "login", "--key=s3cr3t\ns3cr3t"]],
    [["auth", "login", "s3cr3t"]],
    [["auth", "lgoin", "--token", "s3cr3t"]],
    [["export", "--apikey=s3cr3t"]],
    [["export", "--catalog-apikey=s3cr3t"]],
    [["export", "--SERVICE_KEY", "s3cr3t"]],
    [["--api_ky", "s3cr3t", "exprot"]],
    [["export", "--error-format", "json", "--token", "s3cr3t"]],
  ])("%j is refused without repeating the key, and the message says how to set it", async (args) => {
    const { code, stdout, stderr } = await runInProcess(args);
    expect({ code, stdout }).toEqual({ code: EXIT.usage, stdout: "" });
    expect(stderr).not.toContain("s3cr3t");
    for (const way of ["asks for it", "a pipe", "--api-key-command", "CATALOG_API_KEY ", "CATALOG_API_KEY_FILE"]) {
      expect(stderr).toContain(way);
    }
  });

  test("the value of any unknown flag is not repeated", async () => {
    const { stderr } = await runInProcess(["export", "--sercet=s3cr3t"]);
    expect(stderr).toMatch(/^error: unknown option '--sercet'; see .*\n$/);
    expect(stderr).not.toContain("s3cr3t");
  });

  test.each(["--monkey", "--sort-key", "--hockey"])("%s is not taken for a flag of a key", async (flag) => {
    const { stderr } = await runInProcess(["export", flag, "s3cr3t"]);
    expect(stderr).toMatch(new RegExp(`^error: unknown option '${flag}'; see`));
    expect(stderr).not.toContain("s3cr3t");
  });

  test("a flag that the command has is not blamed for an unknown one", async () => {
    const { stderr } = await runInProcess(["auth", "login", "--api-key-command", "echo x", "--bogus"]);
    expect(stderr).toMatch(/^error: unknown option '--bogus'/);
  });

  test("a flag that only the command above has is named", async () => {
    const { stderr } = await runInProcess(["sync", "log", "folder", "--base-url", "http://127.0.0.1"]);
    expect(stderr).toMatch(/^error: unknown option '--base-url'; see `catalog sync log --help`/);
  });
});

test("a word that is on the command line twice is not corrected, because one of them may be right", async () => {
  const folder = await syncedFolder([product({ sku: "4900000085" })]);
  const { stderr } = await runInProcess(["history", "-n", "490000008", "490000008", folder]);
  expect(stderr).toContain("4900000085");
  expect(stderr).not.toContain("\n  catalog");
});
