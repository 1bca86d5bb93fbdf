import { PassThrough } from "node:stream";
import { onTestFinished } from "vitest";
import { InterruptedError } from "../../src/contract/errors.ts";
import { type InProcessOptions, runInProcess } from "./in-process.ts";

/**
 * Runs `catalog service start` in this process, on a free port, until the test ends.
 *
 * @returns its address, all that it said when it was ready, and what it wrote to stderr so far
 */
export async function startServiceCommand(
  args: readonly string[],
  env: NonNullable<InProcessOptions["env"]> = {},
): Promise<{ url: string; said: string; log: () => string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let log = "";
  stderr.on("data", (text) => {
    log += text;
  });
  const stop = new AbortController();
  const ended = runInProcess(["service", "start", "--port", "0", ...args], {
    stdout,
    stderr,
    env,
    signal: stop.signal,
  });
  onTestFinished(async () => {
    stop.abort(new InterruptedError("SIGTERM"));
    await ended;
  });
  const said = await new Promise<string>((resolve, reject) => {
    stdout.once("data", (lines) => resolve(String(lines)));
    void ended.then(({ code }) => reject(new Error(`the service ended with ${code}: ${log}`)));
  });
  return { url: /^listening on (.*)$/m.exec(said)?.[1] ?? "", said, log: () => log };
}
