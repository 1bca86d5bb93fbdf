import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { EXIT, InterruptedError } from "../../src/contract/errors.ts";
import { addDays } from "../../src/contract/values/day-arithmetic.ts";
import { StoreUnavailableError } from "../../src/service/store/store-types.ts";
import { bareEnvironment, CATALOG, startCatalog, temporaryFolder } from "../helpers/cli.ts";
import { afterAllTests } from "../helpers/endings.ts";
import { gate } from "../helpers/gate.ts";
import { runInProcess } from "../helpers/in-process.ts";
import { product, products } from "../helpers/products.ts";
import { startTestService, type TestServiceOptions } from "../helpers/service.ts";

const ROWS = ["chairs", "lamps", "tables"].flatMap((category) => products(40, { category }));

/** What happens before the service answers with a page, counted from 1. */
type BeforePage = (page: number) => Promise<void> | void;

const onEnd = afterAllTests();

async function service(beforePage: BeforePage = () => {}, options: TestServiceOptions = {}) {
  let pages = 0;
  const running = await startTestService({
    rows: ROWS,
    faults: (store) => ({
      page: async (...given) => {
        pages += 1;
        await beforePage(pages);
        return store.page(...given);
      },
    }),
    ...options,
  });
  return {
    key: running.key,
    pages: () => pages,
    env: { CATALOG_BASE_URL: running.url, CATALOG_API_KEY: running.key },
  };
}

/** Responses that come only after `opened` and are asked for before it when `met` resolves. */
function gateAt(gated: number) {
  const met = gate();
  const opened = gate();
  const beforePage: BeforePage = (page) => {
    if (page < gated) {
      return;
    }
    met.open();
    return opened.passed;
  };
  onTestFinished(opened.open);
  return { beforePage, met: met.passed, open: opened.open };
}

describe("an export to stdout", () => {
  test("ends quietly when its reader stops, and sends few further requests", async () => {
    const days = Array.from({ length: 100 }, (_, day) => products(20, { crawl_date: addDays("2026-01-01", day) }));
    const { env, pages } = await service(undefined, { rows: days.flat() });
    const child = startCatalog(["export", "--page-size", "10", "--concurrency", "1"], { env });
    let stderr = "";
    child.stderr?.on("data", (text) => {
      stderr += text;
    });
    child.stdout?.once("data", () => child.stdout?.destroy());
    expect([...(await once(child, "close")), stderr]).toEqual([EXIT.ok, null, ""]);
    expect(pages()).toBeLessThan(100);
  });

  test("is complete if stdin is closed", async () => {
    const { env } = await service();
    const command = [process.execPath, CATALOG, "export"];
    const { stdout, stderr } = await promisify(execFile)("sh", ["-c", 'exec "$0" "$@" <&-', ...command], {
      env: { ...bareEnvironment(), ...env },
    });
    expect({ stdoutLines: stdout.split("\n").length - 1, stderr }).toEqual({ stdoutLines: ROWS.length, stderr: "" });
  });

  /** Responds with one page that is larger than a pipe: its write is under way until somebody reads. */
  let largePage: Awaited<ReturnType<typeof service>>;
  beforeAll(async () => {
    largePage = await service(undefined, { rows: products(500, { title: "x".repeat(4_000) }), onEnd });
  });

  test.each([
    ["SIGINT", EXIT.interrupted],
    ["SIGTERM", EXIT.terminated],
  ] as const)("ends at %s if its reader does not read", async (signal, expected) => {
    const { env } = largePage;
    const child = startCatalog(["export"], { env });
    const ended = once(child, "exit");
    await once(child.stdout ?? child, "readable");
    child.kill(signal);
    expect(await ended).toEqual([expected, null]);
  });

  test("ends at --max-time if its reader does not read", async () => {
    const { env } = largePage;
    const child = startCatalog(["export", "--max-time", "1s"], { env });
    expect(await once(child, "exit")).toEqual([EXIT.unavailable, null]);
  });
});

describe("an export to a file", () => {
  test("begins with the same rows, whatever --max-rows is", async () => {
    const categories = Array.from({ length: 20 }, (_, index) => products(5, { category: `category-${index}` }));
    const { env } = await service(undefined, { rows: categories.flat() });
    const [all, three] = [
      await runInProcess(["export"], { env }),
      await runInProcess(["export", "--max-rows", "3"], { env }),
    ];
    expect(three.stdout).toBe(
      all.stdout
        .split(/(?<=\n)/)
        .slice(0, 3)
        .join(""),
    );
  });

  test.each(["--manifest", "--resume"])("refuses %s for an output that is no file", async (flag) => {
    const { env } = await service();
    for (const output of ["-", "/dev/stdout", "/dev/null"]) {
      expect(await runInProcess(["export", "-f", "csv", "-o", output, flag], { env })).toMatchObject({
        code: EXIT.usage,
        stderr: expect.stringContaining(flag),
      });
    }
  });

  test("leaves an existing file untouched until it is complete", async () => {
    const cwd = await temporaryFolder();
    const target = join(cwd, "rows.ndjson");
    await writeFile(target, "of before");
    const { beforePage, met, open } = gateAt(4);
    const { env } = await service(beforePage);
    const args = ["export", "--page-size", "20", "--concurrency", "1", "-o", "./rows.ndjson"];
    const ended = runInProcess(args, { cwd, env });
    await met;
    const before = [await readFile(target, "utf8"), (await readdir(cwd)).includes("rows.ndjson.partial")];
    open();
    const { code } = await ended;
    expect({
      before,
      code,
      contentLines: (await readFile(target, "utf8")).split("\n").length - 1,
      files: await readdir(cwd),
    }).toEqual({ before: ["of before", true], code: EXIT.ok, contentLines: ROWS.length, files: ["rows.ndjson"] });
  });

  test("that fails and leaves a partial file is one line of JSON with --error-format json", async () => {
    const cwd = await temporaryFolder();
    const { env } = await service((page) => {
      if (page > 3) {
        throw new StoreUnavailableError("gone");
      }
    });
    const flags = ["--page-size", "20", "--concurrency", "1", "--retries", "0", "--error-format", "json"];
    const { code, stdout, stderr } = await runInProcess(["export", "-o", "./rows.ndjson", ...flags], { cwd, env });
    expect({
      code,
      stdout,
      stderrLines: stderr.split("\n").length,
      stderr: JSON.parse(stderr),
      files: await readdir(cwd),
    }).toEqual({
      code: EXIT.unavailable,
      stdout: "",
      stderrLines: 2,
      stderr: expect.objectContaining({ code: "service_unavailable", exit_code: EXIT.unavailable }),
      files: ["rows.ndjson.partial.json", "rows.ndjson.partial.pages"],
    });
  });

  test("reports that its folder is gone, and not that a partial file was kept", async () => {
    const cwd = await temporaryFolder();
    await mkdir(join(cwd, "gone"));
    const { beforePage, met, open } = gateAt(4);
    const { env } = await service(beforePage);
    const args = ["export", "--page-size", "20", "--concurrency", "1", "-o", "./gone/rows.csv"];
    const ended = runInProcess(args, { cwd, env });
    await met;
    // At once, where a removal file by file would meet those that are still being made.
    await rename(join(cwd, "gone"), join(cwd, "moved"));
    open();
    const { code, stderr } = await ended;
    expect({ code, stderr, files: await readdir(cwd) }).toEqual({
      code: EXIT.failure,
      stderr: expect.stringMatching(/^error: gone\/rows\.csv: no such file or folder\n$/),
      files: ["moved"],
    });
  });

  test("that is interrupted is one line of JSON with --error-format json", async () => {
    const cwd = await temporaryFolder();
    const { beforePage, met } = gateAt(4);
    const { env } = await service(beforePage);
    const flags = ["--page-size", "20", "--concurrency", "1", "--error-format", "json"];
    const stop = new AbortController();
    const ended = runInProcess(["export", "-o", "./rows.ndjson", ...flags], { cwd, env, signal: stop.signal });
    await met;
    stop.abort(new InterruptedError("SIGINT"));
    const { code, stderr } = await ended;
    expect({ code, stderrLines: stderr.split("\n").length, stderr: JSON.parse(stderr) }).toEqual({
      code: EXIT.interrupted,
      stderrLines: 2,
      stderr: expect.objectContaining({ exit_code: EXIT.interrupted }),
    });
  });
});

describe("the stderr of an export", () => {
  test("consists of whole lines with --progress plain", async () => {
    const { beforePage, met, open } = gateAt(2);
    const { env } = await service(beforePage);
    let time = Date.UTC(2026, 0, 1);
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const args = ["export", "--page-size", "20", "--concurrency", "1", "--progress", "plain"];
    const ended = runInProcess(args, { env, now: () => time });
    await met;
    time += 10_000;
    vi.advanceTimersByTime(10_000);
    open();
    expect(await ended).toMatchObject({
      code: EXIT.ok,
      stderr: expect.stringMatching(/^00:00:10Z \d+ of 120 rows · \P{Cc}*\n00:00:10Z done: 120 rows in 10 s\n$/u),
    });
  });

  test("lists each request once with --verbose, and never the key", async () => {
    const { env, key, pages } = await service();
    const { code, stderr } = await runInProcess(["export", "--page-size", "20", "--verbose"], { env });
    const lines = stderr.trimEnd().split("\n");
    const line = /^GET \/v1\/(coverage|catalog\?\S+) 200 in \d+ ms, [\d,]+ bytes \S+$/;
    expect({
      code,
      lineCount: lines.length,
      lines: lines.filter((text) => !line.test(text)),
      distinct: new Set(lines).size,
    }).toEqual({ code: EXIT.ok, lineCount: pages() + 1, lines: [], distinct: lines.length });
    expect(stderr).not.toContain(key);
  });

  test("lists the one request of a refused key with --verbose, and never the key", async () => {
    const { env } = await service();
    const key = "unknown-".padEnd(43, "k");
    const { code, stdout, stderr } = await runInProcess(["export", "--verbose"], {
      env: { ...env, CATALOG_API_KEY: key },
    });
    expect({ code, stdout, matches: stderr.match(/^GET .*/gm) }).toEqual({
      code: EXIT.credentials,
      stdout: "",
      matches: [expect.stringMatching(/^GET \/v1\/coverage 401 in \d+ ms/)],
    });
    expect(stderr).not.toContain(key);
    expect(stderr).not.toContain(key.slice(0, 10));
  });

  test.each([
    [[], /^warning: rows have a member "seller", which csv leaves out; ndjson keeps it\n$/],
    [
      ["--error-format", "json"],
      /^\{"warning":"rows have a member \\"seller\\", which csv leaves out; ndjson keeps it"\}\n$/,
    ],
    [["--quiet"], /^$/],
  ])("for a warning with %j is %s", async (flags, expected) => {
    const row = JSON.stringify({ ...product(), seller: "somebody" });
    const { env } = await service(undefined, { rows: [row] });
    expect(await runInProcess(["export", "-f", "csv", ...flags], { env })).toMatchObject({
      code: EXIT.ok,
      stderr: expect.stringMatching(expected),
    });
  });
});
