import type { ClientEvent } from "../client/events.ts";
import { type RateHeaders, windowSecondsOf } from "../client/requests/rate-window.ts";
import { LIMITS } from "../contract/limits.ts";
import { plural } from "../contract/values/phrases.ts";
import { timeOf } from "../pull/estimate.ts";
import type { Context } from "./context.ts";
import type { Reporter } from "./reporter.ts";
import { formatDuration } from "./terminal/duration.ts";

interface PullState {
  /** Rows so far. */
  rows?: number;
  /** Rows that an earlier run has read. */
  stored?: number;
  /** Expected rows. */
  total?: number;
  /** Expected requests; by default, estimated from the rows. */
  requests?: number;
}

/** Milliseconds between estimates of the time left, whose cost grows with the number of requests. */
const ESTIMATE_INTERVAL = 1_000;

/** The progress line of a pull. Disposing of it removes the line. */
export interface PullProgress extends Disposable {
  update(change: PullState): void;
  /** Call it when the pull is complete; otherwise the last line says that it was stopped. */
  done(): void;
}

/** Shows the rows, the rate limit and the time left of a pull. */
export function showProgress(
  reporter: Reporter,
  { now }: Pick<Context, "now">,
  { maxRate }: { maxRate?: number | undefined },
): PullProgress {
  const { progress } = reporter;
  const start = now();
  const pace = createPace(start, maxRate);
  let { rows = 0, total = 0, stored = 0, requests }: PullState = {};
  let estimatedAt = 0;
  const estimate = () => {
    estimatedAt = now();
    const all = requests ?? Math.ceil(total / LIMITS.pageSize.maximum);
    const share = total === 0 ? 0 : 1 - stored / total;
    progress.update({ endsAt: pace.endsAt(Math.ceil(all * share), estimatedAt) });
  };
  const onEvent = (event: ClientEvent) => {
    pace.observe(event, now());
    if (event.type === "response" && event.rate !== undefined) {
      progress.update({ requestsLeft: event.rate.remaining });
    }
    if (event.type === "wait" || now() - estimatedAt >= ESTIMATE_INTERVAL) {
      estimate();
    }
  };
  reporter.listeners.add(onEvent);
  let outcome = "stopped";
  return {
    update: (change) => {
      ({ rows = rows, total = total, stored = stored, requests = requests } = change);
      progress.update({ rows, stored, ...(change.total !== undefined && { total }) });
    },
    done: () => {
      outcome = "done";
    },
    [Symbol.dispose]: () => {
      reporter.listeners.delete(onEvent);
      progress.clear(`${outcome}: ${plural(rows, "row")} in ${formatDuration(now() - start)}`);
    },
  };
}

/** The callbacks of a pull that report when it reads something again. */
export function rereadObserver({ note, warn }: Reporter) {
  return {
    onRestart: (reason: string) => note(`reading part of the set again: ${reason}`),
    onDamage: (pages: number) =>
      warn(`${plural(pages, "page")} on disk cannot be used, because the first of them is damaged; reading them again`),
  };
}

/** Estimates when a pull will end, with the model of `--dry-run`, from its pages so far and the rate limit. */
function createPace(start: number, maxRate: number | undefined) {
  let pages = 0;
  let lastPage = start;
  let pause = { until: start, milliseconds: 0 };
  /** Milliseconds paused for the rate limit before the last page. */
  let idle = 0;
  let seen: { rate: RateHeaders; at: number } | undefined;
  let windowSeconds: number = LIMITS.windowSeconds;
  return {
    observe: (event: ClientEvent, now: number): void => {
      if (event.type === "wait" && event.reason === "rate limit") {
        pause = { until: now + event.milliseconds, milliseconds: event.milliseconds };
      } else if (event.type === "response") {
        if (event.rate !== undefined) {
          seen = { rate: event.rate, at: now };
          windowSeconds = windowSecondsOf(event.rate, windowSeconds);
        }
        if (event.operation === "catalog" && event.status === 200) {
          pages += 1;
          lastPage = now;
          idle += pause.milliseconds;
          pause.milliseconds = 0;
        }
      }
    },
    /** When `requests` pages will have arrived; undefined before the first page. */
    endsAt: (requests: number, now: number): number | undefined => {
      if (pages === 0 || requests <= pages) {
        return undefined;
      }
      const isPaused = pause.until > now;
      const windowEnds = seen === undefined ? now : seen.at + seen.rate.resetSeconds * 1000;
      const { seconds } = timeOf(requests - pages, 1, {
        limit: seen?.rate.limit,
        windowSeconds,
        remaining: isPaused ? 0 : seen?.rate.remaining,
        resetSeconds: ((isPaused ? pause.until : windowEnds) - now) / 1000,
        maxRate,
        latency: Math.max(1, lastPage - start - idle) / pages,
        concurrency: 1,
      });
      return now + seconds * 1000;
    },
  };
}
