import type { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import * as zlib from "node:zlib";
import { UsageError } from "../../errors.ts";
import type { Destination } from "./destination.ts";

export type Compression = "gzip" | "zstd";

interface Codec {
  /** The file extension. */
  ending: string;
  /** Absent if this Node.js does not support it. */
  createStream: (() => Transform) | undefined;
}

const { createZstdCompress } = zlib as {
  createZstdCompress?: (options: { params: Record<number, number> }) => Transform;
};
/** `ZSTD_c_checksumFlag` of zstd.h: without it a damaged file would be decompressed without an error. */
const ZSTD_CHECKSUM_FLAG = 201;

// Node.js writes no time into the gzip header, so the same rows give the same bytes.
const CODECS: Record<Compression, Codec> = {
  gzip: { ending: ".gz", createStream: () => zlib.createGzip({ level: 6, chunkSize: 64 * 1024 }) },
  zstd: {
    ending: ".zst",
    createStream: createZstdCompress && (() => createZstdCompress({ params: { [ZSTD_CHECKSUM_FLAG]: 1 } })),
  },
};

export const COMPRESSIONS = Object.keys(CODECS) as readonly Compression[];

/** Removes the extension of a compressed file from its name. */
export function withoutCompressionEnding(name: string): { stem: string; compression: Compression | undefined } {
  const compression = COMPRESSIONS.find((candidate) => name.toLowerCase().endsWith(CODECS[candidate].ending));
  const stem = compression === undefined ? name : name.slice(0, -CODECS[compression].ending.length);
  return { stem, compression };
}

export function withCompressionEnding(name: string, compression: Compression | undefined): string {
  return compression === undefined ? name : `${name}${CODECS[compression].ending}`;
}

/**
 * The compression of an output: the requested one, else the one of the file extension.
 *
 * @throws UsageError if the two contradict each other, or this Node.js lacks the codec.
 */
export function compressionFor(file: string | undefined, asked: Compression | undefined): Compression | undefined {
  const { stem, compression: byEnding } = withoutCompressionEnding(file ?? "");
  const compression = asked ?? byEnding;
  const renamed = (codec: Compression, isRight: boolean) => ({
    ...{ flag: "--output", value: file ?? "" },
    suggestions: isRight ? [withCompressionEnding(stem, codec)] : [],
  });
  if (compression !== undefined && CODECS[compression].createStream === undefined) {
    throw new UsageError(
      "zstd needs Node.js 22.15 or newer; gzip works with every version",
      byEnding === compression
        ? renamed("gzip", asked === undefined)
        : { flag: "--compress", value: compression, suggestions: ["gzip"] },
    );
  }
  if (asked !== undefined && byEnding !== undefined && asked !== byEnding) {
    throw new UsageError(
      `--compress ${asked} contradicts the ending ${CODECS[byEnding].ending} of ${file}`,
      renamed(asked, true),
    );
  }
  return compression;
}

/** A destination that compresses on the way to `sink`. It holds one chunk and the codec's own window. */
export function compressed(sink: Destination, compression: Compression): Destination {
  let { stream, drained } = codecTo(sink, compression);
  return {
    write: (chunk) =>
      new Promise((resolve) => {
        // If the sink fails, the stream is closed and may never call back.
        const closed = () => resolve(drained);
        stream.once("close", closed);
        stream.write(chunk, (error) => {
          stream.off("close", closed);
          resolve(error == null ? undefined : drained);
        });
      }),
    restart: async () => {
      stream.destroy();
      await drained.catch(() => undefined);
      const isRestarted = await sink.restart();
      ({ stream, drained } = codecTo(sink, compression));
      return isRestarted;
    },
    finish: async () => {
      stream.end();
      await drained;
      await sink.finish();
    },
    abandon: async () => {
      stream.destroy();
      await drained.catch(() => undefined);
      await sink.abandon();
    },
  };
}

function codecTo(sink: Destination, compression: Compression) {
  const stream = CODECS[compression].createStream?.();
  if (stream === undefined) {
    throw new Error(`no codec for ${compression}`);
  }
  const drained = pipeline(stream, async (source: AsyncIterable<Uint8Array>) => {
    for await (const chunk of source) {
      await sink.write(chunk);
    }
  });
  // The next write or finish reports the error; until then an unhandled rejection would end the process.
  drained.catch(() => undefined);
  return { stream, drained };
}
