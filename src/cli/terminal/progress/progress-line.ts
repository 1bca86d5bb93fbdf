import { groupDigits, plural } from "../../../contract/values/phrases.ts";
import { formatDuration } from "../duration.ts";

/** The progress of a command. Times are in milliseconds since the epoch. */
export interface ProgressState {
  doing?: string;
  since?: number;
  rows?: number;
  /** Rows that an earlier run has read, which the rate leaves out. */
  stored?: number;
  /** Expected rows, once known. */
  total?: number;
  endsAt?: number | undefined;
  /** Requests left in the current rate-limit window. */
  requestsLeft?: number;
  waiting?: { reason: string; until: number };
}

interface LinePart {
  text: string;
  /** Unique. If the line is too long, the part with the lowest rank is dropped first. */
  rank: number;
}

/**
 * One line, such as `12,500 of 133,822 rows · 9 % · 30 s left · 4,120 rows/s`.
 *
 * @param rate rows a second, if known
 * @param now milliseconds since the epoch
 * @param width maximum cells of the line; the least important parts are dropped first
 */
export function progressLine(
  state: ProgressState,
  rate: number | undefined,
  now: number,
  width = Number.POSITIVE_INFINITY,
): string {
  let parts = state.rows === undefined ? partsOfDoing(state, now) : partsOfRows(state, state.rows, rate, now);
  for (;;) {
    const line = parts.map(({ text }) => text).join(" · ");
    if (line.length <= width || parts.length < 2) {
      return line;
    }
    const lowest = Math.min(...parts.map(({ rank }) => rank));
    parts = parts.filter(({ rank }) => rank > lowest);
  }
}

function partsOfDoing({ doing = "", since, waiting }: ProgressState, now: number): LinePart[] {
  const seconds = since === undefined ? 0 : Math.floor((now - since) / 1000);
  return [
    { text: doing, rank: 2 },
    ...(seconds > 0 ? [{ text: formatDuration(seconds * 1000), rank: 1 }] : []),
    ...partsOfWait(waiting, now, 3),
  ];
}

function partsOfRows(
  { total, endsAt = 0, requestsLeft, waiting }: ProgressState,
  rows: number,
  rate: number | undefined,
  now: number,
): LinePart[] {
  const written = total === undefined ? plural(rows, "row") : `${groupDigits(rows)} of ${plural(total, "row")}`;
  const percent = total === undefined || total === 0 ? undefined : Math.floor((Math.min(rows, total) / total) * 100);
  // The work cannot end before the pause does.
  const left = endsAt > now ? Math.max(endsAt, waiting?.until ?? endsAt) - now : undefined;
  return [
    { text: written, rank: 6 },
    ...(percent === undefined ? [] : [{ text: `${percent} %`, rank: 3 }]),
    ...(left === undefined ? [] : [{ text: `${formatDuration(left)} left`, rank: 4 }]),
    ...partsOfWait(waiting, now, 5),
    ...(rate === undefined ? [] : [{ text: `${groupDigits(Math.round(rate))} rows/s`, rank: 2 }]),
    ...(requestsLeft === undefined ? [] : [{ text: `${plural(requestsLeft, "request")} left`, rank: 1 }]),
  ];
}

function partsOfWait(waiting: ProgressState["waiting"], now: number, rank: number): LinePart[] {
  return waiting !== undefined && waiting.until > now
    ? [{ text: `waiting ${formatDuration(waiting.until - now)} ${waiting.reason}`, rank }]
    : [];
}

/** The period over which a rate is averaged, in milliseconds; long enough to include a pause for the rate limit. */
const WINDOW = 90_000;
const SAMPLE_INTERVAL = 1_000;

/** Measures the rows a second. Times are in milliseconds since the epoch. */
export function createRateMeter(start: number) {
  const samples = [{ at: start, rows: 0 }];
  let before = 0;
  /** All rows that were read. `before` falls when a part of the set is read again. */
  let read = 0;
  return {
    add: (rows: number, now: number): void => {
      read += Math.max(0, rows - before);
      before = rows;
      const last = samples.at(-1);
      if (samples.length > 1 && last !== undefined && now - last.at < SAMPLE_INTERVAL) {
        last.rows = read;
      } else {
        samples.push({ at: now, rows: read });
      }
      while (samples.findIndex(({ at }) => now - at <= WINDOW) > 1) {
        samples.shift();
      }
    },
    /** Undefined during the first second, when a rate would be noise. */
    rate: (now: number): number | undefined => {
      const [oldest] = samples;
      const newest = samples.at(-1);
      if (oldest === undefined || newest === undefined || now - oldest.at < SAMPLE_INTERVAL) {
        return undefined;
      }
      return ((newest.rows - oldest.rows) / (now - oldest.at)) * 1000;
    },
  };
}
