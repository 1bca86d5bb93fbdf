// hyparquet writes as many values as a run of a page claims, up to 2³¹, even if the page has room for fewer, and a negative
// number of them without end. The bundle and the tests read at most the values of the page; what follows is ignored anyway.
import { readFile } from "node:fs/promises";
import { build } from "esbuild";

const ROOM = "output.length - seen";
const RUNS = [
  ["let count = header >> 1 << 3 ", `let count = Math.min((header >>> 1) * 8, ${ROOM}) `],
  ["const count = header >>> 1\n", `const count = Math.min(header >>> 1, ${ROOM})\n`],
];

/** A plugin of esbuild. */
export const boundedParquet = {
  name: "bounded-parquet",
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]hyparquet[\\/]src[\\/]encoding\.js$/ }, async ({ path }) => {
      let contents = await readFile(path, "utf8");
      for (const [unbounded, bounded] of RUNS) {
        if (contents.split(unbounded).length !== 2) {
          throw new Error(`${path} reads runs in another way: see whether it is bounded now`);
        }
        contents = contents.replace(unbounded, bounded);
      }
      return { contents };
    });
  },
};

/** A plugin of Vite that gives the tests the hyparquet of the bundle. */
export const parquetOfBundle = {
  name: "hyparquet-of-bundle",
  enforce: "pre",
  resolveId: (id) => (id === "hyparquet" ? "\0hyparquet" : undefined),
  load: async (id) => {
    if (id !== "\0hyparquet") {
      return undefined;
    }
    const { outputFiles } = await build({
      stdin: { contents: 'export * from "hyparquet";', resolveDir: import.meta.dirname },
      bundle: true,
      write: false,
      format: "esm",
      platform: "node",
      plugins: [boundedParquet],
    });
    return outputFiles[0].text;
  },
};
