import { createHmac, hash, timingSafeEqual } from "node:crypto";
import type { RowPlace } from "../../store/store.ts";
import { ServiceProblem } from "../service-problem.ts";

/** The position where a walk continues. */
interface WalkPosition {
  /** Number of rows of the filtered set before the position. */
  offset: number;
  /** Version of the data to which the offset belongs. */
  version: number;
  /** The last row before the position, unless its sku or id is too long for a URL. */
  after?: RowPlace | undefined;
  /** The selection to which it belongs, see `selectionDigest`. */
  selection: string;
}

const NUMBER_BYTES = 6;
const FORMAT = 3;
const [OFFSET_AT, VERSION_AT, ISSUED_AT, SELECTION_AT, PLACE_AT] = [1, 7, 13, 19, 28];
const SIGNATURE_BYTES = 32;
/** Longest place in bytes, so that the cursor fits into a URL with filters. */
const LONGEST_PLACE = 5_000;
const CURSOR = /^[\w-]{80,8000}$/;

/** Writes a position as an opaque cursor, signed with HMAC-SHA-256. @param now milliseconds since the epoch */
export function sealCursor({ offset, version, after, selection }: WalkPosition, secret: Buffer, now: number): string {
  const head = Buffer.alloc(PLACE_AT, FORMAT);
  head.writeUIntBE(offset, OFFSET_AT, NUMBER_BYTES);
  head.writeUIntBE(version, VERSION_AT, NUMBER_BYTES);
  head.writeUIntBE(now, ISSUED_AT, NUMBER_BYTES);
  head.write(selection, SELECTION_AT, "base64url");
  const place = Buffer.from(after === undefined ? "" : JSON.stringify(after));
  const payload = Buffer.concat(place.length > LONGEST_PLACE ? [head] : [head, place]);
  return Buffer.concat([payload, sign(payload, secret)]).toString("base64url");
}

/** Reads a cursor that is at most `ttl` milliseconds old. @throws ServiceProblem `invalid_cursor` */
export function openCursor(cursor: string, secret: Buffer, now: number, ttl: number): WalkPosition {
  const bytes = Buffer.from(CURSOR.test(cursor) ? cursor : "", "base64url");
  const payload = bytes.subarray(0, -SIGNATURE_BYTES);
  const signature = bytes.subarray(payload.length);
  // Each cursor has exactly one spelling.
  const isOwn =
    bytes.toString("base64url") === cursor &&
    signature.length === SIGNATURE_BYTES &&
    timingSafeEqual(signature, sign(payload, secret));
  if (!isOwn) {
    throw invalidCursor("The cursor was not issued by this service.");
  }
  if (now - payload.readUIntBE(ISSUED_AT, NUMBER_BYTES) > ttl) {
    throw invalidCursor("The cursor has expired.");
  }
  const place = payload.toString("utf8", PLACE_AT);
  return {
    offset: payload.readUIntBE(OFFSET_AT, NUMBER_BYTES),
    version: payload.readUIntBE(VERSION_AT, NUMBER_BYTES),
    after: place === "" ? undefined : (JSON.parse(place) as RowPlace),
    selection: payload.toString("base64url", SELECTION_AT, PLACE_AT),
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
