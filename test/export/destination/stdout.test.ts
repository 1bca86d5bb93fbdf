import { getEventListeners } from "node:events";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { ClosedPipeError, FileError } from "../../../src/contract/errors.ts";
import { writeToStdout } from "../../../src/export/destination/stdout.ts";
import { failingStream, rejectionOf } from "../faults.ts";

test("stdout receives the output and stays open at the end", async () => {
  const stream = new PassThrough();
  const destination = writeToStdout(stream);
  await destination.write("a");
  await destination.write(Buffer.from("b"));
  await destination.finish();
  expect(stream.writableEnded).toBe(false);
  expect(String(stream.read())).toBe("ab");
});

test("the first byte to stdout is announced, once", async () => {
  let announced = 0;
  const stream = new PassThrough();
  const destination = writeToStdout(stream, { beforeData: () => (announced += 1) });
  await destination.write("");
  expect(announced).toBe(0);
  await destination.write("a");
  await destination.write("b");
  expect({ announced, stream: String(stream.read()) }).toEqual({ announced: 1, stream: "ab" });
});

test("a stream that cannot be written any more takes an empty write", async () => {
  const destination = writeToStdout(failingStream("EPIPE"));
  await destination.write("");
  await destination.finish();
});

test("a write that has ended leaves the signal alone", async () => {
  const { signal } = new AbortController();
  const destination = writeToStdout(new PassThrough(), { signal });
  await destination.write("row");
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a write resolves only when the reader has taken it", async () => {
  const stream = new PassThrough({ highWaterMark: 4 });
  const events: string[] = [];
  const writing = writeToStdout(stream)
    .write("12345678")
    .then(() => events.push("written"));
  await new Promise(setImmediate);
  events.push("read");
  stream.resume();
  await writing;
  expect(events).toEqual(["read", "written"]);
});

test.each(["EPIPE", "ECONNRESET"])("a reader that went away (%s) is a closed pipe", async (code) => {
  const destination = writeToStdout(failingStream(code));
  const failure = new ClosedPipeError("the reader of stdout went away");
  expect(await rejectionOf(destination.write("row"))).toEqual(failure);
  expect(await rejectionOf(destination.write("row"))).toEqual(failure);
  expect(await rejectionOf(destination.finish())).toEqual(failure);
});

test("a write that waits for its reader rejects with the reason of the signal", async () => {
  const stream = new PassThrough({ highWaterMark: 4 });
  const controller = new AbortController();
  const destination = writeToStdout(stream, { signal: controller.signal });
  const writing = rejectionOf(destination.write("12345678"));
  const reason = new Error("interrupted");
  controller.abort(reason);
  expect(await writing).toBe(reason);
  expect(await rejectionOf(destination.write("9"))).toBe(reason);
});

test("a full disk behind stdout is an error", async () => {
  const destination = writeToStdout(failingStream("ENOSPC"));
  expect(await rejectionOf(destination.write("row"))).toMatchObject({
    constructor: FileError,
    path: "stdout",
    message: "stdout: the disk is full",
  });
});
