import { createHmac, hash, timingSafeEqual } from "node:crypto";
import { ServiceProblem } from "../service-problem.ts";

/** The position where a walk continues. */
interface WalkPosition {
  /** Number of rows of the filtered set before the position. */
  offset: number;
  /** Version of the data to which the offset belongs. */
  version: number;
  /** Id of the last row before the position, and the selection to which it belongs, see `selectionDigest`. */
  after: number;
  selection: string;
}

const NUMBER_BYTES = 6;
const FORMAT = 2;
const [OFFSET_AT, VERSION_AT, ISSUED_AT, AFTER_AT, SELECTION_AT, PAYLOAD_BYTES] = [1, 7, 13, 19, 25, 34];
// 66 bytes have no spare bits in base64url, so each cursor has exactly one spelling.
const CURSOR = /^[\w-]{88}$/;

/** Writes a position as an opaque cursor, signed with HMAC-SHA-256. @param now milliseconds since the epoch */
export function sealCursor(position: WalkPosition, secret: Buffer, now: number): string {
  const { offset, version, after, selection } = position;
  const payload = Buffer.alloc(PAYLOAD_BYTES, FORMAT);
  payload.writeUIntBE(offset, OFFSET_AT, NUMBER_BYTES);
  payload.writeUIntBE(version, VERSION_AT, NUMBER_BYTES);
  payload.writeUIntBE(now, ISSUED_AT, NUMBER_BYTES);
  payload.writeUIntBE(after, AFTER_AT, NUMBER_BYTES);
  payload.write(selection, SELECTION_AT, "base64url");
  return Buffer.concat([payload, sign(payload, secret)]).toString("base64url");
}

/**
 * Reads a cursor back, which is valid for `ttl` milliseconds.
 *
 * @throws ServiceProblem `invalid_cursor` if the cursor has expired or was not signed with this secret.
 */
export function openCursor(cursor: string, secret: Buffer, now: number, ttl: number): WalkPosition {
  if (!CURSOR.test(cursor)) {
    throw invalidCursor("The cursor was not issued by this service.");
  }
  const bytes = Buffer.from(cursor, "base64url");
  const payload = bytes.subarray(0, PAYLOAD_BYTES);
  if (!timingSafeEqual(bytes.subarray(PAYLOAD_BYTES), sign(payload, secret))) {
    throw invalidCursor("The cursor was not issued by this service.");
  }
  if (now - payload.readUIntBE(ISSUED_AT, NUMBER_BYTES) > ttl) {
    throw invalidCursor("The cursor has expired.");
  }
  return {
    offset: payload.readUIntBE(OFFSET_AT, NUMBER_BYTES),
    version: payload.readUIntBE(VERSION_AT, NUMBER_BYTES),
    after: payload.readUIntBE(AFTER_AT, NUMBER_BYTES),
    selection: payload.toString("base64url", SELECTION_AT),
  };
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
