import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { splitStatements } from "../../src/commands/sql/shell/shell.ts";
import { EXIT } from "../../src/contract/errors.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { servedFolder, sixteenDays } from "../helpers/synced-folder.ts";

const CTRL_C = "\x03";
const CTRL_D = "\x04";
const UP = "\x1b[A";

let folder = "";

beforeAll(async () => {
  const served = await servedFolder(sixteenDays(), undefined, afterAll);
  folder = served.folder;
  await served.sync();
});

/** Types each text when a prompt is shown, and Ctrl-D after the last. */
async function shell(typed: readonly string[], { args = [] as string[], columns = 100, data = "" } = {}) {
  const rest = [...typed, CTRL_D];
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  let written = "";
  let answered = -2;
  const stdout = Object.assign(
    new Writable({
      write: (chunk: Buffer, _, done) => {
        written += chunk;
        const shown = stripVTControlCharacters(written);
        // A prompt is drawn in several writes, and again with what is typed.
        if (/(?:sql|\.\.\.)> $/.test(shown) && shown.lastIndexOf("\n") > answered) {
          answered = shown.lastIndexOf("\n");
          // Tab completes only what is typed, and not what is pasted.
          const keys = (rest.shift() ?? "").split(/(?<=\t)/);
          setImmediate(() => {
            for (const key of keys) {
              stdin.write(key);
            }
          });
        }
        done();
      },
    }),
    { isTTY: true, columns },
  );
  const folders = { config: "/nonexistent", data: data || (await temporaryFolder()), cache: "/nonexistent" };
  const result = await runInProcess(["sql", folder, ...args], { stdin, stdout, folders });
  return { ...result, stdout: stripVTControlCharacters(written), history: join(folders.data, "sql-history") };
}

test("a query may have several lines, an error is shown, and the shell goes on", async () => {
  const { code, stdout, stderr } = await shell([
    "select retailer, count(*) as n from rows\r",
    "group by all order by n;\r",
    "selec 1;\r",
    "select 'a;b' as text; select 40 + 2 as answer;\r",
  ]);
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/^error: The query cannot be run: .*at or near "selec"\n$/),
  ]);
  expect(stdout).toContain("retailer   n\n────────  ──\nbolt      16\nacme      32\n");
  expect(stdout).toContain("text\n────\na;b\n");
  expect(stdout).toContain("answer\n──────\n    42\n");
});

test("lines that are pasted together run one after another, and the last one can be continued", async () => {
  const { code, stdout, stderr } = await shell(["select 1 as one,\r2 as two;\rselect 3 as thr", "ee;\r"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("one  two\n───  ───\n  1    2\n");
  expect(stdout).toContain("three\n─────\n    3\n");
});

test("Ctrl-C takes back what is typed; where nothing is, it says how to end", async () => {
  const { code, stdout, stderr } = await shell([
    "select 'begun' as x\r",
    `, 'more'${CTRL_C}`,
    "select 'whole' as y;\r",
    CTRL_C,
  ]);
  expect([code, stderr]).toEqual([0, "Ctrl-D or .quit ends the shell\n"]);
  expect(stdout).toContain("y\n─────\nwhole\n");
  expect(stdout).not.toContain("x\n─");
});

test("commands show the tables, and choose format and file of what follows", async () => {
  const folder = await temporaryFolder();
  const { code, stdout, stderr } = await shell([
    ".tables\r",
    ".schema days\r",
    ".schema day\r",
    ".mode csv\r",
    "select 1 as one;\r",
    `.output ${join(folder, "two.csv")}\r`,
    "select 2 as two;\r",
    `.output ${join(folder, "two.xlsx")}\r`,
    ".output\r",
    "select 3 as three;\r",
    ".mod json\r",
    ".help\r",
    ".quit\r",
  ]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/table +columns\n─+ {2}─+\nrows +17\nlatest +17\n/);
  expect(stdout).toContain("days   crawl_date    DATE\n");
  expect(stdout).toContain("one\r\n1\r\n");
  expect(stdout).toContain("three\r\n3\r\n");
  expect(stdout).toContain(".schema [TABLE]");
  expect(await readFile(join(folder, "two.csv"), "utf8")).toBe("two\r\n2\r\n");
  expect(stderr.split("\n").filter((line) => line !== "")).toEqual([
    'error: There is no table "day".',
    "Did you mean days?",
    expect.stringContaining("two.xlsx"),
    expect.stringMatching(/./),
    'error: There is no command ".mod".',
    "Did you mean .mode?",
  ]);
});

test("-f and -o are those of the shell's first query", async () => {
  const file = join(await temporaryFolder(), "answer.json");
  expect(await shell(["select 1 as one;\r"], { args: ["-o", file] })).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual([{ one: 1 }]);
});

test("rows that are too wide for a table are cards", async () => {
  const { stdout } = await shell(["from rows order by sku, crawl_date limit 2;\r"], { columns: 60 });
  expect(stdout).toMatch(/row 1\n +product_id +\S+\n +sku +s0\n/);
  expect(stdout).toContain("\n\nrow 2\n");
});

test("Tab completes tables, columns, commands and the words of SQL", async () => {
  const { stdout, stderr } = await shell([".sch\t combi\t\r", "select discount_p\t fro\t latest LIM\t 1;\r"]);
  expect([stdout, stderr]).toEqual([expect.stringContaining("combinations  first_day"), ""]);
  expect(stdout).toContain("select discount_pct from latest LIMIT 1;");
});

test("what is typed is kept for the next shell, for the user alone, and not without end", async () => {
  const data = await temporaryFolder();
  const history = join(data, "sql-history");
  await writeFile(history, Array.from({ length: 1000 }, (_, line) => `select ${line};\n`).join(""), { mode: 0o644 });
  await shell(["select 'kept' as x;\r", " \r"], { data });
  const lines = (await readFile(history, "utf8")).split("\n");
  expect([lines.length, lines[0], lines.at(-2)]).toEqual([1001, "select 1;", "select 'kept' as x;"]);
  expect((await stat(history)).mode & 0o777).toBe(0o600);
  expect((await shell([`${UP}${UP}\r`], { data })).stdout).toContain("999\n───\n999\n");
});

test("a history that cannot be kept is a note, and no error", async () => {
  const data = await temporaryFolder();
  await mkdir(join(data, "sql-history"));
  await chmod(data, 0o700);
  const { code, stdout } = await shell(["select 1 as one;\r", "select 2 as two;\r"], { data, args: ["--verbose"] });
  expect([code, stdout]).toEqual([0, expect.stringContaining("two\n───\n  2\n")]);
});

test.each([
  ["a query in lines", "select 1,\n2", [], "select 1,\n2"],
  ["two queries and the begin of one", "a; b;c", ["a", " b"], "c"],
  [
    "semicolons in texts and names",
    `select ';', 'it''s;', ";", E'\\';' ;`,
    [`select ';', 'it''s;', ";", E'\\';' `],
    "",
  ],
  ["semicolons in comments", "a -- ;\n/* ; */ ; b", ["a -- ;\n/* ; */ "], " b"],
  ["semicolons in dollar quotes", "select $$;$$, $t$;$$;$t$, $1;", ["select $$;$$, $t$;$$;$t$, $1"], ""],
  ["a text that is not closed", "select 'a;\n", [], "select 'a;\n"],
  ["a comment that is not closed", "select /* a;\n", [], "select /* a;\n"],
  ["nothing", " ;\n ", [], ""],
])("%s", (_, text, statements, rest) => {
  expect(splitStatements(text)).toEqual({ statements, rest });
});

test.each([[[]], [["FOLDER"]]])("in a pipe, a query is missing: %j", async (operands) => {
  const args = operands.map(() => folder);
  for (const options of [{}, { columns: 100 }]) {
    const { code, stdout, stderr } = await runInProcess(["sql", ...args], options);
    expect([code, stdout, stderr.replace(/\s+/g, " ")]).toEqual([
      EXIT.usage,
      "",
      expect.stringContaining("a query is missing"),
    ]);
  }
});
