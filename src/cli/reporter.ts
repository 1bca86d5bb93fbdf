import type { ClientEvent, RequestPurpose } from "../client/events.ts";
import { TimeLimitError } from "../contract/errors.ts";
import { plural } from "../contract/values/phrases.ts";
import { startDeadline } from "../contract/values/timer.ts";
import { visible, visibleJson } from "../contract/values/visible.ts";
import type { RequestLog } from "../export/manifest.ts";
import { refusedFsyncs } from "../files/fsync.ts";
import type { Context } from "./context.ts";
import type { GlobalOptions } from "./flags/global.ts";
import { isAsciiTerminal } from "./terminal/ascii.ts";
import { formatDuration } from "./terminal/duration.ts";
import { createProgress, type Progress } from "./terminal/progress/progress.ts";
import { isInteractiveOrPipe, terminalWidth } from "./terminal/screen.ts";
import { wrap } from "./terminal/wrap.ts";

/** What a command writes to stderr while it runs. */
export interface Reporter {
  onEvent(event: ClientEvent): void;
  /** Whether notes are shown. If not, skip work whose result only a note would say. */
  showsNotes: boolean;
  /** Information for a person; shown on terminals only, unless `--verbose` is given. */
  note(text: string): void;
  /**
   * A warning; only `--quiet` silences it. With `--error-format json` it is a line `{"warning": …}`, so that a program
   * can parse every line on stderr that is not a terminal, unless `--verbose` or `--progress plain` is given.
   */
  warn(text: string): void;
  /** The progress line; `onEvent` feeds it requests and pauses. */
  progress: Progress;
  /** Call it before writing the first data to stdout: its reader may write to the terminal that shows the progress line. */
  dataBegins(): void;
  /** Called with each event of the client, after `onEvent` has shown it. */
  listeners: Set<(event: ClientEvent) => void>;
  requests(): Omit<RequestLog, "ids">;
}

function doingOf(purpose: RequestPurpose): string {
  const what = { catalog: "rows", status: "the status feed" }[purpose as string];
  return `reading ${what ?? `the ${purpose}`}`;
}

export function createReporter(globals: GlobalOptions, context: Context): Reporter {
  const { quiet, verbose, errorFormat } = globals;
  const { stderr, printError, redact, now } = context;
  const log = { sent: 0, retries: 0, waited_ms: 0 };
  const sentence = (text: string) => printError(`${wrap(visible(text), terminalWidth(stderr))}\n`);
  // A dumb terminal cannot redraw a line.
  const isDumb = stderr.isTTY === true && context.env.TERM === "dumb";
  const mode = quiet ? "none" : isDumb && globals.progress === "auto" ? "plain" : globals.progress;
  const progress = createProgress(mode, { stream: stderr, redact, now, ascii: isAsciiTerminal(stderr, context.env) });
  const listeners: Reporter["listeners"] = new Set();
  const showsNotes = !quiet && (verbose || stderr.isTTY === true);
  return {
    showsNotes,
    onEvent: (event) => {
      if (event.type === "request") {
        log.sent += 1;
        log.retries += event.attempt > 1 ? 1 : 0;
        progress.update({ doing: doingOf(event.operation) });
      } else if (event.type === "wait") {
        log.waited_ms += event.milliseconds;
        progress.update({ waiting: { reason: reasonToWait(event), until: now() + event.milliseconds } });
      }
      const text = verbose ? logLine(event) : undefined;
      if (text !== undefined) {
        printError(`${visible(text)}\n`);
      }
      for (const listener of listeners) {
        listener(event);
      }
    },
    note: (text) => {
      if (showsNotes) {
        sentence(text);
      }
    },
    warn: (text) => {
      if (quiet) {
        return;
      }
      if (errorFormat === "json") {
        printError(`${visibleJson({ warning: text })}\n`);
      } else {
        sentence(`warning: ${text}`);
      }
    },
    progress,
    dataBegins: () => {
      if (isInteractiveOrPipe(context.stdout)) {
        progress.giveWay();
      }
    },
    listeners,
    requests: () => ({ ...log }),
  };
}

/** A reporter, and a signal that is aborted when the command is interrupted or its `--max-time` is over. */
export interface Reporting extends Disposable {
  reporter: Reporter;
  signal: AbortSignal;
}

/** Starts reporting. Disposing of the result removes the progress line. */
export function startReporting(globals: GlobalOptions, context: Context): Reporting {
  const { maxTime = 0 } = globals;
  const expired = () => {
    const limit = maxTime % 1000 === 0 ? formatDuration(maxTime) : `${maxTime} ms`;
    return new TimeLimitError(`not done within the --max-time of ${limit}`);
  };
  const reporter = createReporter(globals, context);
  const deadline = startDeadline([context.signal], globals.maxTime, expired);
  const refusedBefore = refusedFsyncs();
  const end = () => {
    if (refusedFsyncs() > refusedBefore) {
      reporter.note("This file system has no fsync: files written now may be incomplete after a power failure.");
    }
    reporter.progress.clear();
    deadline.release();
  };
  return { reporter, signal: deadline.signal, [Symbol.dispose]: end };
}

function reasonToWait({ reason, code }: Extract<ClientEvent, { type: "wait" }>): string {
  return reason === "rate limit" ? "for the rate limit" : `to try again${code === undefined ? "" : ` after ${code}`}`;
}

/** Maximum characters of a request target in a log line; a slice may name hundreds of combinations. */
const SHOWN_TARGET = 160;

/** The `--verbose` line of a finished request or a pause. */
function logLine(event: ClientEvent): string | undefined {
  switch (event.type) {
    case "request":
      return undefined;
    case "response": {
      const request = event.requestId === undefined ? "" : ` ${event.requestId}`;
      return `${requestLine(event)} ${event.status} in ${Math.round(event.milliseconds)} ms, ${plural(event.bytes, "byte")}${request}`;
    }
    case "failure":
      return `${requestLine(event)} failed after ${Math.round(event.milliseconds)} ms: ${event.message}`;
    case "wait":
      return `waiting ${formatDuration(event.milliseconds)} ${reasonToWait(event)}`;
  }
}

function requestLine({ target, attempt }: { target: string; attempt: number }): string {
  const half = SHOWN_TARGET / 2;
  const shown = target.length > SHOWN_TARGET ? `${target.slice(0, half)}…${target.slice(-half)}` : target;
  return `GET ${shown}${attempt > 1 ? ` (attempt ${attempt})` : ""}`;
}
