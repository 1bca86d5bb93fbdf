// Node.js loads a CommonJS module in half the time of an ES module, but esbuild splits only ES modules. So its chunks
// are transformed after the split.
import { basename } from "node:path";
import { transform } from "esbuild";

/** A chunk that only passes on another one: it exports what its first import gives, and its other imports have no names. */
const PASSING_ON = /^import\{([\w$,]+)\}from"\.\/([\w-]+\.js)";(?:import"\.\/[\w-]+\.js";)*export\{\1\};$/;

/** An import of a whole module of Node.js: esbuild would copy each of its members. */
const WHOLE_BUILTIN = /\bimport(?:\*as)? ([\w$]+) from("node:[\w/]+");/g;

/**
 * Transforms the chunks of a build with `splitting` and `minifyWhitespace`.
 *
 * @returns path and text of each; chunks that only pass on another one are left out
 */
export async function commonJs({ outputFiles, metafile }) {
  const helpers = Object.entries(metafile.outputs).flatMap(([path, { inputs }]) =>
    Object.keys(inputs).length === 0 ? [basename(path)] : [],
  );
  const targets = new Map();
  for (const { path, text } of outputFiles) {
    const [, , target] = PASSING_ON.exec(text.trim()) ?? [];
    if (target !== undefined) {
      targets.set(basename(path), target);
    }
  }
  const written = outputFiles.filter(({ path }) => !targets.has(basename(path)));
  return await Promise.all(written.map(async ({ path, text }) => ({ path, text: await transformed(text) })));

  async function transformed(text) {
    const direct = text
      .replace(WHOLE_BUILTIN, "const $1=require($2);")
      // Chunks that consist of esbuild's own helpers do nothing by themselves.
      .replace(/\bimport"\.\/(?:chunks\/)?([\w-]+\.js)";/g, (whole, name) => (helpers.includes(name) ? "" : whole))
      .replace(/\bimport\("(\.\/(?:chunks\/)?)([\w-]+\.js)"\)/g, (whole, folder, name) =>
        targets.has(name) ? `import("${folder}${targets.get(name)}")` : whole,
      );
    const { code } = await transform(direct, {
      format: "cjs",
      platform: "node",
      target: "node20.18",
      supported: { "dynamic-import": false },
      minifyWhitespace: true,
      minifySyntax: true,
      define: { "import.meta.filename": "__filename" },
    });
    // A copy of the exports would read each member through two functions.
    return code.replace(
      "module.exports=__toCommonJS(stdin_exports)",
      'module.exports=__defProp(stdin_exports,"__esModule",{value:!0})',
    );
  }
}
