import { readdir, readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/commands/command-list.ts";
import { EXIT } from "../../src/contract/errors.ts";
import { runInProcess } from "../helpers/in-process.ts";

const PUBLIC = COMMANDS.filter(({ group }) => group !== "").map(({ name }) => name);

describe("help", () => {
  test("lists every command and names the topics", async () => {
    const { code, stdout, stderr } = await runInProcess(["help"]);
    const listed = [...stdout.matchAll(/^ {2}([a-z]+)(?: \[[^\]]*\]| <[^>]*>)* {2,}/gm)].map(([, name]) => name);
    expect({ code, stderr, listed }).toEqual({ code: EXIT.ok, stderr: "", listed: PUBLIC });
    expect(stdout).toContain("catalog help exit-codes");
  });

  test("shows the commands in groups, then examples of first steps and of daily questions, then options", async () => {
    const { stdout } = await runInProcess(["help"]);
    expect(await runInProcess([])).toMatchObject({ code: EXIT.ok, stdout });
    const headings = stdout.split("\n").filter((line) => /^[A-Z][^.]*:$/.test(line));
    expect(headings).toEqual([
      "Look at the data:",
      "Pull it:",
      "Keep it:",
      "Set up:",
      "First steps:",
      "Every morning, on the folder that `catalog sync rows` keeps:",
      "Options:",
      "Global options:",
    ]);
  });

  test.each([["auth"], ["service"], ["service", "keys"]])(
    "of the group %s %s shows its commands first",
    async (...names) => {
      const { stdout } = await runInProcess([...names, "--help"]);
      expect(stdout).toMatch(
        new RegExp(`^Usage: catalog ${names.join(" ")} <command> \\[options\\]\n\n.*\n(.*\n)?\nCommands:\n`),
      );
      expect(stdout).not.toContain("[options] ");
    },
  );

  test.each(PUBLIC)("of %s has examples, and is what --help and `catalog %s help` print", async (name) => {
    const help = await runInProcess(["help", name]);
    expect(await runInProcess([name, "--help"])).toEqual(help);
    expect(await runInProcess([name, "help"])).toEqual(help);
    expect(help).toMatchObject({ code: EXIT.ok, stderr: "" });
    expect(help.stdout).toMatch(/Examples:\n( {2}\$ .*catalog .*\n)+/);
  });

  test.each([
    ["auth", "login"],
    ["auth", "status"],
    ["auth", "logout"],
    ["service", "start"],
    ["service", "load"],
    ["service", "keys", "create"],
    ["service", "incident", "open"],
  ])("of %s %s %s has examples", async (...names) => {
    const path = names.filter((name) => typeof name === "string");
    const { stdout } = await runInProcess([...path, "--help"]);
    expect(stdout).toMatch(new RegExp(`Examples:\\n( {2}\\$ .*catalog .*\\n)*.*catalog ${path.join(" ")}`));
  });

  test.each(PUBLIC)("of %s fits the terminal, except for its examples", async (name) => {
    for (const columns of [72, 80, 120]) {
      const { stdout } = await runInProcess([name, "--help"], { columns });
      const lines = stdout.split("\n").filter((line) => !line.startsWith("  $ "));
      expect(lines.filter((line) => line.length > columns)).toEqual([]);
    }
  });

  test("wraps a term and its meaning so that the meaning stays in its column", async () => {
    const { stdout } = await runInProcess(["why", "--help"], { columns: 60 });
    expect(stdout).toContain(
      "  dearer          another row of the day is cheaper, or is\n                  as cheap and comes first\n",
    );
  });

  test("shows the help of a command in a group", async () => {
    const { stdout } = await runInProcess(["help", "service", "keys", "create"]);
    expect(stdout).toMatch(/^Usage: catalog service keys create /);
  });

  test.each([
    ["exit-codes", Object.values(EXIT).map(String)],
    ["environment", ["CATALOG_BASE_URL", "CATALOG_API_KEY", "CATALOG_STATUS_URL", "NO_COLOR", "HTTPS_PROXY"]],
    ["formats", ["ndjson", "csv", "tsv", "json", "parquet", "table", "markdown"]],
  ])("explains the topic %s", async (topic, terms) => {
    const { code, stdout } = await runInProcess(["help", topic]);
    const found = [...stdout.matchAll(/^ {2}(\S+)/gm)].map(([, term]) => term);
    expect({ code, found }).toEqual({ code: EXIT.ok, found: expect.arrayContaining(terms) });
  });

  test.each([
    [["help", "exit-code"], "catalog help exit-codes"],
    [["help", "exprt"], "catalog help export"],
    [["help", "service", "key"], "catalog help service keys"],
  ])("refuses %j and suggests the closest", async (args, corrected) => {
    expect(await runInProcess(args)).toMatchObject({
      code: EXIT.usage,
      stderr: expect.stringContaining(`  ${corrected}\n`),
    });
  });
});

test("`help formats` names the formats that commands write tables in, and no others", async () => {
  const pages = await Promise.all(PUBLIC.map((name) => runInProcess([name, "--help"], { columns: 1_000 })));
  const choices = pages.flatMap(({ stdout }) => /--format .*\(choices: (.*?)\)/.exec(stdout)?.[1] ?? []);
  const written = choices.flatMap((list) => [...list.matchAll(/"(\w+)"/g)].map(([, name]) => name));
  const { stdout } = await runInProcess(["help", "formats"]);
  const named = [...stdout.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name);
  // `status` writes no table, but text.
  expect([...new Set([...written, "text"])].sort()).toEqual([...named, "text"].sort());
});

test("`help environment` names every variable of the tool that the sources read", async () => {
  const files = await readdir("src", { recursive: true });
  const texts = await Promise.all(
    files.filter((file) => file.endsWith(".ts")).map((file) => readFile(`src/${file}`, "utf8")),
  );
  const read = texts.flatMap((text) =>
    [...text.matchAll(/env\.((?:CATALOG|FORCE)_\w+|PAGER)/g)].map(([, name]) => name),
  );
  const { stdout } = await runInProcess(["help", "environment"]);
  expect([...new Set(read)].filter((name) => name !== undefined && !stdout.includes(name))).toEqual([]);
});
