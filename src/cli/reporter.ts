import type { ClientEvent } from "../api/events.ts";
import type { RateHeaders } from "../api/rate-window.ts";
import type { Context } from "../context.ts";
import type { RequestLog } from "../export/manifest.ts";
import { groupDigits } from "../output/terminal/cell.ts";
import { formatDuration } from "../output/terminal/duration.ts";
import { visible } from "../output/terminal/visible.ts";
import { wrap } from "../output/terminal/wrap.ts";
import type { GlobalOptions } from "./flags/global.ts";
import { widthOf } from "./terminal.ts";

/** Where a command says on stderr what goes on. Rows never pass here. */
export interface Reporter {
  onEvent(event: ClientEvent): void;
  /** What a person at a terminal wants to know; a log stays silent as long as nothing is wrong. */
  note(text: string): void;
  /**
   * What may not go unseen although nothing failed; only `--quiet` silences it. With `--error-format json` it is a line
   * `{"warning": …}`, so that a program can read every line that a run without `--verbose` leaves on stderr.
   */
  warn(text: string): void;
  /** Is told of each pause, for the progress line. */
  onWait: ((reason: string, milliseconds: number) => void) | undefined;
  /** Is told what each answer says of the rate limit. */
  onRate: ((rate: RateHeaders) => void) | undefined;
  /** Is told the id of each answered request. */
  onRequestId: ((id: string) => void) | undefined;
  /** What the requests so far came to. */
  requests(): Omit<RequestLog, "ids">;
}

/** Reports to stderr as `--quiet` and `--verbose` ask. */
export function createReporter({ quiet, verbose, errorFormat }: GlobalOptions, context: Context): Reporter {
  const log = { sent: 0, retries: 0, waited_ms: 0 };
  const line = (text: string) => void context.stderr.write(`${visible(text)}\n`);
  const sentence = (text: string) => void context.stderr.write(`${wrap(visible(text), widthOf(context.stderr))}\n`);
  const reporter: Reporter = {
    onEvent: (event) => {
      record(log, event);
      if (event.type === "wait") {
        reporter.onWait?.(reasonOf(event), event.milliseconds);
      }
      if (event.type === "answer" && event.rate !== undefined) {
        reporter.onRate?.(event.rate);
      }
      if (event.type === "answer" && event.requestId !== undefined) {
        reporter.onRequestId?.(event.requestId);
      }
      const text = verbose ? describe(event) : undefined;
      if (text !== undefined) {
        line(text);
      }
    },
    note: (text) => {
      if (!quiet && (verbose || context.stderr.isTTY)) {
        sentence(text);
      }
    },
    warn: (text) => {
      if (!quiet) {
        if (errorFormat === "json") {
          line(JSON.stringify({ warning: text }));
        } else {
          sentence(`warning: ${text}`);
        }
      }
    },
    onWait: undefined,
    onRate: undefined,
    onRequestId: undefined,
    requests: () => ({ ...log }),
  };
  return reporter;
}

function record(log: { sent: number; retries: number; waited_ms: number }, event: ClientEvent): void {
  if (event.type === "request") {
    log.sent += 1;
    log.retries += event.attempt > 1 ? 1 : 0;
  } else if (event.type === "wait") {
    log.waited_ms += event.milliseconds;
  }
}

function reasonOf({ reason, code }: Extract<ClientEvent, { type: "wait" }>): string {
  return reason === "rate limit" ? "for the rate limit" : `to try again${code === undefined ? "" : ` after ${code}`}`;
}

/** Characters of a request's target that a line shows; a slice names hundreds of combinations. */
const SHOWN_TARGET = 160;

/** One line for each request, told when it is over, and for each pause. */
function describe(event: ClientEvent): string | undefined {
  switch (event.type) {
    case "request":
      return undefined;
    case "answer": {
      const request = event.requestId === undefined ? "" : ` ${event.requestId}`;
      return `${sent(event)} ${event.status} in ${Math.round(event.milliseconds)} ms, ${groupDigits(event.bytes)} bytes${request}`;
    }
    case "fault":
      return `${sent(event)} failed after ${Math.round(event.milliseconds)} ms: ${event.message}`;
    case "wait":
      return `waiting ${formatDuration(event.milliseconds)} ${reasonOf(event)}`;
  }
}

function sent({ target, attempt }: { target: string; attempt: number }): string {
  const half = SHOWN_TARGET / 2;
  const shown = target.length > SHOWN_TARGET ? `${target.slice(0, half)}…${target.slice(-half)}` : target;
  return `GET ${shown}${attempt > 1 ? ` (attempt ${attempt})` : ""}`;
}
