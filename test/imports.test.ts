import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../src/", import.meta.url));

/** The rooms of `src`, with the rooms to the right that each may import. */
const ALLOWED: Record<string, readonly string[]> = {
  "main.ts": ["commands", "cli", "config", "contract"],
  commands: ["cli", "config", "folder", "export", "pull", "client", "files", "rows", "contract", "service"],
  cli: ["config", "folder", "export", "pull", "client", "files", "rows", "contract", "service"],
  config: ["client", "files", "contract"],
  folder: ["export", "pull", "client", "files", "rows", "contract"],
  export: ["pull", "files", "rows", "contract"],
  pull: ["client", "files", "rows", "contract"],
  client: ["rows", "contract"],
  files: ["rows", "contract"],
  rows: ["contract"],
  service: ["files", "contract"],
  contract: [],
};

const PARTS_OF_A_COMMAND = ["columns.ts", "command.ts", "options.ts", "question.ts", "run.ts"];

const imports = new Map(sourceFiles().map((file) => [file, importsOf(file)]));

describe("imports", () => {
  test("go only where the rules of the house allow", () => {
    const broken = [...imports].flatMap(([file, targets]) => {
      const room = roomOf(file);
      const allowed = ALLOWED[room] ?? [];
      return targets
        .filter((target) => roomOf(target) !== room && !allowed.includes(roomOf(target)))
        .map((target) => `${file} imports ${target}`);
    });
    expect(broken).toEqual([]);
  });

  test("are the only way to the process: no file but the context reads it", () => {
    const others = [...imports.keys()].filter((file) => file !== "cli/context.ts");
    expect(others.filter((file) => /\bprocess\.\w/.test(readFileSync(join(ROOT, file), "utf8")))).toEqual([]);
  });

  test("have no circles", () => {
    expect(circles()).toEqual([]);
  });
});

describe("a name means one thing:", () => {
  test("no two files have the same one, but for the parts of a command", () => {
    const names = [...imports.keys()]
      .map((file) => basename(file))
      .filter((name) => !PARTS_OF_A_COMMAND.includes(name));
    expect(repeated(names)).toEqual([]);
  });

  test("no two files export the same one, but for what each command or kind of page has", () => {
    const declared = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;
    const names = [...imports.keys()].flatMap((file) => [
      ...new Set([...readFileSync(join(ROOT, file), "utf8").matchAll(declared)].map(([, name = ""]) => name)),
    ]);
    expect(repeated(names.filter((name) => !["declare", "html"].includes(name)))).toEqual([]);
  });
});

function repeated(names: readonly string[]): string[] {
  return names.filter((name, at) => names.indexOf(name) !== at);
}

function sourceFiles(): string[] {
  return readdirSync(ROOT, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
}

/** The files of `src` that `file` imports, types and lazy imports included. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  return [...text.matchAll(/(?:\bfrom\s+|\bimport\(|\bimport\s+)"(\.[^"]+\.ts)"/g)].map(([, path = ""]) =>
    normalize(join(dirname(file), path)),
  );
}

/** The folder of `src` in which a file lies, or the file itself at the top. */
function roomOf(file: string): string {
  return relative("", file).split("/")[0] ?? file;
}

/** Each circle of imports once, as the files on it. */
function circles(): string[] {
  const found: string[] = [];
  const finished = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) {
      found.push([...path.slice(start), file].join(" → "));
      return;
    }
    if (!finished.has(file)) {
      for (const target of imports.get(file) ?? []) {
        visit(target, [...path, file]);
      }
      finished.add(file);
    }
  };
  for (const file of imports.keys()) {
    visit(file, []);
  }
  return found;
}
