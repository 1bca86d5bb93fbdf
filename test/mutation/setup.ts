import { TestRunner, vi } from "vitest";

/**
 * Skips the test that calls it. Mutants are in the sources and not in the built tool, so that a test that starts the tool
 * cannot notice them; and the threads of Stryker's runner have no working folder of their own.
 */
function skipTest(): never {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) {
    throw new Error("only a test can be skipped, not a hook: leave its file out");
  }
  return test.context.skip("cannot notice a mutant");
}

process.chdir = skipTest;

vi.mock(import("../helpers/cli.ts"), async (original) => ({
  ...(await original()),
  startCatalog: skipTest,
  runCatalog: skipTest,
}));

vi.mock(import("../helpers/unprivileged.ts"), () => ({ unprivilegedCatalog: skipTest }));

// A constant counts as run by the test that loads its module, and no other one would then try its mutants. So what is
// loaded when it is needed is loaded before the tests.
if (process.env.MUTATION_TESTS?.includes("test/output")) {
  await Promise.all([
    import("../../src/output/formats/csv.ts"),
    import("../../src/output/formats/parquet/parquet.ts"),
    import("../../src/output/formats/parquet/parquet-rows.ts"),
    import("../../src/output/formats/xlsx/read-sheet.ts"),
    import("../../src/output/formats/xlsx/xlsx.ts"),
  ]);
}
