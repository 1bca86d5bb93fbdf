// Bundles the tool into dist/. Everything but libsql, whose native library must stay a package of its
// own, goes into chunks that a command loads only when it runs.
import { chmod, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { build } from "esbuild";
import { writeManPages } from "./man-pages.mjs";
import { quickStart } from "./quick-start.mjs";
import { newerStringWidth } from "./table-width.mjs";

const root = new URL("..", import.meta.url).pathname;
const outdir = join(root, "dist");

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ["bin/catalog.ts"],
  outdir,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.18",
  external: ["libsql"],
  chunkNames: "chunks/[name]-[hash]",
  metafile: true,
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: "none",
  // undici looks at it while it loads, for cookies, which loads all of Node's own fetch.
  define: { "globalThis.Headers": "undefined" },
  plugins: [newerStringWidth, quickStart(join(root, "src"), join(root, "src/main.ts"))],
  // Packages that are CommonJS inside call require(), for modules of Node.js alone.
  banner: {
    js: "const require = (name) => { const found = process.getBuiltinModule(name); if (found) return found; throw new Error('no module ' + name); };",
  },
});
await chmod(join(outdir, "catalog.js"), 0o755);
await removeStaleChunks(metafile);
await writeNotices(metafile);
await writeManPages(root, outdir);

/** Removed only after the new ones are there, so that a tool that runs meanwhile goes on. */
async function removeStaleChunks(meta) {
  const current = new Set(Object.keys(meta.outputs).map((output) => basename(output)));
  const chunks = join(outdir, "chunks");
  const stale = (await readdir(chunks)).filter((name) => !current.has(name));
  await Promise.all(stale.map((name) => rm(join(chunks, name))));
}

/** The licences of the bundled packages, which ask to be passed on with every copy. */
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
