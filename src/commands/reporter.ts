import type { ClientEvent } from "../api/events.ts";
import type { Context } from "../context.ts";
import { groupDigits } from "../output/cell.ts";
import { formatDuration } from "../output/duration.ts";
import { visible } from "../output/visible.ts";
import type { GlobalOptions } from "./global-flags.ts";

/** Where a command says on stderr what goes on. Rows never pass here. */
export interface Reporter {
  onEvent(event: ClientEvent): void;
  /** What a person at a terminal wants to know; a log stays silent as long as nothing is wrong. */
  note(text: string): void;
  /** What may not go unseen although nothing failed; only `--quiet` silences it. */
  warn(text: string): void;
  /** Is told of each pause, for the progress line. */
  onWait: ((reason: string, milliseconds: number) => void) | undefined;
  stop(): void;
}

/** Reports to stderr as `--quiet` and `--verbose` ask. */
export function createReporter({ quiet, verbose }: GlobalOptions, context: Context): Reporter {
  const line = (text: string) => void context.stderr.write(`${visible(text)}\n`);
  const reporter: Reporter = {
    onEvent: (event) => {
      if (event.type === "wait") {
        reporter.onWait?.(reasonOf(event), event.milliseconds);
      }
      const text = verbose ? describe(event) : undefined;
      if (text !== undefined) {
        line(text);
      }
    },
    note: (text) => {
      if (!quiet && (verbose || context.stderr.isTTY)) {
        line(text);
      }
    },
    warn: (text) => {
      if (!quiet) {
        line(`warning: ${text}`);
      }
    },
    onWait: undefined,
    stop: () => undefined,
  };
  return reporter;
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
