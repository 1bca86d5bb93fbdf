// What hyparquet reads of a page without a bound, and what the bundle and the tests read instead:
// - as many values as a run claims, up to 2³¹, and a negative number of them without end: at most the values of the page,
//   since what follows is ignored anyway;
// - the first byte again and again, where a length that the page lacks has made the offset NaN: nothing.
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { build } from "esbuild";

const ROOM = "output.length - seen";
const READ_VARINT = "export function readVarInt(reader) {\n";
const BOUNDED = {
  "encoding.js": [
    ["let count = header >> 1 << 3 ", `let count = Math.min((header >>> 1) * 8, ${ROOM}) `],
    ["const count = header >>> 1\n", `const count = Math.min(header >>> 1, ${ROOM})\n`],
  ],
  "thrift.js": [
    [READ_VARINT, `${READ_VARINT}  if (!(reader.offset >= 0)) throw new Error("parquet page lacks a length")\n`],
  ],
};

/** A plugin of esbuild. */
export const boundedParquet = {
  name: "bounded-parquet",
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]hyparquet[\\/]src[\\/](encoding|thrift)\.js$/ }, async ({ path }) => {
      let contents = await readFile(path, "utf8");
      for (const [unbounded, bounded] of BOUNDED[basename(path)]) {
        if (contents.split(unbounded).length !== 2) {
          throw new Error(`${path} reads in another way: see whether it is bounded now`);
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
