import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { EXIT } from "../../src/errors.ts";
import { bareEnvironment, CATALOG, temporaryFolder } from "../helpers/cli.ts";
import { interruptible, startInterruptibleService } from "../helpers/interruption.ts";
import { products } from "../helpers/products.ts";

/** One page after the other takes longer than the pause between two syncs. */
const ROWS = products(3_000);
const FLAGS = ["--page-size", "10", "--concurrency", "1", "--manifest"];

/** A system call on files of the folder of an export, by the names of these. */
interface Call {
  name: string;
  files: string[];
  /** Lines of the record where it begins and ends. */
  begin: number;
  end: number;
}

const TRACED = "openat,write,pwrite64,fsync,fdatasync,rename,link,unlink,ftruncate";

/** The calls in what `strace -f -y` recorded. @param cwd the folder; its own name is `.` */
function callsIn(text: string, cwd: string): Call[] {
  const open = new Map<string, Call>();
  const calls: Call[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    const [, pid = "", name = "", rest = ""] = /^(\d+) +(?:<\.\.\. )?(\w+)(.*)$/.exec(line) ?? [];
    const resumed = line.includes(`<... ${name} resumed>`) ? open.get(pid) : undefined;
    if (resumed !== undefined) {
      resumed.end = index;
      continue;
    }
    const paths = rest.match(/(?<=[<"])\/[^">]*(?=[">])/g) ?? [];
    const files = paths.filter((path) => path.startsWith(cwd)).map((path) => path.slice(cwd.length + 1) || ".");
    if (files.length > 0 && !rest.includes("= -1")) {
      const call = { name, files, begin: index, end: line.includes("<unfinished") ? Number.POSITIVE_INFINITY : index };
      calls.push(call);
      open.set(pid, call);
    }
  }
  return calls;
}

async function traced(interruptAfter?: number): Promise<Call[]> {
  const service = await startInterruptibleService({ rows: ROWS });
  const { cwd } = await interruptible("rows.csv", FLAGS, service);
  service.answerOnly(interruptAfter ?? Number.POSITIVE_INFINITY);
  const record = join(await temporaryFolder(), "calls");
  const strace = ["-f", "-y", "-e", `trace=${TRACED}`, "-o", record];
  const command = [process.execPath, CATALOG, "export", "-o", "rows.csv", ...FLAGS];
  const child = spawn("strace", [...strace, ...command], { cwd, env: { ...bareEnvironment(), ...service.env } });
  const ended = once(child, "close");
  if (interruptAfter !== undefined) {
    while (!service.isStalled()) {
      await setTimeout(10);
    }
    const { pid } = JSON.parse(await readFile(join(cwd, "rows.csv.partial.lock"), "utf8")) as { pid: number };
    process.kill(pid, "SIGTERM");
  }
  const [code] = await ended;
  expect(code).toBe(interruptAfter === undefined ? EXIT.ok : EXIT.terminated);
  return callsIn(await readFile(record, "utf8"), cwd);
}

const WRITES = ["write", "pwrite64", "ftruncate"];
const SYNCS = ["fsync", "fdatasync"];

function on(calls: readonly Call[], names: readonly string[], file: string): Call[] {
  return calls.filter(({ name, files }) => names.includes(name) && files.includes(file));
}

/** Whether each of the calls is there and begins after the one before it has ended. */
function areInOrder(...steps: readonly (Call | undefined)[]): boolean {
  return steps.every((step, index) => {
    const before = steps[index - 1];
    return step !== undefined && (index === 0 || (before !== undefined && before.end < step.begin));
  });
}

/** The first of the calls that begins after another one has ended. */
function next(calls: readonly Call[], after: Call | undefined): Call | undefined {
  return calls.find(({ begin }) => after !== undefined && begin > after.end);
}

const [PARTIAL, LINES, PAGES, LOCK] = ["", ".json", ".pages", ".lock"].map((end) => `rows.csv.partial${end}`) as [
  string,
  string,
  string,
  string,
];
const MANIFEST = "rows.csv.manifest.json";

/** Each line on disk describes pages that were on disk before. */
function expectPagesBeforeLines(calls: readonly Call[], least: number): void {
  const syncsOfLines = on(calls, SYNCS, LINES);
  expect(syncsOfLines.length).toBeGreaterThanOrEqual(least);
  for (const sync of syncsOfLines) {
    const line = on(calls, WRITES, LINES).findLast(({ end }) => end < sync.begin);
    const page = on(calls, WRITES, PAGES).findLast(({ end }) => line !== undefined && end < line.begin);
    const synced = on(calls, SYNCS, PAGES).find(
      ({ begin, end }) => page !== undefined && begin > page.end && end < sync.begin,
    );
    expect(page === undefined || synced !== undefined).toBe(true);
  }
}

describe.skipIf(process.platform !== "linux")("the system calls of an export", () => {
  test("put data on disk before what describes them, and the output before its name", async () => {
    const calls = await traced();
    const folderSyncs = on(calls, SYNCS, ".");
    expectPagesBeforeLines(calls, 2);

    const created = on(calls, ["openat"], PAGES)[0];
    expect(areInOrder(created, next(folderSyncs, created), on(calls, WRITES, PAGES)[0])).toBe(true);

    const placed = on(calls, ["rename", "link"], PARTIAL)[0];
    expect(areInOrder(on(calls, WRITES, PARTIAL).at(-1), on(calls, SYNCS, PARTIAL).at(-1), placed)).toBe(true);

    const named = on(calls, ["rename"], MANIFEST)[0];
    const draft = `${MANIFEST}.new`;
    const written = on(calls, WRITES, draft);
    expect(areInOrder(placed, next(folderSyncs, placed), written[0])).toBe(true);
    expect(areInOrder(written.at(-1), on(calls, SYNCS, draft).at(-1), named)).toBe(true);

    const [lines, pages] = [LINES, PAGES].map((file) => on(calls, ["unlink"], file)[0]);
    expect(areInOrder(named, next(folderSyncs, named), lines, pages)).toBe(true);
    expect(areInOrder(pages, next(folderSyncs, pages), on(calls, ["unlink"], LOCK)[0])).toBe(true);
  });

  test("put everything that was read on disk when it is interrupted, before the lock goes", async () => {
    const calls = await traced(40);
    expectPagesBeforeLines(calls, 1);
    const last = (names: readonly string[], file: string) => on(calls, names, file).at(-1);
    expect(areInOrder(last(WRITES, LINES), last(SYNCS, PAGES), last(SYNCS, LINES), last(["unlink"], LOCK))).toBe(true);
    expect(areInOrder(last(WRITES, PAGES), last(SYNCS, PAGES))).toBe(true);
    expect(on(calls, ["unlink"], PAGES)).toEqual([]);
  });
});
