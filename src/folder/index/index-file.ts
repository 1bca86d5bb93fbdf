import type { FileHandle } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { formatRcd, isCalendarDate, parseRcd, type Rcd } from "../../contract/filters.ts";
import { isJsonObject } from "../../contract/values/json-object.ts";
import { openOwnFile } from "../../files/own-file.ts";
import { readAt } from "../../files/read-at.ts";
import { withFileError } from "../../files/system-error.ts";
import { bytesOfRows } from "./day-prices.ts";
import { type Listings, type PackedListings, type TextColumn, unpackListings } from "./listings.ts";

/**
 * The last twelve bytes of an index are three numbers: this mark, the length in bytes of the footer before them, and the
 * CRC-32 of all bytes before it. The mark is changed on incompatible changes. A machine with the other byte order reads
 * another mark.
 */
const MARK = 0x70726903;
const TRAILER = 12;

/** A day in an index, and where its columns begin. */
export interface IndexedDay {
  day: string;
  /** Of the day's Parquet file. */
  sha256: string;
  rows: number;
  at: number;
}

/** The prices of a folder by day. */
export interface PriceIndex {
  days: ReadonlyMap<string, IndexedDay>;
  listings: Listings;
  /** Rows removed since the last full rebuild. Their listings are still in it. */
  dropped: number;
  /** Fills `target` with the bytes from `at` on. */
  read(target: Uint8Array, at: number): Promise<void>;
  close(): Promise<void>;
}

/** Where an index is written to. */
export interface IndexStore extends Pick<PriceIndex, "read" | "close"> {
  /** @returns where the bytes begin */
  append(bytes: Uint8Array): Promise<number>;
}

interface Footer extends Pick<PackedListings, "combinations" | "currencies"> {
  days: readonly IndexedDay[];
  dropped: number;
  /** Number of the listings, and the bytes of their texts. */
  listings: number;
  skuBytes: number;
  titleBytes: number;
  modelBytes: number;
  /** Where the listings begin. */
  at: number;
}

/** Opens an index. Returns undefined if there is none, or if it is damaged or of another version. */
export async function openIndex(path: string): Promise<PriceIndex | undefined> {
  const file = await openOwnFile(path).catch(() => undefined);
  const index = file && (await readIndex(path, file).catch(() => undefined));
  if (index === undefined) {
    await file?.close();
  }
  return index;
}

async function readIndex(path: string, file: FileHandle): Promise<PriceIndex | undefined> {
  const { read, close } = inFile(path, file);
  const { size } = await file.stat();
  const trailer = new Uint32Array(TRAILER / 4);
  await read(new Uint8Array(trailer.buffer), size - TRAILER);
  const [mark, length = 0, checksum] = trailer;
  if (mark !== MARK || checksum !== (await checksumOf(file, size - 4))) {
    return undefined;
  }
  // Whoever made the checksum may have made it for any number, so that nothing is reserved before it is seen to be there.
  if (length > size - TRAILER) {
    return undefined;
  }
  const text = Buffer.alloc(length);
  await read(text, size - TRAILER - length);
  const footer: unknown = JSON.parse(text.toString());
  if (!isFooter(footer, size - TRAILER - length)) {
    return undefined;
  }
  const { days, dropped, at } = footer;
  const bytes = new Uint8Array(bytesOfListings(footer));
  await read(bytes, at);
  const listings = listingsIn(bytes, footer);
  return listings && { days: new Map(days.map((day) => [day.day, day])), listings, dropped, read, close };
}

/** The listings of an index; undefined if they have numbers of what is not there. */
function listingsIn({ buffer }: Uint8Array<ArrayBuffer>, footer: Footer): Listings | undefined {
  const { combinations, currencies, listings, skuBytes, titleBytes, modelBytes } = footer;
  const column = (index: number) => new Uint32Array(buffer, index * 4 * listings, listings);
  let at = 6 * 4 * listings;
  const texts = (ends: Uint32Array, length: number): TextColumn => {
    at += length;
    return { bytes: Buffer.from(buffer, at - length, length), ends };
  };
  const packed: PackedListings = {
    ...{ combinations, currencies, product: column(0), combination: column(1), currency: column(2) },
    skus: texts(column(3), skuBytes),
    titles: texts(column(4), titleBytes),
    models: texts(column(5), modelBytes),
  };
  const isSound =
    packed.product.every((product) => product < listings) &&
    packed.combination.every((combination) => combination < combinations.length) &&
    packed.currency.every((currency) => currency < currencies.length) &&
    [packed.skus, packed.titles, packed.models].every(areEnds);
  return isSound ? unpackListings(packed) : undefined;
}

function bytesOfListings({ listings, skuBytes, titleBytes, modelBytes }: Footer): number {
  return 6 * 4 * listings + skuBytes + titleBytes + modelBytes;
}

/** @param end of what is before the footer */
function isFooter(footer: unknown, end: number): footer is Footer {
  if (!isJsonObject(footer)) {
    return false;
  }
  const { days, dropped, combinations, currencies, listings, skuBytes, titleBytes, modelBytes, at } = footer;
  const numbers = [dropped, listings, skuBytes, titleBytes, modelBytes, at];
  return (
    numbers.every(isWholeNumber) &&
    Number(at) + bytesOfListings(footer as unknown as Footer) <= end &&
    Array.isArray(combinations) &&
    combinations.every((rcd) => isJsonObject(rcd) && parseRcd(formatRcd(rcd as unknown as Rcd)) !== undefined) &&
    Array.isArray(currencies) &&
    currencies.every((currency) => typeof currency === "string") &&
    Array.isArray(days) &&
    days.every(
      (held) =>
        isJsonObject(held) &&
        typeof held.day === "string" &&
        isCalendarDate(held.day) &&
        typeof held.sha256 === "string" &&
        [held.rows, held.at].every(isWholeNumber) &&
        Number(held.at) + bytesOfRows(Number(held.rows)) <= end,
    )
  );
}

function isWholeNumber(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Whether they ascend to the end of the texts. */
function areEnds({ bytes, ends }: TextColumn): boolean {
  return ends.every((end, index) => end >= (ends[index - 1] ?? 0)) && (ends.at(-1) ?? 0) === bytes.length;
}

/** Writes the end of an index after the columns of its days. */
export async function finishIndex(
  store: IndexStore,
  days: readonly IndexedDay[],
  packed: PackedListings,
  dropped: number,
): Promise<PriceIndex> {
  const { combinations, currencies, product, combination, currency, skus, titles, models } = packed;
  const at = await store.append(bytesOf(product));
  for (const column of [combination, currency, skus.ends, titles.ends, models.ends]) {
    await store.append(bytesOf(column));
  }
  for (const { bytes } of [skus, titles, models]) {
    await store.append(bytes);
  }
  const footer: Footer = {
    ...{ days, dropped, combinations, currencies, listings: product.length, at },
    ...{ skuBytes: skus.bytes.length, titleBytes: titles.bytes.length, modelBytes: models.bytes.length },
  };
  const text = Buffer.from(JSON.stringify(footer));
  await store.append(text);
  await store.append(bytesOf(Uint32Array.of(MARK, text.length)));
  const { read, close } = store;
  return { days: new Map(days.map((day) => [day.day, day])), listings: unpackListings(packed), dropped, read, close };
}

/**
 * An index in a file, which must be empty. `finish` writes the checksum.
 *
 * @throws FileError, from each of its functions, if the file cannot be written or read
 */
export function storeInFile(path: string, file: FileHandle): IndexStore & { finish(): Promise<void> } {
  let [length, checksum] = [0, 0];
  const append = async (bytes: Uint8Array) => {
    const at = length;
    // Not `write`, which may write less than it is given.
    await withFileError(path, () => file.appendFile(bytes));
    length += bytes.length;
    // Of no bytes, `crc32` may give 0 instead of what it is given.
    checksum = bytes.length === 0 ? checksum : crc32(bytes, checksum);
    return at;
  };
  return { ...inFile(path, file), append, finish: async () => void (await append(bytesOf(Uint32Array.of(checksum)))) };
}

/** An index in memory. */
export function storeInMemory(): IndexStore {
  const parts = new Map<number, Uint8Array>();
  let length = 0;
  return {
    append: async (bytes) => {
      const at = length;
      parts.set(at, bytes);
      length += bytes.length;
      return at;
    },
    // What is empty has the place of what comes after it.
    read: async (target, at) => target.set(parts.get(at)?.subarray(0, target.length) ?? []),
    close: async () => {},
  };
}

function inFile(path: string, file: FileHandle): Pick<PriceIndex, "read" | "close"> {
  return {
    read: (target, at) => withFileError(path, () => readAt(file, target, at)),
    close: () => file.close(),
  };
}

async function checksumOf(file: FileHandle, length: number): Promise<number> {
  const chunk = Buffer.alloc(1024 * 1024);
  let checksum = 0;
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, length - at), at);
    if (bytesRead === 0) {
      return Number.NaN;
    }
    checksum = crc32(chunk.subarray(0, bytesRead), checksum);
    at += bytesRead;
  }
  return checksum;
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
