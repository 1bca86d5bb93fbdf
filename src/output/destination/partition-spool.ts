import { type FileHandle, open, rm } from "node:fs/promises";
import { onOneLine } from "../../contract/raw-json.ts";
import { fileError } from "../../files/system-error.ts";

/**
 * Sorts rows that come in any order into partitions, through one file on disk. Memory: `BUFFER_CHARACTERS` of rows and
 * a place of 16 bytes for each run of rows of one partition that was written; one file is open, however many partitions
 * there are. Rows of a partition stay in the order in which they came.
 */
export interface PartitionSpool {
  add(partition: string, row: string): Promise<void>;
  /** Writes what is buffered; resolves to the length of the file. */
  flush(): Promise<number>;
  /** Takes back everything after the first `length` bytes, as `flush` once gave them. */
  truncate(length: number): Promise<void>;
  /** Every partition that has rows, by code units. */
  partitions(): string[];
  /** The rows of one partition, in parts; everything must have been flushed. */
  read(partition: string): AsyncGenerator<readonly string[], void, void>;
  /** Removes the file. */
  close(): Promise<void>;
}

interface Place {
  offset: number;
  length: number;
}

const BUFFER_CHARACTERS = 16 * 1024 * 1024;

/** Opens a spool in a new file at `path`. */
export async function openPartitionSpool(path: string): Promise<PartitionSpool> {
  const handle = await reporting(path, () => open(path, "w+"));
  const places = new Map<string, Place[]>();
  let buffered = new Map<string, string[]>();
  let characters = 0;
  let length = 0;

  async function flush(): Promise<number> {
    const parts: Buffer[] = [];
    let end = length;
    const added: [string, Place][] = [];
    for (const [partition, rows] of buffered) {
      const part = Buffer.from(`${rows.join("\n")}\n`);
      parts.push(part);
      added.push([partition, { offset: end, length: part.length }]);
      end += part.length;
    }
    await reporting(path, () => writeAt(handle, Buffer.concat(parts), length));
    for (const [partition, place] of added) {
      const known = places.get(partition);
      known === undefined ? places.set(partition, [place]) : known.push(place);
    }
    buffered = new Map();
    characters = 0;
    length = end;
    return length;
  }

  return {
    add: async (partition, row) => {
      const line = onOneLine(row);
      const rows = buffered.get(partition);
      rows === undefined ? buffered.set(partition, [line]) : rows.push(line);
      characters += line.length;
      if (characters >= BUFFER_CHARACTERS) {
        await flush();
      }
    },
    flush,
    truncate: async (shorter) => {
      buffered = new Map();
      characters = 0;
      length = shorter;
      for (const [partition, all] of places) {
        const kept = all.filter(({ offset }) => offset < shorter);
        kept.length === 0 ? places.delete(partition) : places.set(partition, kept);
      }
      await reporting(path, () => handle.truncate(shorter));
    },
    partitions: () => [...places.keys()].sort(),
    read: async function* (partition) {
      for (const place of places.get(partition) ?? []) {
        const part = Buffer.alloc(place.length);
        const { bytesRead } = await reporting(path, () => handle.read(part, 0, place.length, place.offset));
        if (bytesRead !== place.length) {
          throw fileError(path, new Error(`it holds fewer than the ${length} bytes that were written`));
        }
        yield part.toString("utf8", 0, place.length - 1).split("\n");
      }
    },
    close: async () => {
      await handle.close();
      await rm(path, { force: true });
    },
  };
}

async function writeAt(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += (await handle.write(bytes, written, bytes.length - written, position + written)).bytesWritten;
  }
}

async function reporting<T>(path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw fileError(path, error);
  }
}
