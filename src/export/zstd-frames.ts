const FRAME_MAGIC = 0xfd2fb528;
/** The last four bits of a skippable frame's magic number are free. */
const SKIPPABLE_MAGIC = 0x184d2a50;
const RAW_OR_COMPRESSED = new Set([0, 2]);
const RLE = 1;

/**
 * Cuts zstd data into its frames (RFC 8878, section 3.1), because the decoder of Node.js 24 drops the frames that follow
 * the first one in a single write. A frame must be read to its end before the next one is requested. Memory is one chunk.
 *
 * @throws Error from a frame if the data are not zstd frames or are cut off
 */
export async function* zstdFrames(chunks: AsyncIterable<Buffer>): AsyncGenerator<AsyncGenerator<Buffer>, void, void> {
  const input = createInput(chunks);
  while (!(await input.isAtEnd())) {
    yield frameOf(input);
  }
}

async function* frameOf(input: Input): AsyncGenerator<Buffer, void, void> {
  const magic = await input.take(4);
  yield magic;
  const number = magic.readUInt32LE();
  if ((number & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC) {
    const size = await input.take(4);
    yield size;
    yield* input.pass(size.readUInt32LE());
    return;
  }
  if (number !== FRAME_MAGIC) {
    throw new Error("a zstd frame was expected");
  }
  const descriptor = await input.take(1);
  yield descriptor;
  const flags = descriptor.readUInt8();
  yield* input.pass(lengthOfHeader(flags));
  for (let isLast = false; !isLast; ) {
    const header = await input.take(3);
    yield header;
    const block = header.readUIntLE(0, 3);
    const type = (block >> 1) & 3;
    isLast = (block & 1) === 1;
    if (type !== RLE && !RAW_OR_COMPRESSED.has(type)) {
      throw new Error("a zstd block has a reserved type");
    }
    yield* input.pass(type === RLE ? 1 : block >> 3);
  }
  const hasChecksum = ((flags >> 2) & 1) === 1;
  yield* input.pass(hasChecksum ? 4 : 0);
}

/** Bytes of a frame header after its descriptor: window, dictionary and content size. */
function lengthOfHeader(flags: number): number {
  const isSingleSegment = ((flags >> 5) & 1) === 1;
  const dictionary = [0, 1, 2, 4][flags & 3] ?? 0;
  const contentSize = [isSingleSegment ? 1 : 0, 2, 4, 8][flags >> 6] ?? 0;
  return (isSingleSegment ? 0 : 1) + dictionary + contentSize;
}

type Input = ReturnType<typeof createInput>;

function createInput(chunks: AsyncIterable<Buffer>) {
  const iterator = chunks[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  const isAtEnd = async (): Promise<boolean> => {
    while (held.length === 0) {
      const { done, value } = await iterator.next();
      if (done) {
        return true;
      }
      held = value;
    }
    return false;
  };
  async function* pass(length: number): AsyncGenerator<Buffer, void, void> {
    for (let left = length; left > 0; ) {
      if (await isAtEnd()) {
        throw new Error("a zstd frame is cut");
      }
      const part = held.subarray(0, left);
      held = held.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }
  const take = async (length: number): Promise<Buffer> => {
    const parts: Buffer[] = [];
    for await (const part of pass(length)) {
      parts.push(part);
    }
    return Buffer.concat(parts);
  };
  return { isAtEnd, pass, take };
}
