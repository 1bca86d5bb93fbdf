import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { COMMANDS } from "../../src/commands/command-list.ts";
import { CATALOG } from "../helpers/cli.ts";
import { runInProcess } from "../helpers/in-process.ts";

const FOLDER = join(dirname(CATALOG), "man");
const page = (name: string) => readFile(join(FOLDER, `${name}.1`), "utf8");

describe("the manual", () => {
  test("has a page for the tool and each command, all of which the package installs", async () => {
    const commands = COMMANDS.filter(({ group }) => group !== "").map(({ name }) => `catalog-${name}.1`);
    const pages = ["catalog.1", ...commands].sort();
    expect((await readdir(FOLDER)).filter((name) => name.endsWith(".1")).sort()).toEqual(pages);
    expect([...manifest.man].sort()).toEqual(pages.map((name) => `dist/man/${name}`));
  });

  test("names every flag of the help, and its examples", async () => {
    const [roff, { stdout: help }] = await Promise.all([page("catalog-export"), runInProcess(["export", "--help"])]);
    const text = roff.replaceAll("\\-", "-");
    const flags = [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag = ""]) => flag);
    const examples = help.split("\n").filter((line) => line.startsWith("  $ "));
    expect({ hasFlags: flags.length > 20, hasExamples: examples.length > 1 }).toEqual({
      hasFlags: true,
      hasExamples: true,
    });
    expect([...flags, ...examples].filter((part) => !text.includes(part))).toEqual([]);
  });

  test("has the topics of the help as sections of the tool's page", async () => {
    const headings = (await page("catalog")).split("\n").filter((line) => line.startsWith(".SH "));
    expect(headings).toEqual(
      expect.arrayContaining([".SH COMMANDS", ".SH EXIT STATUS", ".SH ENVIRONMENT", ".SH FORMATS", ".SH SEE ALSO"]),
    );
  });

  test("shows the flags of the commands of a group", async () => {
    const auth = await page("catalog-auth");
    expect(auth).toContain(".SH catalog auth login [options]\n");
    // Commander has a command `help` below each command that has others.
    expect(auth).not.toContain(".SH help");
  });

  test("names no folder of the build machine", async () => {
    expect(await page("catalog-completion")).toContain("~/.cache/catalog");
  });
});
