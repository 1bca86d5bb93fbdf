import { crc32 } from "node:zlib";
import type { Session, SqlValue } from "../database/database-session.ts";
import { DamagedDataError, type RowTexts, StaleSnapshotError } from "../store.ts";

const [NEWLINE, COMMA] = [10, 44];

/**
 * The rows with these ids, in this order. Each row is compared with its checksum, so that a flipped bit is an error and
 * never another value. The database joins the texts outside the event loop. The texts have no line breaks and are never
 * decoded.
 */
export async function readRowTexts(session: Session, ids: readonly number[]): Promise<RowTexts> {
  if (ids.length === 0) {
    return { count: 0, bytes: Buffer.alloc(0) };
  }
  const [[bytes, foundIds, foundSums] = []] = await session.query(session.dialect.rowTexts, [ids]);
  const found = JSON.parse(String(foundIds ?? "[]")) as number[];
  if (found.length !== ids.length) {
    throw new StaleSnapshotError("the data changed while its rows were read");
  }
  const texts = typeof bytes === "string" ? Buffer.from(bytes) : blobOf(bytes);
  checkAndJoin(texts, ids, found, JSON.parse(String(foundSums)) as number[]);
  return { count: found.length, bytes: texts };
}

/** Compares each text with its checksum, and replaces the line breaks between them by commas. */
function checkAndJoin(bytes: Buffer, ids: readonly number[], found: readonly number[], sums: readonly number[]): void {
  let start = 0;
  for (let index = 0; index < ids.length; index += 1) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    if (found[index] !== ids[index] || crc32(bytes.subarray(start, end)) !== sums[index]) {
      throw new DamagedDataError(`the row ${ids[index]} in the database is damaged`);
    }
    if (newline !== -1) {
      bytes[newline] = COMMA;
    }
    start = end + 1;
  }
  if (start !== bytes.length + 1) {
    throw new DamagedDataError("the row texts in the database are damaged");
  }
}

/** The bytes of a blob. @throws DamagedDataError for another type */
export function blobOf(value: SqlValue | undefined): Buffer {
  if (!Buffer.isBuffer(value)) {
    throw new DamagedDataError("a value in the database has another type than was written");
  }
  return value;
}
