import { pipeline, type Readable, type Transform } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import { LIMITS, ROW_BOUNDS } from "../../contract/limits.ts";
import type { HttpResponse } from "../requests/direct-connections.ts";

/** Value of `Accept-Encoding`. Compressed rows take a fifth of the bytes. */
export const ACCEPTED_ENCODINGS = "gzip, br";

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  br: createBrotliDecompress,
};

const SHORTEST_BOUND = 1024 * 1024;

/** Maximum bytes of the body of a response with at most `rows` rows (default: the rows of the largest page). */
export function bodyBound(rows: number = LIMITS.pageSize.maximum): number {
  return Math.max(SHORTEST_BOUND, Math.ceil((rows / LIMITS.pageSize.maximum) * ROW_BOUNDS.pageBytes));
}

/** A body, complete or not. */
export interface Body {
  /** Decompressed; if the body is not complete, the bytes up to that point. */
  bytes: Buffer;
  /**
   * `capped`: longer than the cap; reading stopped and the connection was closed. `unread`: nobody needs it, or the request
   * did not offer its encoding; the connection was closed.
   */
  end: "complete" | "capped" | "broken" | "unread";
  /** Why it is broken. */
  error?: unknown;
}

/** Reads a body of at most `cap` bytes after decompression. Never rejects: an abort gives `broken` too. */
export async function readBody(response: HttpResponse, cap: number): Promise<Body> {
  const stream = response.body;
  // A stream that is destroyed early emits a late error; ignore it.
  stream.on("error", () => {});
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    const content = isNeeded(response) ? decoded(stream, response.header("content-encoding")) : undefined;
    if (content === undefined) {
      stream.destroy();
      return { bytes: Buffer.alloc(0), end: "unread" };
    }
    for await (const chunk of content) {
      size += chunk.length;
      chunks.push(chunk);
      if (size > cap) {
        return { bytes: Buffer.concat(chunks).subarray(0, cap), end: "capped" };
      }
    }
    await ownTurn();
    return { bytes: Buffer.concat(chunks), end: "complete" };
  } catch (error) {
    stream.destroy();
    return { bytes: Buffer.concat(chunks), end: "broken", error };
  }
}

let lastTurn: Promise<void> = Promise.resolve();

/**
 * Resolves for one body in each turn of the event loop. Reading a page takes milliseconds. If several pages arrive
 * at once, the next requests would otherwise wait until all are read.
 */
function ownTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => nextTurn());
  return lastTurn;
}

/** Not the body of a redirect, nor of a success status that the contract does not have. */
function isNeeded({ status, header }: HttpResponse): boolean {
  return status === 200 || status >= 400 || (status >= 300 && header("location") === "");
}

function decoded(stream: Readable, contentEncoding: string): AsyncIterable<Buffer> | undefined {
  const encoding = contentEncoding.trim().toLowerCase();
  if (encoding === "" || encoding === "identity") {
    return stream;
  }
  const decoder = decoders[encoding];
  // The iteration reports an error of either stream.
  return decoder && pipeline(stream, decoder(), () => {});
}
