import { Readable } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { zstdFrames } from "../../src/export/zstd-frames.ts";

const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

function block(type: number, size: number, isLast: boolean, content: Buffer): Buffer {
  const header = Buffer.alloc(3);
  header.writeUIntLE((size << 3) | (type << 1) | (isLast ? 1 : 0), 0, 3);
  return Buffer.concat([header, content]);
}

/** Frames as RFC 8878 describes them, by hand: with every form of header, raw and repeated blocks, and a checksum. */
const FRAMES = [
  Buffer.concat([MAGIC, Buffer.from([0x00, 0x58]), block(0, 3, true, Buffer.from("abc"))]),
  Buffer.concat([
    MAGIC,
    Buffer.from([0x20, 7]),
    block(0, 2, false, Buffer.from("de")),
    block(1, 5, true, Buffer.from("f")),
  ]),
  Buffer.concat([MAGIC, Buffer.from([0x44, 0x58, 1, 0]), block(2, 4, true, Buffer.from("ghij")), Buffer.alloc(4, 9)]),
  Buffer.concat([
    MAGIC,
    Buffer.from([0xe7, 1, 2, 3, 4]),
    Buffer.alloc(8),
    block(0, 0, true, Buffer.of()),
    Buffer.alloc(4),
  ]),
  Buffer.concat([Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0]), Buffer.from("xyz")]),
];

async function framesOf(chunks: readonly Buffer[]): Promise<Buffer[]> {
  const frames: Buffer[] = [];
  for await (const frame of zstdFrames(Readable.from(chunks))) {
    const parts: Buffer[] = [];
    for await (const part of frame) {
      parts.push(part);
    }
    frames.push(Buffer.concat(parts));
  }
  return frames;
}

test("frames are found wherever the chunks end", async () => {
  const bytes = Buffer.concat(FRAMES);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
      const ends = [0, ...cuts.sort((a, b) => a - b), bytes.length];
      const chunks = ends.slice(1).map((end, index) => bytes.subarray(ends[index], end));
      expect(await framesOf(chunks)).toEqual(FRAMES);
    }),
  );
});

test("cut data and other data are errors", async () => {
  const [first = Buffer.of()] = FRAMES;
  await expect(framesOf([first.subarray(0, -1)])).rejects.toThrow("cut");
  await expect(framesOf([first, Buffer.from("no frame")])).rejects.toThrow("a zstd frame was expected");
  await expect(framesOf([MAGIC, Buffer.from([0, 0, 7, 0, 0])])).rejects.toThrow("reserved type");
});
