import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import base from "../../vitest.config.ts";

/** Tests that fill a sheet or a row group: each mutant that no other test notices would wait for them. */
const FULL = /\/full-[^/]*$/;

/**
 * Files that are left out: those that start the tool by other helpers than `setup.ts` replaces, and tests of memory, because
 * the threads of Stryker's runner have no way to collect garbage.
 */
const LEFT_OUT = /\b(?:CATALOG|gc)\b|helpers\/(?:interruption|system-calls|terminal)\.ts/;

const exclude = readdirSync("test", { recursive: true, encoding: "utf8" })
  .map((name) => join("test", name))
  .filter((file) => file.endsWith(".test.ts") && (FULL.test(file) || LEFT_OUT.test(readFileSync(file, "utf8"))));

/** Files and folders, from `npm run test:mutation`. */
const tests = (process.env.MUTATION_TESTS ?? "test").split(",");

/** Tests in the order of the configuration, small files first: the first test that fails ends the trial of a mutant. */
class NearFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) =>
      tests.findIndex((test) => relative("", moduleId).startsWith(test));
    const size = ({ moduleId }: TestSpecification) => statSync(moduleId).size;
    return [...files].sort((one, other) => place(one) - place(other) || size(one) - size(other));
  }
}

const sharedFolder = resolve("coverage/shared");
mkdirSync(sharedFolder, { recursive: true });

export default defineConfig({
  plugins: base.plugins ?? [],
  test: {
    ...base.test,
    include: tests.map((path) => (path.endsWith(".ts") ? path : `${path}/**/*.test.ts`)),
    exclude,
    // A mutant is tried by each test that runs its line: a property is shown by few runs here.
    env: { PROPERTY_RUNS: "100" },
    setupFiles: ["test/mutation/setup.ts"],
    sequence: { sequencer: NearFirst },
    // Without the built tool.
    globalSetup: [],
    provide: { sharedFolder },
    // A test that waits for what a mutant never does fails before its runner is ended, which takes longer.
    testTimeout: 6_000,
    hookTimeout: 6_000,
    // Threads take no flags.
    execArgv: [],
    reporters: [],
  },
});
