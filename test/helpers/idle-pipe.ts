import { execFile } from "node:child_process";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./cli.ts";

/** The path of a named pipe that has a writer, which writes nothing. */
export async function idlePipe(): Promise<string> {
  const pipe = join(await temporaryFolder(), "idle.pipe");
  await promisify(execFile)("mkfifo", [pipe]);
  const writer = await open(pipe, "r+");
  onTestFinished(() => writer.close());
  return pipe;
}
