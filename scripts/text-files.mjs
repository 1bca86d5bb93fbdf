import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

/** Endings of files that are imported as their texts, for esbuild. */
export const TEXT_LOADERS = { ".css": "text", ".sql": "text" };

/** A plugin of Vite that does the same for the tests. With another ending, Vite does not take the module for a stylesheet. */
export const textFiles = {
  name: "text-files",
  enforce: "pre",
  resolveId: (id, importer) =>
    Object.keys(TEXT_LOADERS).some((ending) => id.endsWith(ending))
      ? `\0${resolve(importer, "..", id)}.text`
      : undefined,
  load: async (id) => {
    const [, path] = /^\0(.*)\.text$/.exec(id) ?? [];
    return path === undefined ? undefined : `export default ${JSON.stringify(await readFile(path, "utf8"))};`;
  },
};
