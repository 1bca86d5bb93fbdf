// What `npm run test:mutation` changes, which tests have to notice it, and which changes no test can notice.

/**
 * Folders and the tests that have to notice their mutants, in files or folders. A mutant is tried by those of the tests that
 * run its line, so that few and quick ones near to the code make a quick run.
 *
 * @type {Record<string, string[]>}
 */
export const folders = {
  "src/client": ["test/client"],
  "src/config": ["test/config"],
  "src/folder": ["test/folder", "test/commands/looks.test.ts"],
  "src/folder/index": ["test/folder/index", "test/commands/movers.test.ts", "test/commands/latest.test.ts"],
  "src/folder/sql": ["test/folder/sql", "test/commands/sql-input.test.ts", "test/commands/sql-files.test.ts"],
  "src/folder/sync": ["test/folder/sync", "test/folder"],
  "src/export": ["test/export", "test/commands/verify.test.ts"],
  "src/pull": ["test/pull"],
  "src/rows": ["test/rows", "test/api/responses"],
  "src/service/http": ["test/service/http", "test/service/portal"],
  "src/service/portal": ["test/service/portal", "test/service/http/routes"],
};

/** Percentage of the mutants of a folder that its tests have to notice, but for those that are explained. */
export const THRESHOLD = 90;

const ON_WINDOWS = "differs on Windows only, where these tests do not run";
const SAME_TEXT = "JSON.parse makes the same text of bytes";
const FILE_NAME = "names a file of the cache, which no one else names";

const NEVER_REFUSED = "the system starts each command: it refuses one only for lack of memory or processes";
const ONLY_SLOWER = "gives the same answer, only later: what is remembered saves time alone";
const OTHER_HASH = "another hash tells these ids apart as well";
const OTHER_NAME = "another name does as well, as long as each is another one";
const NOT_LOADED = "the module cannot be loaded then, which the runner does not count as noticed";
const IN_FULL_SHEETS = "full-sheet.test.ts notices it, which takes too long to try mutants with";
const NEVER_MISSING = "the value is always there; the type of an array does not say so";

/**
 * Mutants that may stay, because nobody could tell them from the code itself: those of a text and what it is replaced by,
 * or of a whole function. Each replacement where `by` is missing.
 *
 * @type {{ file: string, code?: string, within?: string, by?: string, reason: string }[]}
 */
export const explained = [
  ...each("src/config/config-file.ts", ON_WINDOWS, 'platform === "win32"', '"win32"'),
  ...each(
    "src/config/key-command.ts",
    ON_WINDOWS,
    'platform === "win32"',
    '"win32"',
    '["cmd.exe", "/c"]',
    '"cmd.exe"',
    '"/c"',
    "{ child.kill(name); }",
  ),
  { file: "src/config/key-command.ts", code: "isWindows", by: "false", reason: ON_WINDOWS },
  ...each("src/config/key-command.ts", "the reason of the signal is thrown instead", '"was interrupted"'),
  ...each(
    "src/config/key-command.ts",
    NEVER_REFUSED,
    "child.pid === undefined",
    "child.pid === undefined || child.stdout?.closed !== false",
    "child.stdout?.closed !== false",
    "child.stdout?.closed",
    "{ return; }",
  ),
  { file: "src/config/key-command.ts", within: "failureOf", reason: NEVER_REFUSED },
  ...each("src/config/key-command.ts", "SIGTERM is the signal of `process.kill` without one", '"SIGTERM"'),
  ...each(
    "src/config/key-command.ts",
    "a command that has ended already is waited for, as long as one that ignores SIGTERM",
    "child.exitCode === null && child.signalCode === null",
    "child.exitCode === null",
    "child.signalCode === null",
  ),
  ...each("src/config/credentials.ts", "a text in the place of a profile has no key", "[]"),
  ...each("src/config/config-file.ts", "the library throws only errors of its own", '""'),
  ...each(
    "src/config/profile-writer.ts",
    "a lock that others hold for ten seconds takes ten seconds",
    "elapsed() - begun",
  ),
  ...each("src/config/toml-edit.ts", "a function without a return gives the same", "{ return undefined; }"),
  ...each("src/config/trusted-path.ts", ON_WINDOWS, "user === undefined", "{ return undefined; }"),
  ...each("src/config/trusted-path.ts", "an empty part is the folder itself", "path.split(sep).filter(Boolean)"),
  ...each("src/config/vocabulary.ts", SAME_TEXT, '"utf8"'),
  ...each(
    "src/config/vocabulary.ts",
    FILE_NAME,
    '"hex"',
    '""',
    'createHash("sha256") .update(JSON.stringify([service, profile])) .digest("hex") .slice(0, 32)',
  ),
  ...each("src/export/destination/compression.ts", ONLY_SLOWER, "{ level: 6, chunkSize: 64 * 1024 }"),
  ...each("src/export/destination/compression.ts", "a text without an ending names no compression, too", '""'),
  ...each("src/export/destination/compression.ts", "a codec fails only for lack of memory", "error == null"),
  ...each(
    "src/export/destination/compression.ts",
    "tried by Node.js 22.15 and newer only, which have zstd",
    "() => createZstdCompress({ params: { [ZSTD_CHECKSUM_FLAG]: 1 } })",
    "{ params: { [ZSTD_CHECKSUM_FLAG]: 1 } }",
    "{ [ZSTD_CHECKSUM_FLAG]: 1 }",
  ),
  ...each("src/export/destination/partial-file.ts", "an error without a code is none of these", '""'),
  ...each(
    "src/export/destination/partial-file.ts",
    "the system has just found the folder, if it exists",
    'errorCode(error) === "ENOENT"',
  ),
  ...each("src/export/destination/partition-spool.ts", ONLY_SLOWER, "stored.size > 0"),
  ...each("src/export/destination/partitions.ts", "a short text is no long name", "[]"),
  {
    file: "src/export/destination/partitions.ts",
    code: "last === undefined || last.rows !== rows || last.row !== row - 1 || columns.some((column) => !rows.isAsBefore(row, rows.column(column)))",
    reason: ONLY_SLOWER,
  },
  {
    file: "src/export/destination/stdout.ts",
    code: "signal?.reason",
    reason: "without a signal, nothing gives up",
  },
  ...each("src/cli/html/html-document.ts", "the text of undefined is no address", "address !== undefined"),
  ...each("src/export/formats/columns.ts", NEVER_MISSING, '""', "[]"),
  ...each(
    "src/export/formats/csv.ts",
    ONLY_SLOWER,
    "isText && !(isGuarded && isProtected(raw))",
    "isGuarded && isProtected(raw)",
    "copied !== undefined",
    "{ return copied; }",
    '{ if (!raw.includes("\\\\")) { return raw.includes(delimiter) ? raw : raw.slice(1, -1); } return OTHER_ESCAPE.test(raw) ? undefined : raw.replaceAll(\'\\\\"\', \'""\'); }',
    '"\\\\"',
    'text.includes("\\\\") || textForSpreadsheet(text) !== text',
  ),
  ...each("src/export/formats/csv.ts", "only strings end with a quote", "raw.startsWith('\"')"),
  ...each("src/export/formats/csv.ts", "of the rest, only objects and arrays have brackets", "/^[{[]/"),
  ...each("src/export/formats/registry.ts", NEVER_MISSING, "/\\.([^.]+)$/.exec(stem)?.[1]?.toLowerCase"),
  ...each("src/export/formats/registry.ts", "no format has such an ending", '""'),
  ...each("src/export/formats/row-members.ts", ONLY_SLOWER, "row !== current"),
  ...each("src/export/formats/row-members.ts", "it is replaced before it is read", '""'),
  ...each("src/export/formats/row-members.ts", "no column has such a name", "[]"),
  ...each("src/export/formats/xlsx/cell-text.ts", "there is no such entity or day", '""', "[]"),
  ...each(
    "src/export/formats/xlsx/cell-text.ts",
    ONLY_SLOWER,
    "raw.length <= SHOWN_DIGITS && !/e/i.test(raw)",
    "raw.length <= SHOWN_DIGITS",
    "{ return true; }",
  ),
  ...each("src/export/formats/xlsx/sheet-cells.ts", "only strings end with a quote", "raw.startsWith('\"')"),
  {
    file: "src/export/formats/xlsx/sheet-cells.ts",
    code: '!isLink && kind !== "date" && kind !== "timestamp"',
    by: "false",
    reason: ONLY_SLOWER,
  },
  ...each("src/export/formats/xlsx/sheet-cells.ts", IN_FULL_SHEETS, '{ onLoss?.("link", column); return false; }'),
  ...each("src/cli/terminal/chart.ts", NEVER_MISSING, '""'),
  ...each("src/cli/terminal/chart.ts", "all values are picked if there are as many as cells", "values.length <= width"),
  ...each("src/cli/errors/error-text.ts", "the sentence begins with the word", "/^error:/"),
  {
    file: "src/cli/errors/error-text.ts",
    code: '""',
    by: '"Stryker was here!"',
    reason: "an error has a first line, and that of its stack is left out",
  },
  ...each("src/cli/terminal/status-feed.ts", NEVER_MISSING, '""'),
  ...each("src/cli/terminal/style.ts", NEVER_MISSING, "[0, 0]"),
  ...each("src/cli/terminal/tables/table.ts", NEVER_MISSING, '""', "[]"),
  ...each("src/rows/batch.ts", "the places are known", "() => places"),
  { file: "src/rows/batch.ts", code: 'typeof places === "function"', by: "true", reason: "the places are known" },
  { file: "src/rows/filter-check.ts", within: "isAsBefore", reason: ONLY_SLOWER },
  ...each("src/rows/filter-check.ts", NEVER_MISSING, '""'),
  ...each("src/rows/filter-check.ts", ONLY_SLOWER, "row > 0", "{ return true; }"),
  {
    file: "src/rows/filter-check.ts",
    code: "row > 0 && isAsBefore(rows, row, columns)",
    by: "false",
    reason: ONLY_SLOWER,
  },
  { file: "src/rows/id-check.ts", within: "hashOfId", reason: ONLY_SLOWER },
  { file: "src/rows/id-check.ts", within: "hashOfBytes", reason: OTHER_HASH },
  ...each("src/rows/response.ts", ONLY_SLOWER, 'name === "data" && data !== undefined', '"data"'),
  ...each("src/rows/response.ts", NOT_LOADED, "[]"),
  ...each(
    "src/rows/row-error.ts",
    ONLY_SLOWER,
    "row > 0 && rows.isAsBefore(row, DATE_COLUMN)",
    "row > 0",
    "{ return true; }",
  ),
  ...each("src/rows/row-error.ts", NEVER_MISSING, "rows.raw(row, ID_COLUMN)?.slice", '""'),
  ...each(
    "src/rows/scan.ts",
    ONLY_SLOWER,
    "name?.standsAt(view, at)",
    "(bytes[at] as number) <= SPACE",
    "first === QUOTE",
    "column + 1",
    "bytes[at] === COMMA",
    "bytes[next + 1] === QUOTE",
    "(name) => new ColumnName(name)",
    "true",
    "isRow && next === end + 1",
    "end + 1",
    "!contiguous || hasLineBreak(bytes, rows.start(0), rows.end(length - 1))",
    "length - 1",
  ),
  ...each("src/rows/scan.ts", "the place of the row is written after those of its values", "column >= 0"),
  ...each("src/rows/scan.ts", "a batch without rows has none, joined or not", "length === 0", "{ return rows; }"),
  ...each("src/rows/scan.ts", "no row has that number, so that no byte is changed", "row < length"),
  { file: "src/rows/words.ts", within: "constructor", reason: ONLY_SLOWER },
  { file: "src/rows/words.ts", within: "standsAt", reason: ONLY_SLOWER },
  { file: "src/rows/words.ts", within: "standsBytewise", reason: ONLY_SLOWER },
  { file: "src/rows/words.ts", within: "isNull", reason: ONLY_SLOWER },
  ...each("src/rows/words.ts", ONLY_SLOWER, "next <= last"),
  ...each(
    "src/service/http/query/read-query.ts",
    "nothing is greater than undefined",
    "start_date !== undefined",
    "end_date !== undefined",
    "start_date !== undefined && end_date !== undefined",
  ),
  ...each(
    "src/service/http/query/read-query.ts",
    "the expression matches each text as a whole",
    "/^[^?]*\\??/",
    "/^([^=]*)=?(.*)$/s",
    '""',
    "[]",
  ),
  { file: "src/service/http/query/cursors.ts", code: '"cursor"', reason: OTHER_NAME },
  ...each("src/service/http/service-parts.ts", OTHER_NAME, '"catalog"', '"sample"', '"failed"'),
  ...each(
    "src/service/http/app.ts",
    "no route has a schema",
    "{ compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } }",
    "{ buildValidator: noSchemas, buildSerializer: noSchemas }",
    '{ throw new Error("routes have no schemas"); }',
    '"routes have no schemas"',
  ),
  ...each(
    "src/service/http/routes/serve-operations.ts",
    ONLY_SLOWER,
    "wanted === undefined || wanted === newest.version",
    "wanted === undefined",
    "wanted === newest.version",
    "position?.selection === digest",
  ),
];

/** Each of these texts of a file, whatever replaces it. */
function each(file, reason, ...codes) {
  return codes.map((code) => ({ file, code, reason }));
}
