import { cp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { EXIT } from "../../src/contract/errors.ts";
import { readStoreLines, type StoreContent } from "../../src/pull/store/store-lines.ts";
import { loadRows } from "../../src/service/load/load-rows.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { changeHead, type Interruptible, interruptible, startInterruptibleService } from "../helpers/interruption.ts";
import { onceEach } from "../helpers/once-each.ts";
import { products } from "../helpers/products.ts";

const ROWS = Array.from({ length: 5 }, (_, index) => products(30, { category: `category-${index}` })).flat();

/** 15 pages in slices of three. */
const ARGS = ["--page-size", "10", "--concurrency", "4"];
const PAGES = 15;
const PAGES_OF_SLICE = 3;
/** The first page of each slice is requested again at its end. */
const REPEATS = PAGES / PAGES_OF_SLICE;

const SUFFIXES = [".partial.json", ".partial.pages"];

const onEnd = afterAllTests();

const service = onceEach(() => startInterruptibleService({ rows: ROWS, onEnd }));

/** The bytes of rows.csv when nothing interrupts its export. */
const wholeFile = onceEach(async () => {
  const rows = await interruptible("rows.csv", ARGS, await service());
  const { code } = await rows.run();
  expect({ code, pages: rows.pages() }).toEqual({ code: EXIT.ok, pages: PAGES });
  expect(rows.repeats()).toBeLessThanOrEqual(REPEATS);
  return readFile(join(rows.cwd, "rows.csv"));
});

/** Pages that an export had got when it crashed. */
const CRASHED_AFTER = 11;

/** Slices that it had begun: each has a page that is compared before the slice goes on, and perhaps its first one. */
const MOST_SEAMS = 8;

/** The folder of that export. */
const crashedFolder = onceEach(async () => {
  const rows = await interruptible("rows.csv", ARGS, await service(), onEnd);
  await rows.crash(CRASHED_AFTER);
  return rows.cwd;
});

/** An export to rows.csv, what it gives when nothing interrupts it, and the paths of what is beside it. */
async function exporting() {
  const whole = await wholeFile();
  const rows = await interruptible("rows.csv", ARGS, await service());
  return { ...rows, whole, at: (suffix = "") => join(rows.cwd, `rows.csv${suffix}`) };
}

/** The same with what the crash left. The pages before it do not count in `pages`. */
async function crashedExport() {
  const folder = await crashedFolder();
  const rows = await exporting();
  await cp(folder, rows.cwd, { recursive: true });
  return rows;
}

async function expectWhole({
  cwd,
  at,
  whole,
  name,
}: Interruptible & { at: (suffix?: string) => string; whole: Buffer }) {
  expect((await readFile(at())).equals(whole)).toBe(true);
  expect(await readdir(cwd)).toEqual([name]);
}

describe("an export with --resume", () => {
  test("asks for no page again that was answered before SIGKILL, SIGINT or SIGTERM", async () => {
    const rows = await exporting();
    const killed = await rows.interrupt("SIGKILL", 1, "--resume");
    const interrupted = await rows.interrupt("SIGINT", 4, "--resume");
    const terminated = await rows.interrupt("SIGTERM", 5, "--resume");
    const { code, stderr } = await rows.run("--resume");
    expect({ code, stderr, pages: rows.pages() }).toEqual({ code: EXIT.ok, stderr: "", pages: PAGES });
    expect(rows.repeats()).toBeLessThanOrEqual(REPEATS);
    await expectWhole(rows);
    const kept = expect.stringContaining(
      "rows.csv.partial.pages keeps what was read; repeat the command with --resume to continue",
    );
    expect({ killed, interrupted, terminated }).toEqual({
      killed: { code: null, signal: "SIGKILL", stderr: "" },
      interrupted: { code: EXIT.interrupted, signal: null, stderr: kept },
      terminated: { code: EXIT.terminated, signal: null, stderr: kept },
    });
  });

  test.each([[["--columns", "sku"]], [["--excel"]], [["--max-rows", "40"]]])(
    "goes on with the same pages with %j, and asks for none again",
    async (flags) => {
      const fresh = await exporting();
      expect((await fresh.run(...flags)).code).toBe(EXIT.ok);
      const rows = await crashedExport();
      const { code, stderr } = await rows.run("--resume", ...flags);
      expect({ code, stderr }).toEqual({ code: EXIT.ok, stderr: "" });
      expect(rows.pages()).toBeLessThanOrEqual(PAGES - CRASHED_AFTER + MOST_SEAMS);
      expect((await readFile(rows.at())).equals(await readFile(fresh.at()))).toBe(true);
    },
  );

  test.each([
    ["--resume", 1 + PAGES - CRASHED_AFTER],
    ["--fresh", 1 + PAGES],
  ])("and --dry-run counts only the requests that are left: %s sends %i", async (flag, requests) => {
    const rows = await crashedExport();
    const files = await readdir(rows.cwd);
    expect(await rows.run(flag, "--dry-run")).toMatchObject({
      code: EXIT.ok,
      stdout: expect.stringMatching(RegExp(`\\n *150 +3 +${requests} `)),
    });
    expect(await readdir(rows.cwd)).toEqual(files);
  });

  test("refuses a --max-rows that would throw away most of the pages", async () => {
    const rows = await crashedExport();
    for (const flags of [[], ["--dry-run"]]) {
      expect(await rows.run("--resume", "--max-rows", "1", ...flags)).toMatchObject({
        code: EXIT.usage,
        stderr: expect.stringContaining("would throw away 11 pages"),
      });
    }
    expect((await rows.run("--resume")).code).toBe(EXIT.ok);
    await expectWhole(rows);
  });

  test("keeps the page size of the interrupted run, by which --max-rows is judged, too", async () => {
    const rows = await crashedExport();
    const { env, answerOnly } = await service();
    answerOnly(Number.POSITIVE_INFINITY);
    const args = ["export", "-o", "./rows.csv", "--concurrency", "4", "--resume", "--max-rows", "149"];
    const { code, stderr } = await runInProcess(args, { cwd: rows.cwd, env });
    expect({ code, stderr, pages: rows.pages() }).toEqual({ code: EXIT.ok, stderr: "", pages: PAGES - CRASHED_AFTER });
  });

  test("reads a damaged page again even if the pages on disk have enough rows for --max-rows", async () => {
    const [fresh, rows] = [await exporting(), await crashedExport()];
    await fresh.run("--max-rows", "40");
    const pages = await readFile(rows.at(".partial.pages"));
    await writeFile(
      rows.at(".partial.pages"),
      pages.map((byte, index) => (index === 30 ? byte ^ 1 : byte)),
    );
    expect(await rows.run("--resume", "--max-rows", "40")).toMatchObject({
      code: EXIT.ok,
      stderr: expect.stringMatching(/reading\s+them\s+again/),
    });
    expect((await readFile(rows.at())).equals(await readFile(fresh.at()))).toBe(true);
  });

  test.each(SUFFIXES)(
    "makes the right file if a bit of FILE%s was flipped, and reads again what is damaged",
    async (suffix) => {
      const rows = await crashedExport();
      const left = await Promise.all(SUFFIXES.map((name) => readFile(rows.at(name))));
      const own = left[SUFFIXES.indexOf(suffix)] ?? Buffer.of();
      expect(own.length).toBeGreaterThan(1_000);
      for (let part = 0; part < 4; part += 1) {
        await Promise.all(SUFFIXES.map((name, index) => writeFile(rows.at(name), left[index] ?? "")));
        const bytes = Buffer.from(own);
        const place = Math.floor((own.length * (part + 0.5)) / 4);
        bytes[place] = (bytes[place] ?? 0) ^ (1 << part);
        await writeFile(rows.at(suffix), bytes);
        expect(await rows.run("--resume")).toMatchObject({
          code: EXIT.ok,
          stderr: expect.stringMatching(/read\s+again|reading\s+them\s+again/),
        });
        await expectWhole(rows);
      }
    },
  );

  test.each([
    [".partial.pages", /on disk cannot be used/],
    [".partial.json", /rows\.\w+\.partial\.json is cut or damaged at its beginning/],
  ])("makes the right file if FILE%s is missing or cut", async (suffix, message) => {
    const rows = await crashedExport();
    await truncate(rows.at(suffix), 3);
    const { code, stderr } = await rows.run("--resume");
    expect({ code, stderr: stderr.replace(/\s+/g, " ") }).toEqual({
      code: EXIT.ok,
      stderr: expect.stringMatching(message),
    });
    await expectWhole(rows);
    const other = await crashedExport();
    await rm(other.at(suffix));
    expect((await other.run("--resume")).code).toBe(EXIT.ok);
    await expectWhole(other);
  });

  test("keeps no page after a damaged one of the same slice, and all other pages", async () => {
    const rows = await crashedExport();
    const { pages } = (await readStoreLines(rows.at(".partial.json"))) as StoreContent;
    const [first] = [...pages.values()].find(({ length }) => length === PAGES_OF_SLICE) ?? [];
    const bytes = await readFile(rows.at(".partial.pages"));
    bytes[first?.extent.at ?? 0] = 0;
    await writeFile(rows.at(".partial.pages"), bytes);
    expect((await rows.run("--resume")).code).toBe(EXIT.ok);
    expect(rows.pages()).toBeGreaterThanOrEqual(PAGES - CRASHED_AFTER + PAGES_OF_SLICE);
    expect(rows.pages()).toBeLessThanOrEqual(PAGES - CRASHED_AFTER + PAGES_OF_SLICE + MOST_SEAMS);
    await expectWhole(rows);
  });
});

/** The files beside the output, each with its bytes, but for the partial file, which is made from the others. */
async function leftBeside({ cwd }: Interruptible) {
  const names = (await readdir(cwd)).filter((name) => !name.endsWith(".partial")).sort();
  return await Promise.all(names.map(async (name) => [name, await readFile(join(cwd, name), "base64")] as const));
}

describe("with pages of a version of the data in which no row is left, an export with --resume", () => {
  const OTHER_ROWS = ROWS.map((row) => ({ ...row, title: `new ${row.title}` }));

  /** An export that crashed, its service, and the file that it would have given. */
  async function crashedInVersion() {
    const changing = await startInterruptibleService({ rows: ROWS });
    const rows = await interruptible("rows.csv", ARGS, changing);
    await rows.crash(CRASHED_AFTER);
    return { rows, changing, made: async () => (await readFile(join(rows.cwd, "rows.csv"))).toString() };
  }

  test("makes the file of that version, if the service has it", async () => {
    const { rows, changing, made } = await crashedInVersion();
    const lines = OTHER_ROWS.map((row) => Buffer.from(`${JSON.stringify(row)}\n`));
    const source = { name: "rows.ndjson", stream: Readable.from(lines) };
    const { added } = await loadRows(changing.store, source, { replacement: "same-ids" });
    expect(added).toBe(ROWS.length);
    const { code, stderr } = await rows.run("--resume");
    expect({ code, stderr, made: await made() }).toEqual({
      code: EXIT.ok,
      stderr: "",
      made: (await wholeFile()).toString(),
    });
  });

  test("makes the file of the newest version, if the service has no other one, and says so", async () => {
    const { rows, changing, made } = await crashedInVersion();
    await changing.replaceRows(OTHER_ROWS);
    const { code, stderr } = await rows.run("--resume", "--verbose");
    expect({ code, stderr: stderr.replace(/\s+/g, " ") }).toEqual({
      code: EXIT.ok,
      stderr: expect.stringContaining(
        "the service no longer has the version of the data of 11 pages of an earlier run",
      ),
    });
    const text = await made();
    expect({ matchCount: text.match(/new /g)?.length, textLines: text.split("\n").length }).toEqual({
      matchCount: ROWS.length,
      textLines: ROWS.length + 2,
    });
  });
});

describe("pages that an interrupted export left", () => {
  const GO_ON = "catalog export -o rows.csv --page-size 10 --concurrency 4 --resume";

  test.each([
    ["without --resume", [], {}, "an interrupted run left 11 pages for rows.csv;", GO_ON, ""],
    [
      "with other filters",
      ["--resume", "--retailer", "acme"],
      {},
      "11 pages for rows.csv, of other filters;",
      GO_ON,
      " --retailer acme",
    ],
    [
      "of another service",
      ["--resume"],
      { service: "https://other.example/" },
      "11 pages for rows.csv, of https://other.example/;",
      "catalog export -o rows.csv --page-size 10 --concurrency 4 --base-url https://other.example/ --resume",
      "",
    ],
    [
      "of other filters with words",
      ["--resume"],
      { filters: { retailer: "acme", start_date: "2026-01-01" }, asked: { retailer: ["acme"], start_date: "7d" } },
      "11 pages for rows.csv, of other filters;",
      "catalog export -o rows.csv --page-size 10 --concurrency 4 --retailer acme --start-date 2026-01-01 --resume",
      "",
    ],
  ])(
    "are not thrown away by a run %s: it says how to continue and how to start over",
    async (_, flags, changes, message, goOn, more) => {
      const rows = await crashedExport();
      await changeHead(rows.at(), changes);
      const before = await leftBeside(rows);
      const { code, stderr } = await rows.run(...flags);
      const text = stderr.replace(/\s+/g, " ");
      const fresh = `to start over: catalog export -o rows.csv --page-size 10 --concurrency 4${more} --fresh`;
      expect({ code, text }).toEqual({ code: EXIT.usage, text: expect.stringContaining(message) });
      expect(text).toContain(`to continue with them: ${goOn} ${fresh}`);
      expect({ pages: rows.pages(), leftBeside: await leftBeside(rows) }).toEqual({ pages: 0, leftBeside: before });
    },
  );

  test("are offered by command lines that keep the options before the name of the command", async () => {
    const [rows, { env }] = [await crashedExport(), await service()];
    const command = ["--base-url", String(env.CATALOG_BASE_URL), "export", "-o", rows.at(), ...ARGS];
    const { stderr } = await runInProcess(command, { env: { CATALOG_API_KEY: env.CATALOG_API_KEY } });
    expect(stderr).toContain(`to continue with them: catalog ${command.join(" ")} --resume\n`);
    expect(stderr).toContain(`to start over: catalog ${command.join(" ")} --fresh\n`);
  });

  test.each([
    ["of another version", (rows: { at: (suffix: string) => string }) => changeHead(rows.at(""), { version: 2 })],
  ])("%s are not thrown away, but for --fresh", async (_, change) => {
    const rows = await crashedExport();
    await change(rows);
    const before = await leftBeside(rows);
    const { code, stderr } = await rows.run("--resume");
    expect({ code, stderr: stderr.replace(/\s+/g, " "), leftBeside: await leftBeside(rows) }).toEqual({
      code: EXIT.usage,
      stderr: expect.stringMatching(
        /another version of catalog began rows\.csv .* to start over: catalog export .* --fresh/,
      ),
      leftBeside: before,
    });
    expect((await rows.run("--fresh")).code).toBe(EXIT.ok);
    await expectWhole(rows);
  });

  test.each([[["--fresh"]], [["--resume", "--fresh"]]])("are thrown away with %j", async (flags) => {
    const rows = await crashedExport();
    const { code, stderr } = await rows.run(...flags);
    expect({ code, stderr, pages: rows.pages() }).toEqual({ code: EXIT.ok, stderr: "", pages: PAGES });
    await expectWhole(rows);
  });

  test("are thrown away with a word if they are only a few", async () => {
    const rows = await exporting();
    await rows.crash(5);
    expect(await rows.run()).toMatchObject({
      code: EXIT.ok,
      stderr: "warning: an interrupted run left 5 pages; this run starts over\n",
    });
    await expectWhole(rows);
  });
});
