import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { FileError } from "../../../src/contract/errors.ts";
import { openDuckDb, sqlText } from "../../../src/files/duckdb.ts";
import { hasParts, openSqlSession, QueryError, type SqlSession } from "../../../src/folder/sql/sql-session.ts";
import { temporaryFolder } from "../../helpers/cli.ts";
import { parquetRows } from "../../helpers/parquet-files.ts";
import { failureOf } from "../../helpers/test-client.ts";

const DAMAGED = new FileError("a day is damaged", "part-0.parquet");

/** Runs for hours. */
const LONG_QUERY = "select count(*) from range(1000000000000) numbers(n) where n % 7 = random()";

async function openSession({
  views = [] as readonly string[],
  files = [] as readonly string[],
  checked = Promise.resolve(),
  assertInPlace = async () => undefined as undefined,
  signal = new AbortController().signal,
} = {}): Promise<SqlSession & { folder: string }> {
  const folder = await temporaryFolder();
  const resultFile = join(folder, "it's.parquet");
  const options = { threads: 2, memory: 64 * 1024 ** 2, spills: true, files: [...files, resultFile], signal };
  const duckDb = await openDuckDb(options);
  onTestFinished(async () => await duckDb[Symbol.asyncDispose]());
  return { ...(await openSqlSession(duckDb, { views, resultFile, checked, assertInPlace })), folder };
}

async function rowsOf(session: SqlSession, sql: string): Promise<string[][]> {
  const rows: string[][] = [];
  for await (const chunk of (await session.query(sql)).rows) {
    rows.push(...chunk.map((row) => [...row]));
  }
  return rows;
}

/** A session whose files are still being compared. `fail` ends that with an error. */
async function sessionBeforeTheCheck({ views = ["CREATE VIEW rows AS SELECT 1 AS one"], damaged = false } = {}) {
  let fail: (error: Error) => void = () => undefined;
  const checked = new Promise<void>((_, reject) => {
    fail = reject;
  });
  const ended = new AbortController();
  checked.catch((error: unknown) => ended.abort(error));
  if (damaged) {
    fail(DAMAGED);
    await Promise.allSettled([checked]);
  }
  const session = await openSession({ views, checked, signal: ended.signal });
  return { session, fail };
}

test.each(["query", "writeParquet"] as const)("%s gives nothing out before the files are compared", async (ask) => {
  for (const sql of ["from rows", "from nowhere"]) {
    const { session, fail } = await sessionBeforeTheCheck();
    const answer = session[ask](sql);
    fail(DAMAGED);
    await expect(answer).rejects.toBe(DAMAGED);
  }
});

test("no session is opened once a file is known to be damaged, and the error names the file", async () => {
  await expect(sessionBeforeTheCheck({ views: [], damaged: true })).rejects.toBe(DAMAGED);
});

test("no session is opened if a table cannot be declared", async () => {
  const failure = await failureOf(openSession({ views: ["CREATE VIEW rows AS FROM nowhere"] }));
  expect(failure).toBeInstanceOf(QueryError);
  expect(String(failure)).toContain("Table with name nowhere does not exist");
});

test("queries read the named files and no others", async () => {
  const folder = await temporaryFolder();
  const [own, other] = ["it's own.csv", "other.csv"].map((name) => join(folder, name)) as [string, string];
  await writeFile(own, "one\n1\n");
  await writeFile(other, "one\n2\n");
  const session = await openSession({ files: [own] });
  expect(await rowsOf(session, `from read_csv(${sqlText(own)})`)).toEqual([["1"]]);
  const failure = await failureOf(session.query(`from read_csv(${sqlText(other)})`));
  expect(String(failure)).toContain("Permission Error: Cannot access file");
});

describe("a query", () => {
  test("has the names and types of its columns, and its values as JSON with all their digits", async () => {
    const session = await openSession();
    const sql = `select 9007199254740993::BIGINT as a, 18446744073709551615::UBIGINT as b,
      170141183460469231731687303715884105727::HUGEINT as c, 340282366920938463463374607431768211455::UHUGEINT as d,
      12345678901234567890.10::DECIMAL(22, 2) as e, 1.5::DOUBLE as f, 7::INTEGER as g, '12'::VARCHAR as h,
      NULL::BIGINT as i, [1::BIGINT] as j, DATE '2026-01-02' as k, {'x': 1.50::DECIMAL(3, 2)} as l, true as m`;
    const { columns } = await session.query(sql);
    expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
      "a BIGINT",
      "b UBIGINT",
      "c HUGEINT",
      "d UHUGEINT",
      "e DECIMAL(22,2)",
      "f DOUBLE",
      "g INTEGER",
      "h VARCHAR",
      "i BIGINT",
      "j BIGINT[]",
      "k DATE",
      'l STRUCT("x" DECIMAL(3,2))',
      "m BOOLEAN",
    ]);
    expect(await rowsOf(session, sql)).toEqual([
      [
        "9007199254740993",
        "18446744073709551615",
        "170141183460469231731687303715884105727",
        "340282366920938463463374607431768211455",
        "12345678901234567890.10",
        "1.5",
        "7",
        '"12"',
        "null",
        '["1"]',
        '"2026-01-02"',
        '{"x":"1.50"}',
        "true",
      ],
    ]);
  });

  test("has values with parts as the texts that DuckDB prints, if that is wanted, and intervals always", async () => {
    const session = await openSession();
    const sql = "select age(date '2026-03-05', date '2026-01-01') as a, [1.5, null] as b, {a: 'x'} as c, 1 as c";
    expect(await rowsOf(session, sql)).toEqual([['"2 months 4 days"', '["1.5",null]', '{"a":"x"}', "1"]]);
    const { columns, rows } = await session.query(`${sql} -- ;`, hasParts);
    const texts = [];
    for await (const chunk of rows) {
      texts.push(...chunk);
    }
    expect({ columns: columns.map(({ name, type }) => `${name} ${type}`), texts }).toEqual({
      columns: ["a VARCHAR", "b VARCHAR", "c VARCHAR", "c INTEGER"],
      texts: [['"2 months 4 days"', '"[1.5, NULL]"', `"{'a': x}"`, "1"]],
    });
  });

  test("has days and times as DuckDB prints them, also infinite ones, and keeps their types", async () => {
    const session = await openSession();
    const nested = "select ['infinity'::date, '2026-01-02'], ['infinity'::date]::date[1], {'a': timestamp 'infinity'}";
    expect(await rowsOf(session, nested)).toEqual([['["infinity","2026-01-02"]', '["infinity"]', '{"a":"infinity"}']]);
    const sql = `select date 'infinity', timestamp '-infinity', date '2026-02-28', date '0044-03-15 (BC)',
      timestamp '2026-01-02 03:04:05.678', timestamp_ns '2026-01-02 03:04:05.678901234', timestamp_s '2026-01-02 03:04:05', null::date`;
    expect(await rowsOf(session, sql)).toEqual([
      [
        ...['"infinity"', '"-infinity"', '"2026-02-28"', '"0044-03-15 (BC)"', '"2026-01-02 03:04:05.678"'],
        ...['"2026-01-02 03:04:05.678901234"', '"2026-01-02 03:04:05"', "null"],
      ],
    ]);
    expect((await session.query(sql)).columns.map(({ type }) => type)).toEqual([
      ...["DATE", "TIMESTAMP", "DATE", "DATE", "TIMESTAMP", "TIMESTAMP_NS", "TIMESTAMP_S", "DATE"],
    ]);
  });

  test.each(["select $x", "select 1 where 1 = ?"])("has no parameter: %s", async (sql) => {
    const session = await openSession();
    await expect(session.query(sql)).rejects.toThrow("The query cannot be run: it has a parameter; write the value.");
  });

  test("may pivot by the values that it finds", async () => {
    const session = await openSession({ views: ["CREATE VIEW v AS FROM (VALUES ('a;', 1), ('b', 2)) t(k, n)"] });
    const pivot = "pivot v on k using list(n) -- ;\n;";
    expect((await session.query(pivot, hasParts)).columns.map(({ name }) => name)).toEqual(["a;", "b"]);
    expect(await parquetRows(await session.writeParquet("pivot v on k using sum(n)"))).toEqual([{ "a;": 1, b: 2 }]);
  });

  test.each([
    "select 1 as a; -- done",
    "select 1 as a -- done;\n;;",
    "select ';' as b, 1 as a /* ; */ -- ;\r;",
    "select 1 as a$x$, 2 as b$x$ ; /* the end; */",
    "from (values (1)) numbers(a) where 'Checkpoint (2)' <> 'a'; \n",
  ])("%j is one query, whatever follows its semicolon", async (sql) => {
    const session = await openSession();
    expect(await rowsOf(session, sql)).toHaveLength(1);
    expect(await parquetRows(await session.writeParquet(sql))).toHaveLength(1);
  });

  test("gives all of its rows", async () => {
    const session = await openSession();
    const many = await rowsOf(session, "select n::INTEGER from range(5000) numbers(n) order by n");
    expect(many.flat()).toEqual(Array.from({ length: 5000 }, (_, row) => String(row)));
    expect(await rowsOf(session, "select 1 where false")).toEqual([]);
  });

  test.each([
    ["select 1\0", "it holds a NUL character, which would end it there."],
    ["select 1; select 2", "expected one query, got 2 statements."],
    ["select 1 --\r; create type own_type as enum ('a'); select 2", "expected one query, got 3 statements."],
    ["select 1 as a$x$; create type own_type as enum ('a'); select 2 as b$x$", "expected one query, got 3 statements."],
    ["select 1) ; select * from (select 2", 'Parser Error: syntax error at or near ")"'],
    [
      "explain select 1",
      "only queries are allowed (SELECT, FROM, WITH, VALUES, DESCRIBE, SHOW): the folder is read-only.",
    ],
    ["create type own_type as enum ('a'); select ';'", "expected one query, got 2 statements."],
    ["pivot (select 1 as a) on a using count(*); select 2", "expected one query, got 3 statements."],
    ["-- select 1", "it has no statement."],
    [
      "create table own_table (a integer)",
      "only queries are allowed (SELECT, FROM, WITH, VALUES, DESCRIBE, SHOW): the folder is read-only.",
    ],
    ["selec 1", 'Parser Error: syntax error at or near "selec"'],
    [
      "select two\nfrom (select 1 as one)",
      'Binder Error: Referenced column "two" not found in FROM clause!\nCandidate bindings: "one"',
    ],
    ["select 'a'::INTEGER", "Conversion Error: Could not convert string 'a' to INT32"],
  ])("%j is refused in words", async (sql, words) => {
    const session = await openSession();
    for (const ask of ["query", "writeParquet"] as const) {
      const failure = await failureOf(session[ask](sql));
      expect({ failure, text: String(failure) }).toEqual({
        failure: expect.any(QueryError),
        text: `Error: The query cannot be run: ${words}`,
      });
    }
  });

  test("that fails behind its first rows is refused when they are read", async () => {
    const session = await openSession();
    const sql = "select if(n < 100000, 1, error('too far')) as one from range(1000000) numbers(n)";
    const failure = await failureOf(rowsOf(session, sql));
    expect({ failure, text: String(failure) }).toEqual({
      failure: expect.any(QueryError),
      text: expect.stringContaining("too far"),
    });
  });
});

describe("a result in Parquet", () => {
  test.each([
    ["select 2 as two ; \n ;", [{ two: 2 }]],
    ["select 3 as three -- the end;", [{ three: 3 }]],
  ])("of %j has its rows, and the next one takes its place", async (sql, rows) => {
    const session = await openSession();
    await session.writeParquet("select 0 as none");
    const path = await session.writeParquet(sql);
    expect({ path, parquetRows: await parquetRows(path) }).toEqual({
      path: join(session.folder, "it's.parquet"),
      parquetRows: rows,
    });
  });
});

describe("a signal", () => {
  const REASON = new Error("that is enough");
  const later = (signal: AbortController) => setTimeout(() => signal.abort(REASON), 50);

  test("ends a running query with its reason, and refuses those after it", async () => {
    const ended = new AbortController();
    const session = await openSession({ signal: ended.signal });
    later(ended);
    await expect(rowsOf(session, LONG_QUERY)).rejects.toBe(REASON);
    await expect(session.query("select 1")).rejects.toBe(REASON);
  });
});
