import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { defineConfig } from "vitest/config";
import base from "../../vitest.config.ts";

/** Mutants are in the sources and not in the built tool, so that tests that start the tool cannot notice them. */
const STARTS_TOOL =
  /\b(?:runCatalog|startCatalog|CATALOG)\b|helpers\/(?:interruption|system-calls|terminal|unprivileged)\.ts/;

const exclude = readdirSync("test", { recursive: true, encoding: "utf8" })
  .map((name) => join("test", name))
  .filter((file) => file.endsWith(".test.ts") && STARTS_TOOL.test(readFileSync(file, "utf8")));

/** Files and folders, from `npm run test:mutation`. */
const tests = (process.env.MUTATION_TESTS ?? "test").split(",");

export default defineConfig({
  plugins: base.plugins ?? [],
  test: {
    ...base.test,
    include: tests.map((path) => (path.endsWith(".ts") ? path : `${path}/**/*.test.ts`)),
    exclude,
    // Without the built tool.
    globalSetup: [],
    provide: { demoCache: resolve("coverage/demo") },
    // Stryker's runner uses threads, which take no flags.
    execArgv: [],
    reporters: [],
  },
});
