import { crc32, deflateRawSync } from "node:zlib";

/** An entry of an archive, as its central directory describes it. */
export interface ZipEntry {
  /** ASCII. */
  name: string;
  /** CRC-32 of the content. */
  crc: number;
  /** Bytes of the content. */
  size: number;
  /** Bytes of the content in the archive, compressed. */
  packed: number;
  /** Where its local header begins. */
  offset: number;
  /** Whether checksum and sizes follow the content, because they were not known before. */
  streamed: boolean;
}

const LOCAL_HEADER = 0x04034b50;
const DATA_DESCRIPTOR = 0x08074b50;
const CENTRAL_HEADER = 0x02014b50;
const END_OF_DIRECTORY = 0x06054b50;

/** Version 2.0 of the format, which has deflate. */
const ZIP_VERSION = 20;
const STREAMED_FLAG = 8;
const DEFLATE = 8;
/** 1980-01-01, the first date of the format: the same rows give the same bytes. */
const NO_DATE = 0x21;

/** An entry whose content is known, and its bytes in an archive (APPNOTE.TXT of PKWARE, 4.3). */
export function wholeEntry(name: string, content: Buffer, offset: number): { entry: ZipEntry; bytes: Buffer } {
  const packed = deflateRawSync(content);
  const sizes = { crc: crc32(content), size: content.length, packed: packed.length };
  const entry = { name, ...sizes, offset, streamed: false };
  return { entry, bytes: Buffer.concat([localHeader(entry), packed]) };
}

/** What precedes the content of an entry. */
export function localHeader({ streamed, ...entry }: ZipEntry): Buffer {
  const header = [
    ...u32(LOCAL_HEADER),
    ...sharedFields(streamed ? { ...entry, crc: 0, size: 0, packed: 0 } : entry, streamed),
  ];
  return Buffer.from([...header, ...u16(0), ...Buffer.from(entry.name)]);
}

/** What follows the content of a streamed entry. */
export function dataDescriptor({ crc, packed, size }: ZipEntry): Buffer {
  return Buffer.from([DATA_DESCRIPTOR, crc, packed, size].flatMap(u32));
}

/** The end of an archive. `offset`: bytes of the archive up to here. */
export function centralDirectory(entries: readonly ZipEntry[], offset: number): Buffer {
  const headers = entries.map((entry) =>
    Buffer.from([
      ...u32(CENTRAL_HEADER),
      ...u16(ZIP_VERSION),
      ...sharedFields(entry, entry.streamed),
      // Lengths of extra fields and comment, number of the disk, attributes.
      ...[0, 0, 0, 0].flatMap(u16),
      ...u32(0),
      ...u32(entry.offset),
      ...Buffer.from(entry.name),
    ]),
  );
  const size = headers.reduce((sum, { length }) => sum + length, 0);
  const counts = [0, 0, entries.length, entries.length].flatMap(u16);
  const end = [...u32(END_OF_DIRECTORY), ...counts, ...u32(size), ...u32(offset), ...u16(0)];
  return Buffer.concat([...headers, Buffer.from(end)]);
}

/** The fields that local and central header share, up to the length of the name. */
function sharedFields({ crc, packed, size, name }: Omit<ZipEntry, "streamed">, streamed: boolean): number[] {
  const words = [ZIP_VERSION, streamed ? STREAMED_FLAG : 0, DEFLATE, 0, NO_DATE].flatMap(u16);
  return [...words, ...[crc, packed, size].flatMap(u32), ...u16(name.length)];
}

function u16(value: number): number[] {
  return [value & 0xff, value >>> 8];
}

function u32(value: number): number[] {
  return [...u16(value & 0xffff), ...u16(value >>> 16)];
}
