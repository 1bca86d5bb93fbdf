// Bundles the tool into dist/, in chunks that a command loads only when it runs. libsql and DuckDB have
// native libraries, so they stay packages.
import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { build, transform } from "esbuild";
import { writeManPages } from "./man-pages.mjs";
import { lazyStringWidth, quickStart } from "./quick-start.mjs";
import { newerStringWidth } from "./table-width.mjs";
import { TEXT_LOADERS } from "./text-files.mjs";

const root = new URL("..", import.meta.url).pathname;
const outdir = join(root, "dist");

/**
 * Modules that are loaded together with all that they import: for --version, for every command, to declare a command, to
 * talk to the service and write, and for tables.
 */
const LOADED_TOGETHER = [
  ["main.ts"],
  ["commands/program.ts"],
  ["commands/coverage/command.ts"],
  ["commands/coverage/run.ts"],
  ["commands/coverage/views/coverage-views.ts"],
];

const result = await build({
  absWorkingDir: root,
  entryPoints: ["bin/catalog.ts"],
  outdir,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.18",
  external: ["libsql", "@duckdb/node-api"],
  chunkNames: "chunks/[name]-[hash]",
  metafile: true,
  write: false,
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  loader: TEXT_LOADERS,
  // undici reads it while it loads, and Node.js would then load all of its own fetch.
  define: { "globalThis.Headers": "undefined" },
  plugins: [newerStringWidth, lazyStringWidth, quickStart(join(root, "src"), LOADED_TOGETHER)],
});
const chunks = await Promise.all(result.outputFiles.map(commonJs));
await mkdir(join(outdir, "chunks"), { recursive: true });
await Promise.all(chunks.map(({ path, text }) => writeFile(path, text)));
await writeFile(join(outdir, "package.json"), '{ "type": "commonjs" }\n');
await chmod(join(outdir, "catalog.js"), 0o755);
await removeStaleChunks(chunks);
await writeNotices(result.metafile);
await writeManPages(root, outdir);

/** Node.js loads a CommonJS module in half the time of an ES module, but esbuild splits only ES modules. */
async function commonJs({ path, text }) {
  const { code } = await transform(text, {
    format: "cjs",
    platform: "node",
    target: "node20.18",
    supported: { "dynamic-import": false },
    minifyWhitespace: true,
    minifySyntax: true,
    define: { "import.meta.filename": "__filename" },
  });
  // esbuild copies the exports, so that each would be read through two functions.
  const copied = "module.exports=__toCommonJS(stdin_exports)";
  const own = 'module.exports=__defProp(stdin_exports,"__esModule",{value:!0})';
  return { path, text: code.replace(copied, own) };
}

/** Removes old chunks. This comes after the new ones are written, so that a tool that is started meanwhile works. */
async function removeStaleChunks(written) {
  const current = new Set(written.map(({ path }) => basename(path)));
  const folder = join(outdir, "chunks");
  const stale = (await readdir(folder)).filter((name) => !current.has(name));
  await Promise.all(stale.map((name) => rm(join(folder, name))));
}

/** Writes the licences of the bundled packages, which must be part of every copy. */
async function writeNotices(meta) {
  const folders = new Set(
    Object.keys(meta.inputs)
      .map((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1])
      .filter((folder) => folder !== undefined),
  );
  const notices = [];
  for (const folder of [...folders].sort()) {
    const { name, version, license } = JSON.parse(await readFile(join(root, folder, "package.json"), "utf8"));
    const text = await licenceText(join(root, folder));
    notices.push(`${name} ${version} (${license})\n\n${text.trim()}\n`);
  }
  await writeFile(join(outdir, "THIRD-PARTY-NOTICES.txt"), notices.join(`\n${"-".repeat(80)}\n\n`));
}

async function licenceText(folder) {
  for (const file of ["LICENSE", "LICENSE.md", "LICENSE.txt", "license", "license.md", "LICENCE", "LICENSE-MIT.txt"]) {
    try {
      return await readFile(join(folder, file), "utf8");
    } catch {
      // The next name may exist.
    }
  }
  return `See the licence field of the package in ${dirname(folder)}.`.replace(root, "");
}
