import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

describe.each(["contract-coverage", "security"])("the page %s", (name) => {
  const page = readFileSync(`${ROOT}docs/${name}.md`, "utf8");

  test("names only files and folders that exist", () => {
    const paths = [...page.matchAll(/`([\w./-]+(?:\.ts|\/))`/g)].map(([, path = ""]) => path);
    expect(paths.length).toBeGreaterThan(20);
    const missing = paths.filter(
      (path) =>
        path !== "src/" && path !== "test/" && path !== "readers/" && !exists(`src/${path}`) && !exists(`test/${path}`),
    );
    expect(missing).toEqual([]);
  });
});

function exists(path: string): boolean {
  return existsSync(ROOT + path);
}
