import { pipeline } from "node:stream";
import zlib, { createGunzip } from "node:zlib";
import { ContentError } from "./content-error.ts";

type Chunks = AsyncIterable<Uint8Array>;

/** Type of a file, detected from its first bytes; `text` is everything that is not recognised. */
export type ContentKind = "Parquet" | "ZIP" | "JSON" | "text";

/** What a message calls a content. */
export const KIND_IN_WORDS: Readonly<Record<ContentKind, string>> = {
  Parquet: "a Parquet file",
  ZIP: "an Excel file or a ZIP archive",
  JSON: "JSON",
  text: "text",
};

export interface SourceContent {
  kind: ContentKind;
  /** The first character that is not white space. */
  start: string;
  /** All bytes, decompressed. */
  chunks: Chunks;
  isCompressed: boolean;
}

const { createZstdDecompress } = zlib as { createZstdDecompress?: typeof createGunzip };
const READ_BYTES = 256 * 1024;

/** Unsupported file types, by their first bytes. */
const REFUSED: readonly [start: string, what: string][] = [
  ["\u00ff\u00fe", "UTF-16 text; write it as UTF-8, for example with `iconv -f UTF-16 -t UTF-8`"],
  ["\u00fe\u00ff", "UTF-16 text; write it as UTF-8, for example with `iconv -f UTF-16 -t UTF-8`"],
  ["\u00d0\u00cf\u0011\u00e0", "an old Excel file; save it as .xlsx"],
  ["BZh", "compressed with bzip2; decompress it first"],
  ["\u00fd7zXZ", "compressed with xz; decompress it first"],
];

/**
 * Decompresses gzip and zstd, and recognises the rest by its first bytes, whatever the name of the file is.
 *
 * @throws ContentError for an unsupported file type
 */
export async function openContent(input: Chunks): Promise<SourceContent> {
  const packed = await peek(input);
  const codec = codecOf(packed.head);
  // An error of the input is thrown by the decompressor.
  const { head, chunks } = codec === undefined ? packed : await peek(pipeline(packed.chunks, codec, () => undefined));
  const start = head.toString("latin1");
  const refused = REFUSED.find(([mark]) => start.startsWith(mark));
  if (refused !== undefined) {
    throw new ContentError(`is ${refused[1]}`);
  }
  // `\s` matches a byte order mark, and a short head is padded with zeros.
  const [first = ""] = /[^\s\0]/u.exec(head.toString()) ?? [];
  return { kind: kindOf(start, first), start: first, chunks, isCompressed: codec !== undefined };
}

function kindOf(start: string, first: string): ContentKind {
  if (start.startsWith("PAR1")) {
    return "Parquet";
  }
  if (start.startsWith("PK\u0003\u0004")) {
    return "ZIP";
  }
  return first === "{" || first === "[" ? "JSON" : "text";
}

function codecOf(head: Buffer) {
  if (head.readUInt16BE(0) === 0x1f_8b) {
    return createGunzip({ chunkSize: READ_BYTES });
  }
  if (head.readUInt32BE(0) !== 0x28_b5_2f_fd) {
    return undefined;
  }
  if (createZstdDecompress === undefined) {
    throw new ContentError("is compressed with zstd, which needs Node.js 22.15 or newer; decompress it first");
  }
  return createZstdDecompress({ chunkSize: READ_BYTES });
}

/** The first bytes, padded with zeros to four, and a stream of the whole input. */
async function peek(input: Chunks): Promise<{ head: Buffer; chunks: Chunks }> {
  const iterator = input[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < 4) {
    const { done, value } = await iterator.next();
    if (done === true) {
      break;
    }
    head = Buffer.concat([head, value]);
  }
  return { head: Buffer.concat([head], Math.max(head.length, 4)), chunks: prepend(head, iterator) };
}

async function* prepend(head: Buffer, iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield head;
    yield* { [Symbol.asyncIterator]: () => iterator };
  } finally {
    await iterator.return?.();
  }
}
