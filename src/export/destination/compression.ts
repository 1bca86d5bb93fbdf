import { once } from "node:events";
import type { Transform } from "node:stream";
import * as zlib from "node:zlib";
import { UsageError } from "../../contract/errors.ts";
import type { Chunk, Encoder } from "../formats/encoder.ts";

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
  const name = file ?? "";
  const { stem, compression: byEnding } = withoutCompressionEnding(name);
  const compression = asked ?? byEnding;
  const renamed = (codec: Compression, isRight: boolean) => ({
    flag: "--output",
    value: name,
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
      `--compress ${asked} contradicts the ending ${CODECS[byEnding].ending} of ${name}`,
      renamed(asked, true),
    );
  }
  return compression;
}

/** Compresses the chunks of another encoder, if asked. Memory: one compressed chunk and the window of the codec. */
export function compressed<Input>(encoder: Encoder<Input>, compression: Compression | undefined): Encoder<Input> {
  if (compression === undefined) {
    return encoder;
  }
  const codec = CODECS[compression].createStream?.();
  if (codec === undefined) {
    throw new Error(`no codec for ${compression}`);
  }
  const packed: Uint8Array[] = [];
  codec.on("data", (bytes: Uint8Array) => packed.push(bytes));
  const pack = async (chunk: Chunk): Promise<Uint8Array> => {
    await new Promise<void>((resolve, reject) => {
      codec.write(chunk, (error) => (error == null ? resolve() : reject(error)));
    });
    return Buffer.concat(packed.splice(0));
  };
  return {
    encode: async (input) => await pack(await encoder.encode(input)),
    end: async function* () {
      for await (const chunk of encoder.end()) {
        yield await pack(chunk);
      }
      const ended = once(codec, "end");
      codec.end();
      await ended;
      yield Buffer.concat(packed);
    },
    ...(encoder.close !== undefined && { close: encoder.close }),
  };
}
