import { clearLine, cursorTo, moveCursor } from "node:readline";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createProgress, type ProgressMode } from "../../../../src/cli/terminal/progress/progress.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"], now: 0 });
});

afterEach(() => {
  vi.useRealTimers();
});

/** A stream that is a terminal to those who write to it. */
function terminal(columns: number): PassThrough & { isTTY: true; columns: number } {
  const stream = new PassThrough();
  return Object.assign(stream, {
    isTTY: true as const,
    columns,
    cursorTo: (x: number) => cursorTo(stream, x),
    moveCursor: (dx: number, dy: number) => moveCursor(stream, dx, dy),
    clearLine: (direction: -1 | 0 | 1) => clearLine(stream, direction),
  });
}

/** The lines that a terminal shows after `written`: text, line ends, back to the first column, erase to the end. */
function screen(written: string): string[] {
  const lines = [""];
  let column = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the terminal's language is made of them
  for (const [token] of written.matchAll(/\x1b\[[?\d;]*[A-Za-z]|\n|[^\x1b\n]+/g)) {
    const line = lines.pop() ?? "";
    if (token === "\n") {
      lines.push(line, "");
      column = 0;
    } else if (token === "\x1b[1G") {
      lines.push(line);
      column = 0;
    } else if (token === "\x1b[0K") {
      lines.push(line.slice(0, column));
    } else if (token.startsWith("\x1b")) {
      lines.push(line);
    } else {
      lines.push(line.slice(0, column) + token + line.slice(column + token.length));
      column += token.length;
    }
  }
  return lines;
}

function writtenTo(stream: PassThrough): string {
  return String(stream.read() ?? "");
}

/** Lets `milliseconds` pass, and what is loaded meanwhile be loaded. */
async function pass(milliseconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
  await vi.dynamicImportSettled();
}

test("a terminal shows one line that is redrawn and removed at the end", async () => {
  const stream = terminal(80);
  const progress = createProgress("auto", { stream, now: Date.now });
  progress.update({ rows: 0, total: 2_000 });
  await pass(2_000);
  progress.update({ rows: 1_000, total: 2_000, endsAt: 5_500 });
  await pass(500);
  const during = writtenTo(stream);
  progress.clear("done");
  const after = during + writtenTo(stream);
  expect(screen(during).map((line) => line.slice(2))).toEqual(["1,000 of 2,000 rows · 50 % · 4 s left · 444 rows/s"]);
  expect(screen(after)).toEqual([""]);
  expect(after.endsWith("\x1b[?25h")).toBe(true);
});

test("work of less than half a second has no line", async () => {
  const stream = terminal(80);
  const progress = createProgress("auto", { stream, now: Date.now });
  progress.update({ doing: "reading the coverage" });
  await pass(499);
  progress.clear();
  await pass(10_000);
  expect(writtenTo(stream)).toBe("");
});

test("before rows are counted the line shows the current step and its duration", async () => {
  const stream = terminal(80);
  const progress = createProgress("auto", { stream, now: Date.now });
  progress.update({ doing: "starting the demo service" });
  await pass(1_000);
  progress.update({ doing: "reading the coverage" });
  await pass(3_250);
  progress.update({ doing: "reading the coverage", waiting: { reason: "to try again", until: 9_250 } });
  await pass(400);
  expect(screen(writtenTo(stream)).map((line) => line.slice(2))).toEqual([
    "reading the coverage · 3 s · waiting 5 s to try again",
  ]);
  progress.clear();
});

test("another line that is written meanwhile stays whole, above the progress", async () => {
  const stream = terminal(80);
  const progress = createProgress("auto", { stream, now: Date.now });
  progress.update({ rows: 5 });
  await pass(500);
  await pass(250);
  stream.write("a note\n");
  await pass(500);
  progress.clear();
  expect(screen(writtenTo(stream))).toEqual(["a note", ""]);
});

test("the line is never wrapped in a narrow terminal", async () => {
  const stream = terminal(20);
  const progress = createProgress("auto", { stream, now: Date.now });
  progress.update({ rows: 1_000_000, total: 2_000_000 });
  await pass(500);
  await pass(250);
  expect(screen(writtenTo(stream)).map((line) => line.slice(2))).toEqual(["1,000,000 of 2,00…"]);
  progress.clear();
});

test("nothing is drawn after other text goes to the terminal", async () => {
  const stream = terminal(80);
  const progress = createProgress("auto", { stream, now: Date.now });
  progress.update({ rows: 5 });
  await pass(500);
  await pass(250);
  progress.giveWay();
  const until = writtenTo(stream);
  progress.update({ rows: 10 });
  await pass(10_000);
  expect({ screen: screen(until), writtenTo: writtenTo(stream) }).toEqual({ screen: [""], writtenTo: "" });
});

test("plain progress is a whole line with the time of day every ten seconds, and one at the end", async () => {
  const stream = new PassThrough();
  const progress = createProgress("plain", { stream, now: Date.now });
  progress.update({ rows: 100, total: 1_000 });
  await pass(9_000);
  progress.update({ rows: 200, total: 1_000, endsAt: 50_000 });
  await pass(1_000);
  progress.update({ rows: 300, total: 1_000, waiting: { reason: "for the rate limit", until: 45_000 } });
  await pass(15_000);
  progress.giveWay();
  progress.clear("done: 1,000 rows in 25 s");
  await pass(60_000);
  expect(writtenTo(stream)).toBe(
    "00:00:10Z 200 of 1,000 rows · 20 % · 40 s left · 20 rows/s\n" +
      "00:00:20Z 300 of 1,000 rows · 30 % · 30 s left · waiting 25 s for the rate limit · 15 rows/s\n" +
      "00:00:25Z done: 1,000 rows in 25 s\n",
  );
});

test("plain progress has no letters beyond ASCII where the terminal cannot show them", async () => {
  const stream = new PassThrough();
  const progress = createProgress("plain", { stream, now: Date.now, ascii: true });
  progress.update({ rows: 100, total: 1_000 });
  await pass(10_000);
  progress.clear();
  expect(writtenTo(stream)).toBe("00:00:10Z 100 of 1,000 rows | 10 % | 10 rows/s\n");
});

test.each<[ProgressMode, boolean]>([
  ["none", true],
  ["auto", false],
])("in mode %s with isTTY %s nothing is written", async (mode, isTTY) => {
  const stream = Object.assign(new PassThrough(), { isTTY });
  const progress = createProgress(mode, { stream, now: Date.now });
  progress.update({ rows: 100 });
  await vi.advanceTimersByTimeAsync(60_000);
  progress.clear();
  expect(writtenTo(stream)).toBe("");
});

test("nothing is drawn on a terminal without a known width", async () => {
  const stream = terminal(0);
  const progress = createProgress("auto", { stream, now: Date.now });
  progress.update({ rows: 1 });
  vi.advanceTimersByTime(1_000);
  progress.clear();
  expect(stream.read()).toBeNull();
});

test("a step that is named again keeps its beginning, and so it does while other things change", async () => {
  const stream = new PassThrough();
  const progress = createProgress("plain", { stream, now: Date.now });
  progress.update({ doing: "reading" });
  await pass(4_000);
  progress.update({ doing: "reading" });
  progress.update({ total: 10 });
  await pass(6_000);
  progress.clear();
  expect(writtenTo(stream)).toBe("00:00:10Z reading · 10 s\n");
});

test("a later update starts again after half a second, with a state of its own", async () => {
  const stream = terminal(80);
  const progress = createProgress("auto", { stream, now: Date.now });
  progress.update({ rows: 5, total: 10 });
  await pass(1_000);
  progress.clear();
  writtenTo(stream);
  progress.update({ rows: 1 });
  await pass(499);
  expect(writtenTo(stream)).toBe("");
  await pass(1);
  expect(screen(writtenTo(stream)).map((line) => line.slice(2))).toEqual(["1 row"]);
  progress.clear();
});

test("progress does not keep the process alive", () => {
  const stream = new PassThrough();
  const timers = vi.spyOn(globalThis, "setInterval");
  const progress = createProgress("plain", { stream, now: Date.now });
  progress.update({ rows: 1 });
  const timer = timers.mock.results[0]?.value as NodeJS.Timeout;
  expect(timer.hasRef()).toBe(false);
  progress.clear();
});
