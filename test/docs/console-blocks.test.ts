import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../helpers/cli.ts";
import { withRealOutput } from "../helpers/console-blocks.ts";

const ROOT = join(import.meta.dirname, "../..");

const PAGES = ["README.md", ...readdirSync(join(ROOT, "docs")).map((name) => `docs/${name}`)].filter(
  (page) => page.endsWith(".md") && readFileSync(join(ROOT, page), "utf8").includes("```console"),
);

// `vitest -u` writes into the page what its commands print now.
test.each(PAGES)(
  "%s shows what its commands print",
  async (page) => {
    const path = join(ROOT, page);
    await expect(await withRealOutput(readFileSync(path, "utf8"), await temporaryFolder())).toMatchFileSnapshot(path);
  },
  180_000,
);
