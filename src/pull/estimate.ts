import { expectedPages, firstSlices, type Plan } from "./plan.ts";
import type { PullOptions } from "./pull-options.ts";
import { recheckCount } from "./recheck.ts";

/** Limits on the requests of a pull. */
export interface RequestLimits {
  /** Requests allowed in one window; undefined for no limit. */
  limit: number | undefined;
  windowSeconds: number;
  /** Requests left in the current window. */
  remaining: number | undefined;
  /** Seconds until the current window ends. */
  resetSeconds: number;
  /** The user's own limit in requests a minute, spread evenly. */
  maxRate: number | undefined;
  /** Milliseconds that one request takes. */
  latency: number;
  concurrency: number;
}

/** The expected cost of a pull. */
export interface Estimate {
  rows: number;
  slices: number;
  /** All requests, including those for the coverage, which come first. */
  requests: number;
  /** Windows of the rate limit that the requests fall into. */
  windows: number;
  seconds: number;
}

/**
 * Estimates a pull that begins now, from its plan and the service's limits. It assumes that requests stay equally fast,
 * and that the rows of a combination that is cut by date are spread evenly. With `maxRows`, a pull may send a few more
 * requests, for pages that it reads ahead and does not need.
 *
 * @param before number of the requests already sent, for the filters and the coverage
 * @param stored number of the pages that an interrupted run has read
 */
export function estimate(plan: Plan, options: PageNeeds, before: number, pace: RequestLimits, stored = 0): Estimate {
  const rows = Math.min(plan.totalRows, options.maxRows ?? plan.totalRows);
  const slices = firstSlices(plan, rows).length;
  const requests = before + Math.max(0, pageRequests(plan, options) - stored);
  const lanes = Math.min(pace.concurrency, Math.max(1, slices));
  return { rows, slices, requests, ...timeOf(requests, lanes, pace) };
}

type PageNeeds = Pick<PullOptions, "pageSize" | "maxRows" | "recheck">;

/** Expected requests for the pages of a plan, those that are read a second time included. */
export function pageRequests(plan: Plan, { pageSize, maxRows = plan.totalRows, recheck }: PageNeeds): number {
  const rows = Math.min(plan.totalRows, maxRows);
  const pages = rows < plan.totalRows ? Math.ceil(rows / pageSize) : expectedPages(plan.slices, pageSize);
  return pages + (plan.version === undefined ? recheckCount(pages, recheck) : 0);
}

/** Simulates the requests: the first alone, the others `lanes` at a time, within the windows and the rate. */
export function timeOf(requests: number, lanes: number, pace: RequestLimits): { windows: number; seconds: number } {
  const { limit = Number.POSITIVE_INFINITY, windowSeconds, maxRate, latency } = pace;
  const roundTrip = latency / 1000;
  const spacing = maxRate === undefined ? 0 : 60 / maxRate;
  let left = pace.remaining ?? limit;
  let end = pace.resetSeconds;
  let windows = left > 0 ? 1 : 0;
  let at = 0;
  for (let sent = 0; sent < requests; sent += 1) {
    if (sent > 0) {
      at += Math.max(spacing, sent === 1 ? roundTrip : roundTrip / lanes);
    }
    if (left === 0 || at >= end) {
      at = Math.max(at, end);
      end = at + windowSeconds;
      left = limit;
      windows += 1;
    }
    left -= 1;
  }
  return { windows, seconds: at + roundTrip };
}
