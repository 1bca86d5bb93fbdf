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

  test("quotes only titles that the named test file has", () => {
    const quotes = [...page.matchAll(/`([\w./-]+\.(?:test|readers|faults)\.ts|faults\/fault-list\.ts)`: ([^|`\n]+)/g)];
    expect(quotes.length).toBeGreaterThan(20);
    const unknown = quotes.flatMap(([, path = "", text = ""]) => {
      const source = readFileSync(`${ROOT}test/${path}`, "utf8");
      return titles(text)
        .filter((title) => !source.includes(JSON.stringify(title)))
        .map((title) => `${path}: ${title}`);
    });
    expect(unknown).toEqual([]);
  });
});

function exists(path: string): boolean {
  return existsSync(ROOT + path);
}

/** Titles separated by semicolons; a period ends the list. */
function titles(text: string): string[] {
  const [list = ""] = text.trim().split(/\.(?= |$)/);
  return list
    .split(";")
    .map((title) => title.trim())
    .filter((title) => title !== "");
}
