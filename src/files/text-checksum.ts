import { createHash } from "node:crypto";

const CHECKSUM = ',\n  "checksum": "';

/**
 * The JSON text of an object, with a last member `checksum`: the SHA-256 of the text before it.
 *
 * @param text of an object with members, without its closing brace
 */
export function withChecksum(text: string): string {
  return `${text}${CHECKSUM}${createHash("sha256").update(text).digest("hex")}"\n}\n`;
}

/** The text of a JSON document with its checksum. */
export function checkedJson(document: object): string {
  return withChecksum(JSON.stringify(document, undefined, 2).slice(0, -"\n}".length));
}

/** Whether a text is one that `withChecksum` made. */
export function isUnaltered(text: string): boolean {
  return text === withChecksum(text.slice(0, Math.max(text.lastIndexOf(CHECKSUM), 0)));
}
