import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sleep, startDeadline, startTimer } from "../../../src/contract/values/timer.ts";

const DAY = 86_400_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a timer of 60 days, more than Node.js takes at once, rings after 60 days and not before", () => {
  const ring = vi.fn();
  startTimer(60 * DAY, ring);
  vi.advanceTimersByTime(60 * DAY - 1);
  expect(ring).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(ring).toHaveBeenCalledTimes(1);
});

test("a timer that was stopped after its first part does not ring", () => {
  const ring = vi.fn();
  const stop = startTimer(60 * DAY, ring);
  vi.advanceTimersByTime(30 * DAY);
  stop();
  vi.advanceTimersByTime(60 * DAY);
  expect(ring).not.toHaveBeenCalled();
});

test("a sleep ends with the reason of its signal, before or after it began", async () => {
  const controller = new AbortController();
  const sleeping = sleep(60 * DAY, controller.signal);
  controller.abort("enough");
  await expect(sleeping).rejects.toBe("enough");
  await expect(sleep(1, controller.signal)).rejects.toBe("enough");
  expect(vi.getTimerCount()).toBe(0);
});

test("a deadline ends with the reason of its parent, whether the parent ends before or after its start", () => {
  const parent = new AbortController();
  const before = startDeadline([parent.signal]);
  parent.abort("given up");
  const after = startDeadline([parent.signal], DAY);
  expect({ before: before.signal.reason, after: after.signal.reason, timers: vi.getTimerCount() }).toEqual({
    before: "given up",
    after: "given up",
    timers: 0,
  });
});

test("a deadline that is released ends neither with its parent nor after its time", () => {
  const parent = new AbortController();
  const deadline = startDeadline([parent.signal], DAY);
  deadline.release();
  parent.abort();
  vi.advanceTimersByTime(DAY);
  expect(deadline.signal.aborted).toBe(false);
});
