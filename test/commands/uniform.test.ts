import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { beforeAll, describe, expect, test } from "vitest";
import { isRepeatable } from "../../src/cli/flags/flag-checks.ts";
import { createProgram } from "../../src/commands/program.ts";
import { EXIT } from "../../src/contract/errors.ts";
import { ROW_FORMATS } from "../../src/export/formats/registry.ts";
import { temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { recordsOf, runInProcess } from "../helpers/in-process.ts";
import { onceEach } from "../helpers/once-each.ts";
import { product } from "../helpers/products.ts";
import { startTestService, type TestService } from "../helpers/service.ts";

/** Two shops, of which one lowers the prices of its two lamps and then has a third. */
const ROWS = ["2026-01-01", "2026-01-02", "2026-01-03"].flatMap((crawl_date, day) =>
  ["acme", "bolt"].flatMap((retailer) =>
    ["lamp-1", "lamp-2", ...(day === 2 ? ["lamp-3"] : [])].map((sku) => {
      const selling_price = retailer === "acme" ? 15 - day : 15;
      return product({ crawl_date, retailer, sku, model_number: sku, category: sku, selling_price });
    }),
  ),
);

/** How each command that lists rows is called to list more than one; `rows`, `basket` and `database` are files. */
const LISTS: Record<string, readonly (readonly string[])[]> = {
  coverage: [
    [],
    ["rows"],
    ["--group-by", "retailer"],
    ["rows", "--group-by", "day"],
    ["rows", "--group-by", "retailer,day"],
  ],
  sample: [[]],
  diff: [["rows", "--from", "2026-01-01", "--to", "2026-01-03"]],
  history: [["lamp-1", "rows"]],
  movers: [["rows", "--only", "drop"]],
  latest: [["rows"], ["rows", "--group-by", "retailer"], ["rows", "--by", "day"]],
  compare: [["rows", "--by", "model_number"]],
  index: [["basket", "rows"]],
  export: [[]],
  sql: [["from latest", "rows"]],
  "sync log": [["rows"]],
  why: [["acme", "lamp-1", "rows"]],
  "service teams list": [["--database", "database"]],
  "service keys list": [["--database", "database"]],
  "service incident list": [["--database", "database"]],
};

/** Flags of lists that these commands do not have, and why. */
const LACKING: Record<string, { flags: readonly string[]; because: string }> = {
  export: {
    flags: ["--sort", "--limit"],
    because: "it streams any number of rows in their own order; --max-rows ends it",
  },
  sql: { flags: ["--columns", "--sort", "--limit"], because: "the query says them" },
};

const onEnd = afterAllTests();
let service: TestService;
let cwd: string;
let commands: Map<string, CommandUnknownOpts>;

beforeAll(async () => {
  cwd = await temporaryFolder(onEnd);
  service = await startTestService({ rows: ROWS, rateLimit: 100_000, onEnd });
  await writeFile(join(cwd, "basket"), "sku\nlamp-1\n");
  await run("sync", "rows");
  await run("sync", "rows");
  for (const args of [
    ["keys", "create", "a"],
    ["keys", "create", "b"],
    ["teams", "create", "b"],
    ["incident", "open", "a"],
    ["incident", "open", "b"],
  ]) {
    expect(await run("service", ...args, "--database", "database")).toMatchObject({ code: EXIT.ok });
  }
  const program = await createProgram(
    context(),
    () => true,
    () => undefined,
  );
  commands = new Map(commandsBelow(program));
}, 60_000);

/** Each command that does something, by its words; a group only names others. */
function commandsBelow(command: CommandUnknownOpts, words: readonly string[] = []): [string, CommandUnknownOpts][] {
  return command.commands.flatMap((child) => {
    const path = [...words, child.name()];
    const isGroup = child.commands.length > 0 && child.name() !== "sync";
    return [
      ...(isGroup ? [] : ([[path.join(" "), child]] as [string, CommandUnknownOpts][])),
      ...commandsBelow(child, path),
    ];
  });
}

function context() {
  return { stdout: {}, env: {}, folders: {} } as Parameters<typeof createProgram>[0];
}

/** Runs a command line, with the names of files in the folder of this test. */
function run(...args: readonly string[]) {
  return runIn({}, ...args);
}

function runIn(options: Parameters<typeof runInProcess>[1], ...args: readonly string[]) {
  const words = args.map((word) => (["rows", "basket", "database"].includes(word) ? `./${word}` : word));
  return runInProcess(words, { service, cwd, ...options });
}

function optionOf(command: CommandUnknownOpts, name: string): Option | undefined {
  return command.options.find(({ long, short }) => long === name || short === name);
}

const CALLS = Object.entries(LISTS).flatMap(([name, calls]) =>
  calls.map((args): [string, readonly string[]] => [[name, ...args].join(" "), [...name.split(" "), ...args]]),
);

describe("the flags of all commands", () => {
  test("have the same short names: -n is --limit, -o is --output, -f is --format", () => {
    const meanings = new Map<string, Set<string>>();
    for (const { options } of commands.values()) {
      for (const { short, long = "" } of options) {
        if (short !== undefined) {
          meanings.set(short, (meanings.get(short) ?? new Set()).add(long));
        }
      }
    }
    expect(Object.fromEntries([...meanings].map(([short, longs]) => [short, [...longs]]))).toEqual({
      "-f": ["--format"],
      "-o": ["--output"],
      "-n": ["--limit"],
      "-q": ["--quiet"],
      "-v": ["--verbose"],
    });
  });

  test("are complete where rows are listed, or it is said why not", () => {
    const lists = [...commands].filter(([, command]) => optionOf(command, "--format")?.argChoices?.includes("ndjson"));
    expect(lists.map(([name]) => name).sort()).toEqual(Object.keys(LISTS).sort());
    for (const [name, command] of lists) {
      const lacking = ["--output", "--compress", "--no-clobber", "--columns", "--sort", "--limit"].filter(
        (flag) => optionOf(command, flag) === undefined,
      );
      expect({ name, lacking }).toEqual({ name, lacking: LACKING[name]?.flags ?? [] });
      const formats = optionOf(command, "--format")?.argChoices?.filter((format) => format !== "markdown");
      const ofRows = ROW_FORMATS.filter((format) => format !== "parquet" || !name.startsWith("service"));
      expect({ name, formats }).toEqual({ name, formats: [...(name === "export" ? [] : ["table"]), ...ofRows] });
    }
  });

  test("say whether they are repeatable", () => {
    const wrong = [...commands].flatMap(([name, { options }]) =>
      options
        .filter((option) => isRepeatable(option) !== option.description.includes("repeatable"))
        .map(({ flags }) => `${name} ${flags}`),
    );
    expect(wrong).toEqual([]);
  });

  test("say what they are for", () => {
    const silent = [...commands].flatMap(([name, { options }]) =>
      options.filter(({ description, hidden }) => description === "" && !hidden).map(({ flags }) => `${name} ${flags}`),
    );
    expect(silent.filter((flag) => !flag.startsWith("__"))).toEqual([]);
  });
});

test("a flag that may not be repeated is refused the second time, with exit code 2, on every command", async () => {
  for (const [name, { options, registeredArguments }] of commands) {
    const flags = options.filter(
      ({ hidden, mandatory, required, optional, ...option }) =>
        !hidden && !mandatory && !isRepeatable(option as Option),
    );
    for (const { long = "", required, argChoices } of flags.filter(({ long }) => long !== "--help")) {
      const given = required ? [long, argChoices?.[0] ?? "1"] : [long];
      const operands = registeredArguments.map(() => "x");
      const { code, stderr } = await run(...name.split(" "), ...given, ...given, ...operands);
      expect({ name, long, code, stderr }).toEqual({
        name,
        long,
        code: EXIT.usage,
        stderr: expect.stringMatching(/^error: /),
      });
    }
  }
}, 60_000);

test.each([
  ["of a service", ["coverage"]],
  ["of a sample", ["sample"]],
  ["of a folder", ["coverage", "rows"]],
  ["of a question", ["movers", "rows", "--only", "drop,rise"]],
])("a comma list means the same as a repeated flag: %s", async (_, args) => {
  const list = await run(...args, "--retailer", "acme,bolt", "-f", "csv");
  const repeated = await run(...args, "--retailer", "bolt", "--retailer", "acme", "-f", "csv");
  expect(list).toEqual(repeated);
  expect(list.code).toBe(EXIT.ok);
});

test.each([
  ["coverage", "rows"],
  ["history", "lamp-1", "rows"],
  ["report", "rows"],
])("--no-clobber keeps the file of --html, and then nothing else is written: %s", async (...args) => {
  const own = await temporaryFolder();
  const page = join(own, "page.html");
  await writeFile(page, "mine");
  const format = args.includes("report") ? "json" : "csv";
  for (const other of [[], ["-f", format], ["-o", join(own, `rows.${format}`)]]) {
    expect(await run(...args, "--html", page, "--no-clobber", ...other)).toMatchObject({
      code: EXIT.failure,
      stdout: "",
      stderr: expect.stringContaining("page.html already exists"),
    });
  }
  expect({ files: await readdir(own), content: await readFile(page, "utf8") }).toEqual({
    files: ["page.html"],
    content: "mine",
  });
});

const outputOf = onceEach(run);

async function rowsOf(...args: readonly string[]): Promise<Record<string, unknown>[]> {
  const { code, stdout } = await outputOf(...args);
  expect(code).toBe(EXIT.ok);
  return recordsOf(stdout);
}

describe.each(CALLS)("catalog %s", (line, args) => {
  const has = (flag: string) =>
    !Object.entries(LACKING).some(([name, { flags }]) => line.startsWith(name) && flags.includes(flag));

  test("writes the same rows as ndjson by default and as JSON with -o -, ordered by --sort", async () => {
    const rows = await rowsOf(...args);
    expect(rows.length).toBeGreaterThan(1);
    const [column = ""] = Object.keys(rows[0] ?? {});
    const sort = has("--sort") ? ["--sort", column] : [];
    const { code, stdout } = await run(...args, ...sort, "-f", "json", "-o", "-");
    const written = JSON.parse(stdout) as typeof rows;
    expect({ code, written: new Set(written) }).toEqual({ code: EXIT.ok, written: new Set(rows) });
    const values = rows.map((row) => row[column]);
    expect(written.map((row) => row[column])).toEqual(has("--sort") ? values.toSorted() : values);
  });

  test("writes all columns as CSV; -n writes the first rows, and :desc sorts the other way", async () => {
    const rows = await rowsOf(...args);
    const [column = ""] = Object.keys(rows[0] ?? {});
    const flags = [...(has("--sort") ? ["--sort", `${column}:desc`] : []), ...(has("--limit") ? ["-n", "1"] : [])];
    const { code, stdout } = await run(...args, ...flags, "-f", "csv");
    const [header, first = "", ...others] = stdout.split("\r\n");
    const count = has("--limit") ? 1 : rows.length;
    expect({ code, header, otherCount: others.length }).toEqual({
      code: EXIT.ok,
      header: Object.keys(rows[0] ?? {}).join(","),
      otherCount: count,
    });
    const values = rows.map((row) => row[column]);
    const firstValue = has("--sort") ? values.toSorted().at(-1) : values[0];
    expect(first.startsWith(`${firstValue},`)).toBe(true);
  });

  test("has no colour with NO_COLOR on a terminal, and the chosen columns in their order", async () => {
    const names = Object.keys((await rowsOf(...args))[0] ?? {});
    const chosen = [names[1], names[0]].join();
    const columns = has("--columns") ? ["--columns", chosen] : [];
    const format = args[0] === "export" ? "tsv" : "table";
    const words = [...args, ...columns, "-f", format, "--no-progress"];
    const { code, stdout } = await runIn({ columns: 200, env: { NO_COLOR: "1" } }, ...words);
    expect({ code, isColoured: stdout.includes("\u001b[") }).toEqual({ code: EXIT.ok, isColoured: false });
    const headings = stdout.split("\n").map((row) => row.trim().split(/\t| +/).join());
    expect(headings).toContain(has("--columns") ? chosen : names.join());
  });

  test("names a file that it cannot write, with exit code 1", async () => {
    expect(await run(...args, "-o", "./none/rows.csv")).toMatchObject({
      code: EXIT.failure,
      stderr: expect.stringMatching(/^error: .*none/),
    });
  });

  test("refuses wrong formats, endings, columns and numbers with exit code 2", async () => {
    const [one = "", other = ""] = Object.keys((await rowsOf(...args))[0] ?? {});
    for (const wrong of [
      ...[["-f", "yaml"], ["-f", "csv", "-o", "./a.ndjson"], ["-o", "./a.docx"], ["--no-clobber"]],
      ...(has("--columns") ? ["nope", "", `${one},${other},${one}`].map((names) => ["--columns", names]) : []),
      ...(has("--limit") ? ["0", "x", "1.5"].map((number) => ["-n", number]) : []),
      ...(has("--sort") ? [["--sort", "nope"]] : []),
    ]) {
      const { code, stdout } = await run(...args, ...wrong);
      expect({ wrong, code, stdout }).toEqual({ wrong, code: EXIT.usage, stdout: "" });
    }
  });
});
