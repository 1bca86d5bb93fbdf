import { describe, expect, test } from "vitest";
import { recordsOf, runInProcess } from "../helpers/in-process.ts";

const runDemo = (command: string, ...flags: string[]) => runInProcess([command, "--demo", ...flags]);

describe("with --demo", () => {
  const KETTLES = ["--retailer", "nordwind", "--category", "kettles"];

  test("diff shows changed prices", async () => {
    const { stdout } = await runDemo("diff", ...KETTLES, "--from", "13d", "--to", "1d");
    expect(new Set(recordsOf(stdout).map(({ change }) => change))).toContain("changed");
  });

  test("diff compares last known prices", async () => {
    expect(await runDemo("diff", ...KETTLES, "--as-of", "--from", "7d", "--only", "changed")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"change":"changed"'),
    });
  });

  test("history finds a model at each retailer that sells it", async () => {
    const { stdout } = await runDemo("history", "--search", "HE-3 d&m", "-f", "table");
    expect(stdout.match(/bazaar-plus|nordwind|ridge-and-river/g)).toEqual(["bazaar-plus", "nordwind"]);
  });

  test("status needs no configuration and shows a feed with a history", async () => {
    const { code, stdout } = await runDemo("status");
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("generated demo data") });
    expect(stdout).toMatch(/^░+▓░+█▓░+$/m);
    expect(stdout).toContain("resolved: The database runs on another disk.");
  });
});
