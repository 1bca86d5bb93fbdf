import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { textFiles } from "./scripts/text-files.mjs";

/** Starts files that take long first: at the end, the other workers would wait for them. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      /\/(uniform|report|demo|fuzz|start-up)\.test\.ts$/.test(moduleId);
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

// Days are those of UTC: no test may depend on the zone of its machine. `.ci/run` also uses a zone on the other side of UTC.
process.env.TZ ??= "Etc/GMT+12";

export default defineConfig({
  plugins: [textFiles],
  test: {
    include: ["test/**/*.test.ts"],
    // The tests of the command line run the built tool as a child process.
    globalSetup: ["test/helpers/build.ts"],
    // The files of a worker share its modules: to load these anew for each file takes longer than most tests.
    isolate: false,
    // One more than processors: a worker often waits for a process or a timer.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongFirst },
    // A test of memory collects garbage.
    execArgv: ["--expose-gc"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: process.env.CI ? ["default", ["json", { outputFile: "coverage/results.json" }]] : ["default"],
  },
});
