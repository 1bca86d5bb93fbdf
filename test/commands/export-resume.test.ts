import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { EXIT } from "../../src/errors.ts";
import { readJournal } from "../../src/export/journal.ts";
import { startCatalog, temporaryFolder } from "../helpers/cli.ts";
import { stallBeforeHeaders, startFaultServer } from "../helpers/fault-server.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { changeHead, type Interruptible, interruptible } from "../helpers/interruption.ts";
import { products } from "../helpers/products.ts";
import { startTestService } from "../helpers/service.ts";

const ROWS = Array.from({ length: 10 }, (_, index) => products(40, { category: `category-${index}` })).flat();

/** 80 pages in slices of eight. */
const ARGS = ["--page-size", "5", "--concurrency", "4"];
const PAGES = 80;
const PAGES_OF_SLICE = 8;

let undisturbed: Promise<Buffer> | undefined;

/** The bytes of rows.csv when nothing interrupts its export. */
async function wholeFile(): Promise<Buffer> {
  const rows = await interruptible("rows.csv", ARGS, { rows: ROWS });
  const { code } = await rows.run();
  expect([code, rows.pages()]).toEqual([EXIT.ok, PAGES]);
  return readFile(join(rows.cwd, "rows.csv"));
}

/** An export to rows.csv, what it gives when nothing interrupts it, and the paths of what is beside it. */
async function exporting() {
  undisturbed ??= wholeFile();
  const whole = await undisturbed;
  const rows = await interruptible("rows.csv", ARGS, { rows: ROWS });
  return { ...rows, whole, at: (suffix = "") => join(rows.cwd, `rows.csv${suffix}`) };
}

async function expectWhole({
  cwd,
  at,
  whole,
  name,
}: Interruptible & { at: (suffix?: string) => string; whole: Buffer }) {
  expect(await readFile(at())).toEqual(whole);
  expect(await readdir(cwd)).toEqual([name]);
}

describe("an export with --resume", () => {
  test.each(["SIGKILL", "SIGINT", "SIGTERM"] as const)(
    "asks for no page again that was answered before %s, whatever its turn",
    async (signal) => {
      const rows = await exporting();
      const ends = [];
      for (const pages of [1, 7, 30]) {
        ends.push(await rows.interrupt(signal, pages, "--resume"));
      }
      const { code, stderr } = await rows.run("--resume");
      expect([code, stderr, rows.pages()]).toEqual([EXIT.ok, "", PAGES]);
      await expectWhole(rows);
      const code130 = { SIGKILL: null, SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated }[signal];
      expect(ends.map((end) => [end.code, end.signal])).toEqual(
        Array(3).fill([code130, code130 === null ? signal : null]),
      );
      for (const end of ends) {
        expect(end.stderr).toContain(
          signal === "SIGKILL"
            ? ""
            : "rows.csv.partial keeps what was written; repeat the command with --resume to continue",
        );
      }
    },
  );

  test("asks for no page again although there is hardly room for pages that wait", async () => {
    const rows = await exporting();
    await rows.interrupt("SIGKILL", 9, "--resume", "--spool-limit", "1KiB");
    const { code } = await rows.run("--resume", "--spool-limit", "1B");
    expect([code, rows.pages()]).toEqual([EXIT.ok, PAGES]);
    await expectWhole(rows);
  });

  test.each([
    [["--retailer", "acme"], 'the filters of the interrupted export: {}, now: {"retailer":'],
    [["--columns", "sku"], 'the columns of the interrupted export: null, now: ["sku"]'],
    [["--format", "tsv"], 'the format of the interrupted export: "csv", now: "tsv"'],
    [["--compress", "gzip"], 'the compression of the interrupted export: null, now: "gzip"'],
    [["--max-rows", "7"], "--max-rows of the interrupted export: null, now: 7"],
  ])("starts anew with %j and says why", async (flags, message) => {
    const rows = await exporting();
    await rows.interrupt("SIGKILL", 7);
    const { code, stderr } = await rows.run("--resume", ...flags);
    expect([code, stderr.replace(/\s+/g, " ")]).toEqual([
      EXIT.ok,
      expect.stringContaining(`the export starts anew, since --resume cannot continue another export: ${message}`),
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
  ])("starts anew where the journal is %s, and says so", async (_, changes, message) => {
    const rows = await exporting();
    await rows.interrupt("SIGKILL", 7);
    await changeHead(rows.at(), changes);
    const { code, stderr } = await rows.run("--resume");
    expect([code, stderr.replace(/\s+/g, " ")]).toEqual([EXIT.ok, expect.stringContaining(message)]);
    await expectWhole(rows);
  });

  test.each([".partial", ".partial.json", ".partial.spool"])(
    "makes the right file whichever bit of FILE%s was flipped, and says what it reads again",
    async (suffix) => {
      const rows = await exporting();
      await rows.interrupt("SIGKILL", 40);
      const names = [".partial", ".partial.json", ".partial.spool"];
      const left = await Promise.all(names.map((name) => readFile(rows.at(name))));
      // What the file has beyond the last slice of the journal is cut off in any case, damaged or not.
      const journaled = (await readJournal(rows.at(".partial.json")))?.slices.at(-1)?.bytes ?? 0;
      const size = suffix === ".partial" ? journaled : (left[names.indexOf(suffix)]?.length ?? 0);
      expect(size).toBeGreaterThan(1_000);
      for (let part = 0; part < 4; part += 1) {
        await Promise.all(names.map((name, index) => writeFile(rows.at(name), left[index] ?? "")));
        const bytes = Buffer.from(left[names.indexOf(suffix)] ?? "");
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
    60_000,
  );

  test.each([
    [".partial", "rows.csv.partial is damaged"],
    [".partial.spool", "rows.csv.partial.spool is damaged or missing"],
    [".partial.json", "without a journal that this version of catalog understands; the export starts anew"],
  ])("makes the right file where FILE%s is gone or cut, and says so", async (suffix, message) => {
    const rows = await exporting();
    await rows.interrupt("SIGKILL", 40);
    await truncate(rows.at(suffix), 3);
    const { code, stderr } = await rows.run("--resume");
    expect([code, stderr.replace(/\s+/g, " ")]).toEqual([EXIT.ok, expect.stringContaining(message)]);
    await expectWhole(rows);
    await rows.interrupt("SIGKILL", 40, "--fresh");
    await rm(rows.at(suffix));
    expect((await rows.run("--resume")).code).toBe(EXIT.ok);
    await expectWhole(rows);
  });

  test("reads again only what a damaged part of the file and the rest need", async () => {
    const rows = await exporting();
    await rows.interrupt("SIGKILL", 40);
    const bytes = await readFile(rows.at(".partial"));
    bytes[bytes.length - 10] = 0;
    await writeFile(rows.at(".partial"), bytes);
    expect((await rows.run("--resume")).code).toBe(EXIT.ok);
    expect(rows.pages()).toBeLessThanOrEqual(PAGES + PAGES_OF_SLICE);
    await expectWhole(rows);
  });
});

describe("an export without --resume", () => {
  test.each([[[]], [["--resume", "--fresh"]]])(
    "with %j takes over what a killed run left and starts anew",
    async (flags) => {
      const rows = await exporting();
      await rows.interrupt("SIGKILL", 7);
      const { code, stderr } = await rows.run(...flags);
      expect([code, stderr.replace(/\s+/g, " "), rows.pages()]).toEqual([
        EXIT.ok,
        expect.stringMatching(/rows\.csv\.partial is left of a run that has ended; the export starts anew/),
        PAGES + 7,
      ]);
      await expectWhole(rows);
    },
  );

  test("begins anew where the file was in its place already and only the journal was left", async () => {
    const rows = await exporting();
    await rows.interrupt("SIGKILL", 7);
    await rm(rows.at(".partial"));
    await writeFile(rows.at(), "old");
    const { code, stderr } = await rows.run();
    expect([code, stderr]).toEqual([EXIT.ok, ""]);
    await expectWhole(rows);
  });
});

describe("an export to a file", () => {
  test.each([
    ["a folder", ".partial", (path: string) => mkdir(path)],
    ["a named pipe", ".partial", (path: string) => promisify(execFile)("mkfifo", [path])],
    ["a symbolic link", ".partial", (path: string) => symlink("victim", path)],
    ["a symbolic link", ".partial.json", (path: string) => symlink("victim", path)],
    ["a symbolic link", ".partial.spool", (path: string) => symlink("victim", path)],
    ["a symbolic link", ".partial.lock", (path: string) => symlink("victim", path)],
  ])(
    "refuses %s at FILE%s and leaves everything as it was",
    async (kind, suffix, make: (path: string) => Promise<unknown>) => {
      const cwd = await temporaryFolder();
      const { url, key } = await startTestService({ rows: products(3) });
      await writeFile(join(cwd, "victim"), "precious");
      await make(join(cwd, `rows.csv${suffix}`));
      const env = { CATALOG_BASE_URL: url, CATALOG_API_KEY: key };
      for (const flags of [[], ["--resume"], ["--fresh"]]) {
        const { code, stderr } = await runInProcess(["export", "-o", "rows.csv", ...flags], { cwd, env });
        expect([code, stderr.replace(/\s+/g, " ")]).toEqual([
          EXIT.failure,
          expect.stringContaining(`rows.csv${suffix} is ${kind}, and catalog needs a file of its own there`),
        ]);
      }
      expect([await readFile(join(cwd, "victim"), "utf8"), await readdir(cwd)]).toEqual([
        "precious",
        [`rows.csv${suffix}`, "victim"],
      ]);
    },
  );

  test("follows no link in the place of the manifest", async () => {
    const rows = await exporting();
    await writeFile(join(rows.cwd, "victim"), "precious");
    await symlink("victim", rows.at(".manifest.json"));
    const { code } = await rows.run("--manifest");
    expect([code, await readFile(join(rows.cwd, "victim"), "utf8")]).toEqual([EXIT.ok, "precious"]);
    expect(JSON.parse(await readFile(rows.at(".manifest.json"), "utf8"))).toMatchObject({ rows: ROWS.length });
  });

  test("refuses a name that is too long for the names beside it", async () => {
    const cwd = await temporaryFolder();
    const { url, key } = await startTestService({ rows: products(3) });
    const env = { CATALOG_BASE_URL: url, CATALOG_API_KEY: key };
    const run = (name: string) => runInProcess(["export", "-o", name], { cwd, env });
    for (const length of [242, 255]) {
      const { code, stderr } = await run(`${"n".repeat(length - 4)}.csv`);
      expect([code, stderr.replace(/\s+/g, "")]).toEqual([EXIT.failure, expect.stringContaining("itmayhave241bytes")]);
    }
    const longest = `${"n".repeat(237)}.csv`;
    const { code, stderr } = await run(longest);
    expect([code, stderr, await readdir(cwd)]).toEqual([EXIT.ok, "", [longest]]);
  });

  test("is refused while a living process writes it, to be tried again", async () => {
    const rows = await exporting();
    let arrived = () => {};
    const asked = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const slow = await startFaultServer(() => {
      arrived();
      return stallBeforeHeaders;
    });
    onTestFinished(() => slow.close());
    const env = { CATALOG_BASE_URL: slow.url.href, CATALOG_API_KEY: "k".repeat(43) };
    const first = startCatalog(["export", "-o", "rows.csv"], { cwd: rows.cwd, env });
    await asked;
    const { code, stderr } = await rows.run("--resume", "--error-format", "json");
    expect([code, JSON.parse(stderr)]).toEqual([
      EXIT.unavailable,
      expect.objectContaining({
        code: "locked",
        retryable: true,
        detail: expect.stringContaining(`is being written by process ${first.pid} on`),
      }),
    ]);
    first.kill("SIGKILL");
    await once(first, "close");
    expect((await rows.run()).code).toBe(EXIT.ok);
    await expectWhole(rows);
  });

  test("of two at once gives a whole file, and who does not write says so", async () => {
    const rows = await exporting();
    await rows.interrupt("SIGKILL", 7);
    const runs = await Promise.all([1, 2, 3].map(() => rows.runProcess("--resume")));
    const refused = runs.filter(({ code }) => code !== EXIT.ok);
    expect(refused.map(({ code, stderr }) => [code, stderr])).toEqual(
      refused.map(() => [EXIT.unavailable, expect.stringContaining("is being written by process")]),
    );
    expect(refused.length).toBeLessThan(3);
    await expectWhole(rows);
  });

  test("does not replace a file with --no-clobber and leaves nothing beside it", async () => {
    const rows = await exporting();
    await writeFile(rows.at(), "of before");
    const { code } = await rows.run("--no-clobber");
    expect([code, await readdir(rows.cwd), await readFile(rows.at(), "utf8")]).toEqual([
      EXIT.failure,
      ["rows.csv"],
      "of before",
    ]);
  });

  test("keeps the file of before where nothing matched and --fail-on-empty asked for rows", async () => {
    const rows = await exporting();
    await writeFile(rows.at(), "of before");
    const { code } = await rows.run("--fail-on-empty", "--date", "1999-01-01");
    expect([code, await readdir(rows.cwd), await readFile(rows.at(), "utf8")]).toEqual([
      EXIT.empty,
      ["rows.csv"],
      "of before",
    ]);
  });
});
