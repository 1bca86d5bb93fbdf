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

const ON_WINDOWS = "differs on Windows only, where these tests do not run";
const SAME_TEXT = "JSON.parse makes the same text of bytes";
const FILE_NAME = "names a file of the cache, which no one else names";

/**
 * Mutants that may stay, because nobody could tell them from the code itself: the text that is replaced, and by what; each
 * replacement where that is missing.
 *
 * @type {{ file: string, code: string, by?: string, reason: string }[]}
 */
export const explained = [
  { file: "src/config/config-file.ts", code: 'process.platform === "win32"', by: "false", reason: ON_WINDOWS },
  { file: "src/config/config-file.ts", code: '"win32"', reason: ON_WINDOWS },
  { file: "src/config/key-command.ts", code: 'process.platform === "win32"', by: "false", reason: ON_WINDOWS },
  { file: "src/config/key-command.ts", code: '"win32"', reason: ON_WINDOWS },
  { file: "src/config/key-command.ts", code: '["cmd.exe", "/c"]', reason: ON_WINDOWS },
  { file: "src/config/key-command.ts", code: '"cmd.exe"', reason: ON_WINDOWS },
  { file: "src/config/key-command.ts", code: '"/c"', reason: ON_WINDOWS },
  { file: "src/config/key-command.ts", code: "{ child.kill(signal); }", reason: ON_WINDOWS },
  { file: "src/config/trusted-path.ts", code: "process.geteuid?.()", reason: ON_WINDOWS },
  { file: "src/config/trusted-path.ts", code: "user === undefined", by: "false", reason: ON_WINDOWS },
  { file: "src/config/trusted-path.ts", code: "{ return undefined; }", reason: ON_WINDOWS },
  { file: "src/config/vocabulary.ts", code: '"utf8"', reason: SAME_TEXT },
  { file: "src/config/vocabulary.ts", code: '"hex"', reason: FILE_NAME },
  { file: "src/config/vocabulary.ts", code: '""', reason: FILE_NAME },
  {
    file: "src/config/vocabulary.ts",
    code: 'createHash("sha256") .update(JSON.stringify([service, profile])) .digest("hex") .slice(0, 32)',
    reason: FILE_NAME,
  },
  { file: "src/config/known-keys.ts", code: "[]", reason: "a text in the place of a profile has no key" },
  { file: "src/config/parse-config.ts", code: '""', reason: "the library throws only errors of its own" },
  {
    file: "src/config/toml-edit.ts",
    code: "{ return undefined; }",
    reason: "a function without a return gives the same",
  },
];
