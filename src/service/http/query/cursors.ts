import { createHmac, hash, timingSafeEqual } from "node:crypto";
import type { RowPlace } from "../../store/store-types.ts";
import { ServiceProblem } from "../service-problem.ts";

/** The position where a walk continues. */
interface WalkPosition {
  /** Number of rows of the filtered set before the position. */
  offset: number;
  /** Version of the data to which the offset belongs. */
  version: number;
  /** The last row before the position, unless its sku or id is too long for a URL. */
  after?: RowPlace | undefined;
  /** The selection to which the cursor belongs, see `selectionDigest`. */
  selection: string;
  /** Milliseconds since the epoch. */
  issuedAt: number;
}

const SIGNATURE_BYTES = 32;
/** Longest place in bytes, so that the cursor fits into a URL with filters. */
const LONGEST_PLACE = 5_000;
const CURSOR = /^[\w-]{80,8000}$/;

/** Writes a position as an opaque cursor, signed with HMAC-SHA-256. */
export function sealCursor(position: WalkPosition, secret: Buffer): string {
  const isLong = Buffer.byteLength(JSON.stringify(position.after) ?? "") > LONGEST_PLACE;
  const payload = Buffer.from(JSON.stringify(isLong ? { ...position, after: undefined } : position));
  return Buffer.concat([sign(payload, secret), payload]).toString("base64url");
}

/** Reads a cursor that is at most `ttl` milliseconds old. @throws ServiceProblem `invalid_cursor` */
export function openCursor(cursor: string, secret: Buffer, now: number, ttl: number): WalkPosition {
  const bytes = Buffer.from(CURSOR.test(cursor) ? cursor : "", "base64url");
  const signature = bytes.subarray(0, SIGNATURE_BYTES);
  const payload = bytes.subarray(SIGNATURE_BYTES);
  // Base64 has several spellings of the same bytes; only the one that was issued is a cursor.
  const isOwn =
    bytes.toString("base64url") === cursor &&
    signature.length === SIGNATURE_BYTES &&
    timingSafeEqual(signature, sign(payload, secret));
  if (!isOwn) {
    throw invalidCursor("The cursor was not issued by this service.");
  }
  const position = JSON.parse(payload.toString()) as WalkPosition;
  if (now - position.issuedAt > ttl) {
    throw invalidCursor("The cursor has expired.");
  }
  return position;
}

/** Nine bytes in base64url that differ between selections. @param key of the selection */
export function selectionDigest(key: string): string {
  return hash("sha256", key, "base64url").slice(0, 12);
}

export function invalidCursor(detail: string): ServiceProblem {
  return new ServiceProblem("invalid_cursor", detail, { field: "cursor" });
}

function sign(payload: Buffer, secret: Buffer): Buffer {
  return createHmac("sha256", secret).update("cursor").update(payload).digest();
}
