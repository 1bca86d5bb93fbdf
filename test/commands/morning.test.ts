import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { dayOf } from "../../src/contract/values/day-arithmetic.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { copyFolder } from "../helpers/synced-folder.ts";

/** Values that stand for those of a reader in the help. */
const PLACEHOLDERS = {
  "MODEL OR TITLE": "HE-3 headphones",
};

const readme = await readFile(join(import.meta.dirname, "../../README.md"), "utf8");

/** Commands in a text, without the comments after them. */
function commandsIn(text: string): string[] {
  return [...text.matchAll(/^(?: +\$ )?(catalog .*?)(?: +#.*)?$/gm)].map(([, command = ""]) => command);
}

const QUESTIONS = commandsIn(/Every morning:\n\n```sh\n([^`]*)```/.exec(readme)?.[1] ?? "");

/** A word of a command line; the files of the reader are in the folder of the run. */
function inFolder(word: string): string {
  return ["rows", "basket.csv", "morning.html"].includes(word) ? `./${word}` : word;
}

const onEnd = afterAllTests();

describe("a question of the README about the demo's rows", () => {
  let cwd = "";

  beforeAll(async () => {
    cwd = await temporaryFolder(onEnd);
    await writeFile(join(cwd, "basket.csv"), "sku,quantity\nNW-000003,1\nZ00005CCD,2\n");
    // The first question fills the folder of the demo's rows.
    expect(await runInProcess(["latest", "--demo", "-n", "1", "-f", "table"])).toMatchObject({ code: 0 });
    copyFolder(join(inject("sharedFolder"), "demo", `rows-${dayOf(Date.now())}`), join(cwd, "rows"));
  });

  test.each(QUESTIONS)("%s", async (question) => {
    const words = [...question.matchAll(/'([^']*)'|(\S+)/g)].map(([, text, word]) => text ?? word ?? "");
    const { code, stdout, stderr } = await runInProcess(words.slice(1).map(inFolder), { cwd });
    const isAlert = question.includes("--fail-if");
    expect([code, stderr.match(/^error:.*/m)?.[0]]).toEqual(
      isAlert ? [EXIT.condition, expect.stringContaining("1 retailer")] : [0, undefined],
    );
    expect(question.includes("--html") ? await readFile(join(cwd, "morning.html"), "utf8") : stdout).not.toBe("");
  });

  test("is found in the help as it stands there", async () => {
    const { stdout } = await runInProcess(["--help"], { columns: 100 });
    const listed = commandsIn(stdout.slice(stdout.indexOf("Every morning"), stdout.indexOf("Topics:"))).map((command) =>
      Object.entries(PLACEHOLDERS).reduce((written, [name, value]) => written.replace(name, value), command),
    );
    expect(listed).toEqual(QUESTIONS);
    expect(listed).toHaveLength(5);
  });
});
