import { cp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EXIT } from "../../src/errors.ts";
import { readJournal } from "../../src/export/journal.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { changeHead, type Interruptible, interruptible, startInterruptibleService } from "../helpers/interruption.ts";
import { products } from "../helpers/products.ts";

const ROWS = Array.from({ length: 5 }, (_, index) => products(30, { category: `category-${index}` })).flat();

/** 15 pages in slices of three. */
const ARGS = ["--page-size", "10", "--concurrency", "4"];
const PAGES = 15;
const PAGES_OF_SLICE = 3;
/** The first page of each slice is requested again at its end. */
const REPEATS = PAGES / PAGES_OF_SLICE;

const SUFFIXES = [".partial", ".partial.json", ".partial.spool"];

const onEnd = afterAllTests();
const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

const service = once(() => startInterruptibleService({ rows: ROWS, onEnd }));

/** The bytes of rows.csv when nothing interrupts its export. */
const wholeFile = once(async () => {
  const rows = await interruptible("rows.csv", ARGS, await service());
  const { code } = await rows.run();
  expect([code, rows.pages()]).toEqual([EXIT.ok, PAGES]);
  expect(rows.repeats()).toBeLessThanOrEqual(REPEATS);
  return readFile(join(rows.cwd, "rows.csv"));
});

/** Pages that an export had got when it crashed. */
const CRASHED_AFTER = 11;

/** The folder of that export. */
const crashedFolder = once(async () => {
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
    expect([code, stderr, rows.pages()]).toEqual([EXIT.ok, "", PAGES]);
    expect(rows.repeats()).toBeLessThanOrEqual(REPEATS);
    await expectWhole(rows);
    const kept = expect.stringContaining(
      "rows.csv.partial keeps what was written; repeat the command with --resume to continue",
    );
    expect([killed, interrupted, terminated]).toEqual([
      { code: null, signal: "SIGKILL", stderr: "" },
      { code: EXIT.interrupted, signal: null, stderr: kept },
      { code: EXIT.terminated, signal: null, stderr: kept },
    ]);
  });

  test("asks for no page again if the spool has hardly any room", async () => {
    const rows = await exporting();
    await rows.crash(6, "--resume", "--spool-limit", "1KiB");
    const { code } = await rows.run("--resume", "--spool-limit", "1B");
    expect([code, rows.pages()]).toEqual([EXIT.ok, PAGES]);
    expect(rows.repeats()).toBeLessThanOrEqual(REPEATS);
    await expectWhole(rows);
  });

  test.each([
    [["--retailer", "acme"], 'the filters of the interrupted export: {}, now: {"retailer":'],
    [["--columns", "sku"], 'the columns of the interrupted export: null, now: ["sku"]'],
    [["--format", "tsv"], 'the format of the interrupted export: "csv", now: "tsv"'],
    [["--compress", "gzip"], 'the compression of the interrupted export: null, now: "gzip"'],
    [["--max-rows", "7"], "--max-rows of the interrupted export: null, now: 7"],
  ])("starts over with %j and says why", async (flags, message) => {
    const rows = await crashedExport();
    const { code, stderr } = await rows.run("--resume", ...flags);
    expect([code, stderr.replace(/\s+/g, " ")]).toEqual([
      EXIT.ok,
      expect.stringContaining(`the export starts over, since --resume cannot continue another export: ${message}`),
    ]);
    expect(await readdir(rows.cwd)).toEqual(["rows.csv"]);
  });

  test.each([
    [
      "of another service",
      { service: "https://other.example/" },
      'the service of the interrupted export: "https://other',
    ],
    ["of another version", { version: 99 }, "without a journal that this version of catalog understands"],
  ])("starts over if the journal is %s, and says so", async (_, changes, message) => {
    const rows = await crashedExport();
    await changeHead(rows.at(), changes);
    const { code, stderr } = await rows.run("--resume");
    expect([code, stderr.replace(/\s+/g, " ")]).toEqual([EXIT.ok, expect.stringContaining(message)]);
    await expectWhole(rows);
  });

  test.each(SUFFIXES)(
    "makes the right file if a bit of FILE%s was flipped, and says what it reads again",
    async (suffix) => {
      const rows = await crashedExport();
      const left = await Promise.all(SUFFIXES.map((name) => readFile(rows.at(name))));
      // What the file has beyond the last slice of the journal is cut off in any case, damaged or not.
      const journaled = (await readJournal(rows.at(".partial.json")))?.slices.at(-1)?.bytes ?? 0;
      const size = suffix === ".partial" ? journaled : (left[SUFFIXES.indexOf(suffix)]?.length ?? 0);
      expect(size).toBeGreaterThan(1_000);
      for (let part = 0; part < 4; part += 1) {
        await Promise.all(SUFFIXES.map((name, index) => writeFile(rows.at(name), left[index] ?? "")));
        const bytes = Buffer.from(left[SUFFIXES.indexOf(suffix)] ?? "");
        const place = Math.floor((size * (part + 0.5)) / 4);
        bytes[place] = (bytes[place] ?? 0) ^ (1 << part);
        await writeFile(rows.at(suffix), bytes);
        const { code, stderr } = await rows.run("--resume");
        expect([code, stderr]).toEqual([
          EXIT.ok,
          // Harmless: room of the spool that no page has any more, and what follows the last whole slice of the file.
          expect.stringMatching(suffix === ".partial.json" ? /read\s+again/ : /^$|read\s+again/),
        ]);
        await expectWhole(rows);
      }
    },
  );

  test.each([
    [".partial", "rows.csv.partial is damaged"],
    [".partial.spool", "rows.csv.partial.spool is damaged or missing"],
    [".partial.json", "without a journal that this version of catalog understands; the export starts over"],
  ])("makes the right file if FILE%s is missing or cut, and says so", async (suffix, message) => {
    const rows = await crashedExport();
    await truncate(rows.at(suffix), 3);
    const { code, stderr } = await rows.run("--resume");
    expect([code, stderr.replace(/\s+/g, " ")]).toEqual([EXIT.ok, expect.stringContaining(message)]);
    await expectWhole(rows);
    const other = await crashedExport();
    await rm(other.at(suffix));
    expect((await other.run("--resume")).code).toBe(EXIT.ok);
    await expectWhole(other);
  });

  test("reads again only the damaged part of the file and what follows", async () => {
    const rows = await crashedExport();
    const bytes = await readFile(rows.at(".partial"));
    bytes[bytes.length - 10] = 0;
    await writeFile(rows.at(".partial"), bytes);
    expect((await rows.run("--resume")).code).toBe(EXIT.ok);
    expect(rows.pages()).toBeLessThanOrEqual(PAGES - CRASHED_AFTER + PAGES_OF_SLICE);
    await expectWhole(rows);
  });
});

describe("an export without --resume", () => {
  test.each([[[]], [["--resume", "--fresh"]]])("with %j starts over after a crash, and says so", async (flags) => {
    const rows = await crashedExport();
    const { code, stderr } = await rows.run(...flags);
    expect([code, stderr.replace(/\s+/g, " "), rows.pages()]).toEqual([
      EXIT.ok,
      expect.stringMatching(/rows\.csv\.partial was left by an interrupted run; the export starts over/),
      PAGES,
    ]);
    await expectWhole(rows);
  });

  test("starts over if the file is already in its place and only the journal is left", async () => {
    const rows = await crashedExport();
    await rm(rows.at(".partial"));
    await writeFile(rows.at(), "old");
    const { code, stderr } = await rows.run();
    expect([code, stderr]).toEqual([EXIT.ok, ""]);
    await expectWhole(rows);
  });
});
