import type { Writable } from "node:stream";
import { createRateMeter, type ProgressState, progressLine } from "./progress-line.ts";

/** `auto`: a line that is redrawn, on a terminal only. `plain`: a whole line now and then, for logs. */
export type ProgressMode = "auto" | "plain" | "none";

export interface Progress {
  update(state: ProgressState): void;
  /** Removes what is not a whole line, so that other text may follow. To be called before the tool ends. */
  stop(): void;
}

export interface ProgressOptions {
  stream: Writable & { isTTY?: boolean; columns?: number };
  mode: ProgressMode;
  /** Milliseconds since the epoch. */
  now: () => number;
}

interface Presenter {
  /** Milliseconds from one showing to the next. */
  interval: number;
  show(line: string): void;
  stop(): void;
}

const PLAIN_INTERVAL = 10_000;
const TERMINAL_INTERVAL = 250;
const SPINNER_CELLS = 2;

/** Shows how a pull goes. Nothing is shown in mode `none`, nor in mode `auto` where the stream is not a terminal. */
export async function createProgress({ stream, mode, now }: ProgressOptions): Promise<Progress> {
  // A terminal that does not know its width says 0, and ora would clear lines without end.
  if (mode === "none" || (mode === "auto" && !(stream.isTTY && stream.columns))) {
    return { update: () => {}, stop: () => {} };
  }
  const presenter = mode === "auto" ? await terminalPresenter(stream) : plainPresenter(stream);
  const meter = createRateMeter(now());
  let state: ProgressState | undefined;
  const timer = setInterval(() => {
    if (state !== undefined) {
      presenter.show(progressLine(state, meter.rate(now()), now()));
    }
  }, presenter.interval);
  timer.unref();

  return {
    update: (next) => {
      state = next;
      meter.add(next.rows, now());
    },
    stop: () => {
      clearInterval(timer);
      presenter.stop();
    },
  };
}

function plainPresenter(stream: Writable): Presenter {
  return { interval: PLAIN_INTERVAL, show: (line) => void stream.write(`${line}\n`), stop: () => {} };
}

/** Whole lines that others write to the terminal meanwhile appear above the line that is redrawn. */
async function terminalPresenter(stream: ProgressOptions["stream"]): Promise<Presenter> {
  const [{ default: ora }, { truncate }] = await Promise.all([import("ora"), import("./width.ts")]);
  // isEnabled: whether to draw was decided above. discardStdin: Ctrl-C must stay a signal and stdin may be a pipe.
  const spinner = ora({ stream, isEnabled: true, discardStdin: false, hideCursor: true, color: false });
  spinner.start();
  return {
    interval: TERMINAL_INTERVAL,
    show: (line) => {
      spinner.text = truncate(line, (stream.columns ?? 80) - SPINNER_CELLS);
    },
    stop: () => void spinner.stop(),
  };
}
