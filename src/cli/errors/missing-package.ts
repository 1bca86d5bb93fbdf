import { dirname, join } from "node:path";
import manifest from "../../../package.json" with { type: "json" };
import { MissingPackageError } from "../../contract/errors.ts";
import { quoteCommand } from "../../contract/values/quote-command.ts";
import type { Context } from "../context.ts";

/** Packages with native code. npm leaves them out with `--omit=optional`, and on unsupported platforms. */
const PACKAGES = [
  {
    // The version that fits the bundled part.
    name: `@duckdb/node-bindings@${manifest.optionalDependencies["@duckdb/node-bindings"]}`,
    pattern: /@duckdb\/|duckdb native binding/,
    title: "DuckDB, which reads and writes Parquet and answers questions about a folder,",
  },
  { name: "libsql", pattern: /libsql/, title: "libsql, the database of --demo and `catalog service`," },
];

/**
 * Explains how to install a package that could not be loaded.
 *
 * @param error thrown while a module was loaded
 * @returns undefined if it has another cause
 */
export function missingPackageError(
  error: Error,
  { platform, arch }: Pick<Context, "platform" | "arch">,
): MissingPackageError | undefined {
  // Further lines list the requiring files, whose paths may contain anything.
  const [reason = ""] = error.message.split("\n");
  const missing = PACKAGES.find(({ pattern }) => pattern.test(reason));
  if (missing === undefined) {
    return undefined;
  }
  const isDamaged = (error as NodeJS.ErrnoException).code === "ERR_DLOPEN_FAILED";
  const state = isDamaged ? `cannot be loaded here (${reason})` : "is not installed";
  const command = installCommand(import.meta.filename, missing.name);
  return new MissingPackageError(
    `${missing.title} ${state}. Where it exists for ${platform}-${arch}, this installs it: ${command}`,
    { cause: error },
  );
}

/** The command that installs a package where the tool, whose path is `own`, finds it. */
function installCommand(own: string, name: string): string {
  const [, home = dirname(own)] = /^(.*?)[\\/](?:node_modules[\\/]retail-catalog-cli|dist)[\\/]/.exec(own) ?? [];
  const isGlobal = home === join(dirname(home), "lib");
  const target = isGlobal ? ["--global"] : ["--no-save", "--prefix", home];
  return quoteCommand(["npm", "install", "--include=optional", ...target, name]);
}
