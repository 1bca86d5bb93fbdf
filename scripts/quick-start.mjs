// Makes the bundle start faster: each file that a command loads takes about half a millisecond.
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Puts what commands load into few files.
 *
 * esbuild makes a chunk for each set of entries that share modules. For each group, this plugin puts all that the group's
 * modules load into one chunk, except what earlier groups load: every module that is loaded by `import()` and needs a part
 * of a group gets imports of the whole group, so the same entries share all parts. The first group is always loaded.
 *
 * @param groups paths below `sources`; the first path of all is the module that loads all others
 */
export function quickStart(sources, groups) {
  return {
    name: "quick-start",
    async setup({ onLoad }) {
      const imports = await importsOf(sources);
      const lists = groups.map((names) => names.map((name) => join(sources, name)));
      const parts = lists.map((paths, index) => {
        const before = reachable(imports, lists.slice(0, index).flat());
        return [...reachable(imports, paths)].filter((path) => !before.has(path));
      });
      const lazy = new Set([lists[0][0], ...[...imports.values()].flatMap(({ dynamic }) => dynamic)]);
      const added = (path) => {
        const needed = reachable(imports, [path]);
        const isNeeded = (part, index) => index === 0 || part.some((other) => needed.has(other));
        return lists.filter((_, index) => isNeeded(parts[index], index)).flat();
      };
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (!lazy.has(path)) {
          return undefined;
        }
        const more = added(path).filter((other) => other !== path);
        const statements = more.map((other) => `import ${JSON.stringify(other)};`);
        return { contents: [await readFile(path, "utf8"), ...statements].join("\n"), loader: "ts" };
      });
    },
  };
}

/** The modules below `sources` that each of them imports, by statements and by `import()`, as absolute paths. */
async function importsOf(sources) {
  const files = (await readdir(sources, { recursive: true })).filter((file) => file.endsWith(".ts"));
  const found = files.map(async (file) => {
    const path = join(sources, file);
    const text = await readFile(path, "utf8");
    const targets = (pattern) => [...text.matchAll(pattern)].map(([, target]) => join(dirname(path), target));
    const fixed = targets(/^(?:import|export) (?!type\b)[^"]* from "(\.[^"]+)";$/gm);
    return [path, { fixed, dynamic: targets(/\bimport\(\s*"(\.[^"]+)"/g) }];
  });
  return new Map(await Promise.all(found));
}

/** The given modules and all that are loaded with them. */
function reachable(imports, paths) {
  const reached = new Set(paths);
  for (const path of reached) {
    for (const target of imports.get(path)?.fixed ?? []) {
      reached.add(target);
    }
  }
  return reached;
}

/**
 * Loads string-width only for texts that are not ASCII, because compiling its expressions takes a tenth of the time of a
 * table. Each character of ASCII takes one cell.
 */
export const lazyStringWidth = {
  name: "lazy-string-width",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^string-width$/ }, ({ namespace, resolveDir }) =>
      namespace === "lazy" ? undefined : { path: "string-width", namespace: "lazy", pluginData: resolveDir },
    );
    onLoad({ filter: /^string-width$/, namespace: "lazy" }, ({ pluginData }) => ({
      contents: `export default (text, options) =>
        typeof text === "string" && /^[ -~]*$/.test(text) ? text.length : require("string-width").default(text, options);`,
      resolveDir: pluginData,
    }));
  },
};
