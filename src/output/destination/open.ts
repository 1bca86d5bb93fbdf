import type { Writable } from "node:stream";
import { type Compression, compressed } from "./compression.ts";
import type { Destination } from "./destination.ts";
import { type FileOptions, openFile } from "./file.ts";
import { writeToStdout } from "./stdout.ts";

export interface DestinationOptions extends FileOptions {
  /** A path, or `-` for stdout, which is also the default. */
  output: string | undefined;
  stdout: Writable;
  /** Called before the first data goes to stdout. */
  beforeData?: (() => void) | undefined;
  /** Aborts a write that waits for the reader of stdout. */
  signal?: AbortSignal | undefined;
  compression?: Compression | undefined;
}

/** Opens the destination; detects as early as possible what would otherwise fail at the end. */
export async function openDestination(options: DestinationOptions): Promise<Destination> {
  const { output, stdout, signal, beforeData, compression } = options;
  const sink = isStdout(output) ? writeToStdout(stdout, { signal, beforeData }) : await openFile(output, options);
  return compression === undefined ? sink : compressed(sink, compression);
}

/** `/dev/stdout` cannot be opened if stdout is a socket, and opening it again would truncate `>> file`. */
export function isStdout(output: string | undefined): output is "-" | "/dev/stdout" | undefined {
  return output === undefined || output === "-" || output === "/dev/stdout";
}
