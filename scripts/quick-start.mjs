// Makes the bundle start faster: each file that a command loads costs about a millisecond, and so does each import of a
// module of Node.js.
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

/**
 * Prepares the modules below `sources` for bundling.
 *
 * Everything that `start` loads goes into one chunk. esbuild makes a chunk for each set of entries that share a module:
 * where every module that is loaded by `import()` also imports `start`, the modules behind it are shared by all alike.
 *
 * Modules of Node.js are taken by a call. An import statement reads every property of them, which loads what they would
 * load later or never: `node:http` all of fetch, for one.
 */
export function quickStart(sources, start) {
  return {
    name: "quick-start",
    async setup({ onLoad }) {
      const lazy = await lazilyLoaded(sources);
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (relative(sources, path).startsWith("..")) {
          return undefined;
        }
        const contents = withoutBuiltinImports(await readFile(path, "utf8"));
        return { contents: lazy.has(path) ? `${contents}\nimport ${JSON.stringify(start)};` : contents, loader: "ts" };
      });
    },
  };
}

/** Absolute paths of the modules below `sources` that are loaded by `import()`. */
async function lazilyLoaded(sources) {
  const files = (await readdir(sources, { recursive: true })).filter((file) => file.endsWith(".ts"));
  const found = files.map(async (file) => {
    const path = join(sources, file);
    const text = await readFile(path, "utf8");
    return [...text.matchAll(/\bimport\(\s*"(\.[^"]+)"/g)].map(([, target]) => join(dirname(path), target));
  });
  return new Set((await Promise.all(found)).flat());
}

/** Takes `import name, { a, type B, c as d } from "node:x";` to `const` declarations; types are left out. */
function withoutBuiltinImports(source) {
  return source.replace(
    /^import (?!type\b)(?:(\w+)(?:, )?)?(?:\{([^}]*)\})? from ("node:[^"]+");$/gm,
    (_, whole, named = "", module) => {
      const values = named.split(",").map((name) => name.trim());
      const members = values.filter((name) => name !== "" && !name.startsWith("type "));
      const load = `process.getBuiltinModule(${module})`;
      return [
        ...(whole === undefined ? [] : [`const ${whole} = ${load};`]),
        ...(members.length === 0
          ? []
          : [`const { ${members.map((name) => name.replace(" as ", ": ")).join(", ")} } = ${load};`]),
      ].join(" ");
    },
  );
}
