// cli-table3 uses a string-width of 2021, whose widths of many emoji, combining marks and Indic letters differ from those
// of terminals. The bundle and the tests replace it by the one that `src` uses. An npm override cannot do this, because
// cli-table3 calls `require`, and newer versions are ES modules.
import { build } from "esbuild";

/** A plugin of esbuild. */
export const newerStringWidth = {
  name: "newer-string-width",
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^string-width$/ }, ({ importer, resolveDir }) =>
      /[\\/]cli-table3[\\/]/.test(importer)
        ? { path: "string-width", namespace: "newer-string-width", pluginData: resolveDir }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: "newer-string-width" }, () => ({
      contents: 'module.exports = require("string-width").default;',
      resolveDir: import.meta.dirname,
    }));
  },
};

/** A plugin of Vite that gives the tests the cli-table3 of the bundle. */
export const cliTableOfBundle = {
  name: "cli-table3-of-bundle",
  enforce: "pre",
  resolveId: (id) => (id === "cli-table3" ? "\0cli-table3" : undefined),
  load: async (id) => {
    if (id !== "\0cli-table3") {
      return undefined;
    }
    const { outputFiles } = await build({
      stdin: { contents: 'export { default } from "cli-table3";', resolveDir: import.meta.dirname },
      bundle: true,
      write: false,
      format: "esm",
      platform: "node",
      plugins: [newerStringWidth],
    });
    return outputFiles[0].text;
  },
};
