import { BACKSLASH } from "../../../rows/json-bytes.ts";
import type { OutputBytes } from "../output-bytes.ts";

/** Most characters of a cell, in UTF-16 code units. */
const LONGEST_TEXT = 32_767;

const SPACE = 32;
const AMPERSAND = 38;
const LESS = 60;
const GREATER = 62;
const UNDERSCORE = 95;
const SMALL_X = 120;

/** First byte of the characters from U+F000 on. XML lacks two of them, U+FFFE and U+FFFF. */
const LAST_CHARACTERS = 0xef;

const XML_ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;" };

/** Most bytes of one character in XML. */
const LONGEST_ENTITY = "&quot;".length;

/** Text as the value of an attribute. */
export function attributeText(text: string): string {
  return text.replace(/[&<>"]/g, (character) => XML_ENTITIES[character] ?? "");
}

/**
 * Text as a cell holds it (ISO/IEC 29500-1, 22.9.2.19): a character that XML lacks is `_xHHHH_`, and a text that looks
 * like one of these has its underscore escaped. A line end is a reference, so that each row of a sheet is one line.
 */
export function cellText(text: string): string {
  return (
    text
      .replace(/_(?=x[\dA-Fa-f]{4}_)/g, "_x005F_")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what XML lacks.
      .replace(/[\x00-\x08\x0b-\x1f\ufffe\uffff]/g, (character) => {
        return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;
      })
      .replace(/[&<>\n]/g, (character) => XML_ENTITIES[character] ?? "")
  );
}

/** The text that a cell can hold: the first 32,767 characters, without half of a surrogate pair at the end. */
export function cutText(text: string): string {
  const cut = text.slice(0, LONGEST_TEXT);
  return cut.length < text.length && /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** Whether a reader of XML may drop white space of the text. */
export function hasOuterSpace(text: string): boolean {
  return text.trim().length < text.length;
}

/**
 * Adds the inside of a JSON string as the text of a cell, if that only takes copying.
 *
 * @returns false if the text has to be parsed; then nothing was added
 */
export function addPlainText(bytes: Buffer, start: number, end: number, output: OutputBytes): boolean {
  if (end - start > LONGEST_TEXT || bytes[start] === SPACE || bytes[end - 1] === SPACE) {
    return false;
  }
  output.reserve((end - start) * LONGEST_ENTITY);
  const target = output.bytes;
  let to = output.length;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] as number;
    if (byte === AMPERSAND || byte === LESS || byte === GREATER) {
      to += target.write(XML_ENTITIES[String.fromCharCode(byte)] ?? "", to, "latin1");
      continue;
    }
    const isSpecial = byte < SPACE || byte === BACKSLASH || byte === LAST_CHARACTERS;
    if (isSpecial || (byte === UNDERSCORE && bytes[at + 1] === SMALL_X)) {
      return false;
    }
    target[to] = byte;
    to += 1;
  }
  output.length = to;
  return true;
}
