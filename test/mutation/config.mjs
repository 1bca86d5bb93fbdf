// What `npm run test:mutation` changes, which tests have to notice it, and which changes no test can notice.

/**
 * Folders and the tests that have to notice their mutants, in files or folders. A mutant is tried by those of the tests that
 * run its line, so that few and quick ones near to the code make a quick run.
 *
 * @type {Record<string, string[]>}
 */
export const folders = {
  "src/api": ["test/api"],
  "src/config": ["test/config"],
  "src/export": ["test/export", "test/pull"],
  "src/mirror": ["test/mirror"],
  "src/output": ["test/output"],
  "src/pull": ["test/pull"],
  "src/rows": ["test/rows", "test/api/responses"],
  "src/service/http": ["test/service/http"],
  "src/service/portal": ["test/service/portal"],
};

/** Percentage of the mutants of a folder that its tests have to notice, but for those that are explained. */
export const THRESHOLD = 90;

const ON_WINDOWS = "differs on Windows only, where these tests do not run";
const SAME_TEXT = "JSON.parse makes the same text of bytes";
const FILE_NAME = "names a file of the cache, which no one else names";

const ONLY_SLOWER = "gives the same answer, only later: what is remembered saves time alone";
const NEVER_MISSING = "the value is always there; the type of an array does not say so";

/**
 * Mutants that may stay, because nobody could tell them from the code itself: those of a text and what it is replaced by,
 * or of a whole function. Each replacement where `by` is missing.
 *
 * @type {{ file: string, code?: string, within?: string, by?: string, reason: string }[]}
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
  { file: "src/rows/batch.ts", code: "() => places", reason: "is never called: the places are known" },
  { file: "src/rows/batch.ts", code: 'typeof places === "function"', by: "true", reason: "the places are known" },
  { file: "src/rows/batch.ts", code: "this.length === 0", by: "false", reason: "the bytes of no rows are empty, too" },
  { file: "src/rows/filter-check.ts", within: "isAsBefore", reason: ONLY_SLOWER },
  { file: "src/rows/filter-check.ts", within: "checksum", reason: ONLY_SLOWER },
  { file: "src/rows/filter-check.ts", within: "equalsValues", reason: ONLY_SLOWER },
  { file: "src/rows/filter-check.ts", code: "[]", reason: ONLY_SLOWER },
  { file: "src/rows/filter-check.ts", code: '[...candidates, Buffer.from(raw.join(""))]', reason: ONLY_SLOWER },
  {
    file: "src/rows/filter-check.ts",
    code: "!candidates.some((candidate) => equalsValues(candidate, rows, row, columns))",
    by: "true",
    reason: ONLY_SLOWER,
  },
  {
    file: "src/rows/filter-check.ts",
    code: "(candidate) => equalsValues(candidate, rows, row, columns)",
    reason: ONLY_SLOWER,
  },
  { file: "src/rows/filter-check.ts", code: "row > 0", reason: ONLY_SLOWER },
  {
    file: "src/rows/filter-check.ts",
    code: "row > 0 && isAsBefore(rows, row, columns)",
    by: "false",
    reason: ONLY_SLOWER,
  },
  { file: "src/rows/filter-check.ts", code: '""', reason: NEVER_MISSING },
];
