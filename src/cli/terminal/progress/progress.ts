import type { Writable } from "node:stream";
import { asciiText } from "../ascii.ts";
import { createRateMeter, type ProgressState, progressLine } from "./progress-line.ts";

/** `auto`: one line that is redrawn, on a terminal only. `plain`: a new line every ten seconds, for logs. */
export type ProgressMode = "auto" | "plain" | "none";

export interface Progress {
  /** Updates the state. The line appears half a second after the first update. */
  update(change: ProgressState): void;
  /**
   * Removes the line and resets the state; a later update starts over.
   *
   * @param outcome the last line in mode `plain`
   */
  clear(outcome?: string): void;
  /** Removes the line for good, because other text goes to the same terminal. Mode `plain` continues. */
  giveWay(): void;
}

/** Where progress is shown. */
export interface ProgressOutput {
  stream: Writable & { isTTY?: boolean; columns?: number };
  redact?: (text: string) => string;
  /** Milliseconds since the epoch. */
  now: () => number;
  ascii?: boolean;
}

interface Presenter {
  /** Milliseconds between two updates. */
  interval: number;
  show(state: ProgressState, rate: number | undefined): void;
  clear(outcome: string | undefined): void;
}

const PLAIN_INTERVAL = 10_000;
const TERMINAL_INTERVAL = 250;
/** Milliseconds before the line appears. */
const DELAY = 500;
const SPINNER_CELLS = 2;

/** Shows nothing in mode `none`, and in mode `auto` if the stream is not a terminal. */
export function createProgress(mode: ProgressMode, output: ProgressOutput): Progress {
  const { stream, now } = output;
  // A terminal without a known width reports 0, and ora would clear lines forever.
  if (mode === "none" || (mode === "auto" && !(stream.isTTY && stream.columns))) {
    return { update: () => {}, clear: () => {}, giveWay: () => {} };
  }
  const presenter = mode === "auto" ? terminalPresenter(output) : plainPresenter(output);
  let work: { state: ProgressState; meter: ReturnType<typeof createRateMeter>; timer: NodeJS.Timeout } | undefined;
  let isOver = false;

  function begin() {
    const start = now();
    const timer = setInterval(() => {
      if (work !== undefined && now() - start >= DELAY) {
        presenter.show(work.state, work.meter.rate(now()));
      }
    }, presenter.interval);
    timer.unref();
    return { state: {}, meter: createRateMeter(start), timer };
  }

  function clear(outcome?: string) {
    clearInterval(work?.timer);
    work = undefined;
    presenter.clear(outcome);
  }

  return {
    update: (change) => {
      if (isOver) {
        return;
      }
      work ??= begin();
      if (change.doing !== undefined && change.doing !== work.state.doing) {
        work.state.since = now();
      }
      Object.assign(work.state, change);
      if (change.rows !== undefined) {
        work.meter.add(Math.max(0, change.rows - (work.state.stored ?? 0)), now());
      }
    },
    clear,
    giveWay: () => {
      if (mode === "auto") {
        isOver = true;
        clear();
      }
    },
  };
}

const unchanged = (text: string) => text;

/** Writes whole lines that begin with the UTC time of day. */
function plainPresenter({ stream, redact = unchanged, now, ascii = false }: ProgressOutput): Presenter {
  const write = (line: string) => {
    const text = `${new Date(now()).toISOString().slice(11, 19)}Z ${redact(line)}\n`;
    stream.write(ascii ? asciiText(text) : text);
  };
  return {
    interval: PLAIN_INTERVAL,
    show: (state, rate) => write(progressLine(state, rate, now())),
    clear: (outcome) => {
      if (outcome !== undefined) {
        write(outcome);
      }
    },
  };
}

/** Redraws one line with ora. Other lines written to the terminal meanwhile appear above it. */
function terminalPresenter({ stream, redact = unchanged, now, ascii = false }: ProgressOutput): Presenter {
  const libraries = () => Promise.all([import("ora"), import("../width.ts")]);
  let loaded: Awaited<ReturnType<typeof libraries>> | undefined;
  let spinner: import("ora").Ora | undefined;
  return {
    interval: TERMINAL_INTERVAL,
    show: (state, rate) => {
      if (loaded === undefined) {
        libraries().then(
          (modules) => {
            loaded = modules;
          },
          () => undefined,
        );
        return;
      }
      const [{ default: ora }, { truncate }] = loaded;
      const width = (stream.columns ?? 80) - SPINNER_CELLS;
      const whole = truncate(redact(progressLine(state, rate, now(), width)), width);
      const text = ascii ? asciiText(whole) : whole;
      if (spinner === undefined) {
        // isEnabled: whether to draw was decided above. discardStdin: Ctrl-C must stay a signal, and stdin may be a pipe.
        const drawing = { isEnabled: true, discardStdin: false, hideCursor: true, color: false } as const;
        spinner = ora({ text, stream, ...drawing, ...(ascii && { spinner: "line" }) }).start();
      }
      spinner.text = text;
    },
    clear: () => {
      spinner?.stop();
      spinner = undefined;
    },
  };
}
