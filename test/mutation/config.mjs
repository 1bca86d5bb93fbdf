// What `npm run test:mutation` changes, which tests have to notice it, and which changes no test can notice.

/**
 * Folders and the tests that have to notice their mutants, in files or folders. A mutant is tried by those of the tests that
 * run its line, so that few and quick ones near to the code make a quick run.
 *
 * @type {Record<string, string[]>}
 */
export const folders = {
  "src/config": ["test/config"],
  "src/rows": ["test/rows", "test/api/responses"],
};

/** Percentage of its mutants that the tests of each folder have to notice. */
export const THRESHOLD = 90;

/**
 * Mutants that may stay, because nobody could tell them from the code itself: the text that is replaced, and by what; each
 * replacement where that is missing.
 *
 * @type {{ file: string, code: string, by?: string, reason: string }[]}
 */
export const explained = [];
