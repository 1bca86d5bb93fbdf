import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { cliTableOfBundle } from "./scripts/table-width.mjs";

export default defineConfig({
  plugins: [cliTableOfBundle],
  test: {
    include: ["test/**/*.test.ts"],
    // The tests of the command line run the built tool as a child process.
    globalSetup: ["test/helpers/build.ts"],
    // The files of a worker share its modules: to load these anew for each file takes longer than most tests.
    isolate: false,
    // One more than processors: a worker often waits for a process or a timer.
    maxWorkers: availableParallelism() + 1,
    // A test of memory collects garbage.
    execArgv: ["--expose-gc"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: process.env.CI ? ["default", ["json", { outputFile: "coverage/results.json" }]] : ["default"],
  },
});
