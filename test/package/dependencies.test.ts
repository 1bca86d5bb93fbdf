import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

interface Manifest {
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}

const { dependencies, optionalDependencies, devDependencies } = JSON.parse(
  readFileSync("package.json", "utf8"),
) as Manifest;
const page = readFileSync("docs/security.md", "utf8").split("## Dependencies")[1] ?? "";

/** Names of the list that begins with this line. */
function listed(title: string): string[] {
  const [list = ""] = (page.split(`${title}:\n\n`)[1] ?? "").split("\n\n");
  return list.split("\n").map((line) => /^- `(\S+)`: \S/.exec(line)?.[1] ?? line);
}

/** The packages that the sources import, types or not. */
function imported(): Set<string> {
  const files = ["src", "bin"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(join(folder, name), "utf8")),
  );
  const names = files.flatMap((text) => [...text.matchAll(/(?:from|import\()\s*"((?:@[^/"]+\/)?[^./"][^/"]*)[^"]*"/g)]);
  return new Set(names.map(([, name = ""]) => name));
}

test("each package is listed with its reason, where it is used", () => {
  const used = imported();
  const development = Object.keys(devDependencies);
  expect(listed("Installed with the tool")).toEqual([
    ...Object.keys(dependencies),
    ...Object.keys(optionalDependencies),
  ]);
  expect(listed("Bundled into the tool")).toEqual(development.filter((name) => used.has(name)));
  expect(listed("For development")).toEqual(development.filter((name) => !used.has(name)));
});

test("only esbuild has an install script", () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const scripted = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  expect(scripted.map(([place]) => place)).toEqual(["node_modules/esbuild"]);
});
