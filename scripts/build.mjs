// Bundles the tool into dist/, in chunks that a command loads only when it runs. libsql and the
// bindings of DuckDB have native libraries, so they stay packages.
import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { build } from "esbuild";
import { writeManPages } from "./man-pages.mjs";
import { TEXT_LOADERS } from "./text-files.mjs";

const root = join(import.meta.dirname, "..");
const outdir = join(root, "dist");

/** What every start or nearly every command loads, in this order. */
const LOADED_FIRST = [
  ...["src/main.ts", "src/commands/program.ts"],
  ...["src/cli/flags/source.ts", "src/cli/flags/output.ts", "src/cli/reporter.ts"],
];

/** What most commands load once they run, which their help does not need. */
const LOADED_TO_RUN = ["src/cli/write-rows.ts", "src/folder/check-day.ts", "src/files/duckdb.ts"];

/**
 * Makes each dynamically imported module import what is loaded already. esbuild puts modules into one chunk if the same imports
 * lead to them, and each further chunk makes a start 0.6 ms longer. Only for our own modules, none of which has a default export.
 */
const fewChunks = {
  name: "few-chunks",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\.?\/.*\.ts$/ }, ({ kind, resolveDir, path }) =>
      kind === "dynamic-import" ? { path: relative(root, join(resolveDir, path)), namespace: "dynamic" } : undefined,
    );
    onLoad({ filter: /./, namespace: "dynamic" }, ({ path }) => {
      const all = /command\.ts$/.test(path) ? LOADED_FIRST : [...LOADED_FIRST, ...LOADED_TO_RUN];
      const earlier = all.includes(path) ? all.slice(0, all.indexOf(path)) : all;
      const imports = earlier.map((module) => `import "./${module}";`).join("");
      return { contents: `${imports}export * from "./${path}";`, resolveDir: root };
    });
  },
};

const result = await build({
  absWorkingDir: root,
  entryPoints: ["bin/catalog.ts"],
  outdir,
  bundle: true,
  splitting: true,
  plugins: [fewChunks],
  format: "esm",
  platform: "node",
  target: "node20.18",
  external: ["libsql", "@duckdb/node-bindings"],
  chunkNames: "chunks/[name]-[hash]",
  metafile: true,
  write: false,
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  loader: TEXT_LOADERS,
  // Bundled packages that are CommonJS call `require` for modules of Node.js.
  banner: { js: 'import{createRequire as $require}from"node:module";const require=$require(import.meta.url);' },
  // undici reads it while it loads, and Node.js would then load all of its own fetch.
  define: { "globalThis.Headers": "undefined" },
});
await mkdir(join(outdir, "chunks"), { recursive: true });
await Promise.all(result.outputFiles.map(({ path, contents }) => writeFile(path, contents)));
await writeFile(join(outdir, "package.json"), '{ "type": "module" }\n');
await chmod(join(outdir, "catalog.js"), 0o755);
await removeStaleChunks(result.outputFiles);
await writeNotices(result.metafile);
await writeManPages(root, outdir);

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
