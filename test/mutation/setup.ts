import { TestRunner, vi } from "vitest";

/**
 * Skips the test that calls it. Mutants are in the sources and not in the built tool, so that a test that starts the tool
 * cannot notice them.
 */
function skipTest(): never {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) {
    throw new Error("only a test can be skipped, not a hook: leave its file out");
  }
  return test.context.skip("cannot notice a mutant");
}

vi.mock(import("../helpers/cli.ts"), async (original) => ({
  ...(await original()),
  startCatalog: skipTest,
  runCatalog: skipTest,
}));

vi.mock(import("../helpers/unprivileged.ts"), async (original) => ({
  ...(await original()),
  unprivilegedCatalog: skipTest,
}));
