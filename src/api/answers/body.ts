import { pipeline, type Readable, type Transform } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createBrotliDecompress, createGunzip } from "node:zlib";
import { LIMITS } from "../../contract/limits.ts";

/** What `Accept-Encoding` offers: rows shrink to a fifth. */
export const ACCEPTED_ENCODINGS = "gzip, br";

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  br: createBrotliDecompress,
};

/** Bytes that the rows of a full page may take, decompressed: 32 KiB a row, where crawled rows have about 0.6. */
const LONGEST_PAGE = 16 * 1024 * 1024;
const SHORTEST_BOUND = 1024 * 1024;

/** Bytes that the body of an answer with at most `rows` rows may have; undefined: as many as a page can have. */
export function bodyBound(rows: number = LIMITS.pageSize.maximum): number {
  return Math.max(SHORTEST_BOUND, Math.ceil((rows / LIMITS.pageSize.maximum) * LONGEST_PAGE));
}

/** A body as far as it could be read. */
export interface Body {
  /** Decompressed; what came before the fault or the cap where there was one. */
  bytes: Buffer;
  /** `capped`: longer than the cap, reading was given up and the connection dropped. */
  end: "complete" | "capped" | "broken";
  /** Why it is broken. */
  error?: unknown;
}

/** Reads a body of at most `cap` bytes after decompression. Never rejects: an abort ends in `broken`, too. */
export async function readBody(stream: Readable, contentEncoding: string, cap: number): Promise<Body> {
  // A stream that is destroyed early emits a late error; ignore it.
  stream.on("error", () => {});
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of decoded(stream, contentEncoding)) {
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
 * Hands on one body in each turn of the event loop. To read a page takes milliseconds, and undici sends a request over a
 * connection that was used before only in the next turn: where pages come at once, the requests that follow them would all
 * wait until the last of the pages is read.
 */
function ownTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => nextTurn());
  return lastTurn;
}

function decoded(stream: Readable, contentEncoding: string): AsyncIterable<Buffer> {
  const encoding = contentEncoding.trim().toLowerCase();
  if (encoding === "" || encoding === "identity") {
    return stream;
  }
  const decoder = decoders[encoding];
  if (decoder === undefined) {
    throw new UnknownEncodingError(encoding);
  }
  // A fault on either side reaches the reader through the iteration.
  return pipeline(stream, decoder(), () => {});
}

/** The body is compressed in a way that was not offered. */
export class UnknownEncodingError extends Error {
  override readonly name = "UnknownEncodingError";

  constructor(encoding: string) {
    super(`unknown Content-Encoding ${JSON.stringify(encoding)}`);
  }
}
