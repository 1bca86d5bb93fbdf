import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { isCalendarDate } from "../../contract/filters.ts";
import { FileError } from "../../errors.ts";
import { assertOwnFolder, makeOwnFolder, openOwnFile, removeOwnFile } from "../../files/own-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { ownFolderOf } from "../folder/folder-lock.ts";
import type { DayPrices } from "./day-prices.ts";

/** Bumped on incompatible changes; a file of another version is made again. */
const VERSION = 1;

const NUMBERS = ["mrp", "selling_price", "discount_pct"] as const;

/**
 * The second line of a file. The first is the CRC-32 of all that follows, in hexadecimal; the numbers of the rows come
 * behind both, from a multiple of 8 bytes on.
 */
interface Header extends Pick<DayPrices, "day" | "rows" | "combinations" | "currencies" | "skus"> {
  version: number;
  /** Of the day's Parquet file. */
  sha256: string;
}

/** Bytes of the first line. */
const CHECKSUM_LINE = 9;

function cacheFolderOf(folder: string): string {
  return join(ownFolderOf(folder), "prices");
}

/**
 * The kept prices of a day.
 *
 * @param sha256 of the day's file as it is now
 * @returns undefined if nothing is kept, or what is kept is damaged or of another file
 */
export async function readCachedPrices(folder: string, day: string, sha256: string): Promise<DayPrices | undefined> {
  let bytes: Buffer;
  try {
    const file = await openOwnFile(join(cacheFolderOf(folder), day));
    try {
      bytes = await file.readFile();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof FileError) {
      return undefined;
    }
    throw error;
  }
  const header = headerOf(bytes);
  if (header?.sha256 !== sha256 || header.version !== VERSION) {
    return undefined;
  }
  return fromNumbers(header, aligned(bytes.subarray(numbersAt(bytes.indexOf("\n", CHECKSUM_LINE) + 1))));
}

/** Keeps the prices of a day, where the folder can be written; a cache that cannot be kept is no failure. */
export async function writeCachedPrices(folder: string, prices: DayPrices, sha256: string, pid: number): Promise<void> {
  const { day, rows, combinations, currencies, skus } = prices;
  const numbers = Buffer.concat(
    [...NUMBERS.map((name) => prices[name]), prices.combination, prices.skuEnds, prices.currency].map((column) =>
      Buffer.from(column.buffer, column.byteOffset, column.byteLength),
    ),
  );
  const header: Header = { version: VERSION, day, sha256, rows, combinations, currencies, skus };
  const line = Buffer.from(`${JSON.stringify(header)}\n`);
  const start = CHECKSUM_LINE + line.length;
  const content = Buffer.concat([line, Buffer.alloc(numbersAt(start) - start), numbers]);
  try {
    await makeOwnFolder(cacheFolderOf(folder));
    const path = join(cacheFolderOf(folder), day);
    // Not made safe against a loss of power: a damaged cache is noticed, and made again.
    await replaceFile(path, Buffer.concat([checksumLine(content), content]), { tag: pid, durable: false });
  } catch (error) {
    if (!(error instanceof FileError)) {
      throw error;
    }
  }
}

/** Removes the kept prices of days that the folder no longer has; a planted link is not followed. */
export async function dropCachedPrices(folder: string, isHeld: (day: string) => boolean): Promise<void> {
  const own = cacheFolderOf(folder);
  try {
    await assertOwnFolder(own);
    const kept = await readdir(own).catch(() => []);
    await Promise.all(
      kept.filter((name) => isCalendarDate(name) && !isHeld(name)).map((day) => removeOwnFile(join(own, day))),
    );
  } catch (error) {
    if (!(error instanceof FileError)) {
      throw error;
    }
  }
}

/** Undefined if the file is damaged. */
function headerOf(bytes: Buffer): Header | undefined {
  const content = bytes.subarray(CHECKSUM_LINE);
  if (!checksumLine(content).equals(bytes.subarray(0, CHECKSUM_LINE))) {
    return undefined;
  }
  return JSON.parse(content.toString("utf8", 0, content.indexOf("\n"))) as Header;
}

function checksumLine(content: Uint8Array): Buffer {
  return Buffer.from(
    `${crc32(content)
      .toString(16)
      .padStart(CHECKSUM_LINE - 1, "0")}\n`,
  );
}

/** Numbers of 8 bytes can be read in place from a multiple of 8 on. */
function numbersAt(length: number): number {
  return Math.ceil(length / 8) * 8;
}

function aligned(bytes: Buffer): Uint8Array {
  return bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes);
}

function fromNumbers({ day, rows, combinations, currencies, skus }: Header, bytes: Uint8Array): DayPrices {
  let at = bytes.byteOffset;
  const take = <T>(width: number, view: (buffer: ArrayBufferLike, offset: number, length: number) => T): T => {
    const taken = view(bytes.buffer, at, rows);
    at += rows * width;
    return taken;
  };
  const doubles = () => take(8, (buffer, offset, length) => new Float64Array(buffer, offset, length));
  const integers = () => take(4, (buffer, offset, length) => new Uint32Array(buffer, offset, length));
  const [mrp, selling_price, discount_pct] = [doubles(), doubles(), doubles()];
  const [combination, skuEnds] = [integers(), integers()];
  const currency = take(1, (buffer, offset, length) => new Uint8Array(buffer, offset, length));
  return {
    ...{ day, rows, combinations, combination, skus, skuEnds },
    ...{ currencies, currency, mrp, selling_price, discount_pct },
  };
}
