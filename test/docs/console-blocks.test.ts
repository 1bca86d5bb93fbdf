import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../helpers/cli.ts";
import { type Surroundings, startSurroundings, withRealOutput } from "../helpers/console-blocks.ts";
import { afterAllTests } from "../helpers/endings.ts";

const ROOT = join(import.meta.dirname, "../..");

const PAGES = ["README.md", ...readdirSync(join(ROOT, "docs")).map((name) => `docs/${name}`)].filter(
  (page) => page.endsWith(".md") && readFileSync(join(ROOT, page), "utf8").includes("```console"),
);

const onEnd = afterAllTests();
let surroundings: Surroundings;
beforeAll(async () => {
  surroundings = await startSurroundings(await temporaryFolder(onEnd), onEnd);
});

// `vitest -u` writes into the page what its commands print now.
test.each(PAGES)(
  "%s shows what its commands print",
  async (name) => {
    const path = join(ROOT, name);
    const page = await withRealOutput(readFileSync(path, "utf8"), await temporaryFolder(), surroundings);
    await expect(page).toMatchFileSnapshot(path);
  },
  180_000,
);
