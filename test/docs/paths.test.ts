import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const PAGES = [
  ...readdirSync(ROOT).filter((name) => name.endsWith(".md")),
  ...readdirSync(join(ROOT, "docs")).map((name) => join("docs", name)),
];

test.each(PAGES)("%s names only files and folders that exist", (page) => {
  const text = readFileSync(join(ROOT, page), "utf8");
  const named = [...text.matchAll(/`((?:src|test|bench|docs|scripts|bin)\/[\w/.-]+)`/g)].map(([, path = ""]) => path);
  const linked = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)\)/g)].map(([, path = ""]) => join(page, "..", path));

  // Capitals stand for a name that the reader chooses.
  const missing = [...named, ...linked].filter((path) => !/\/NAME\b/.test(path) && !existsSync(join(ROOT, path)));
  expect(missing).toEqual([]);
});
