import { CredentialsError } from "../contract/errors.ts";
import { API_KEY_LENGTH } from "../contract/limits.ts";

/** Bytes of a text with a key and white space. A longer one is a mistake, such as the wrong file. */
export const MAX_KEY_TEXT = 64 * 1024;

/** The first match is reported. */
const FLAWS: readonly (readonly [RegExp, string])[] = [
  [/^\s*$/u, "it is blank"],
  [/^\s*bearer\s/iu, "it starts with the word `Bearer`, which the tool adds by itself"],
  [/^\s*(["'`]).*\1\s*$/su, "it is in quotes"],
  [/[\r\n]/u, "it contains a line break"],
  [/\s/u, "it contains white space"],
  [/\p{Cc}/u, "it contains a control character"],
  [/[^\x20-\x7e]/u, "it contains a character that is not ASCII"],
];

/**
 * The visible flaw of an API key (contract section 5 rule 2), as the end of a sentence that starts with "the key …". It
 * does not contain any part of the key.
 *
 * @returns undefined for a key that looks right.
 */
export function keyFlaw(key: string): string | undefined {
  const flaw = FLAWS.find(([pattern]) => pattern.test(key))?.[1];
  if (flaw !== undefined || key.length === API_KEY_LENGTH) {
    return flaw;
  }
  const unit = key.length === 1 ? "character" : "characters";
  return `it has ${key.length} ${unit} instead of ${API_KEY_LENGTH}`;
}

/**
 * @param source where the key comes from, in words
 * @throws CredentialsError for a key that no HTTP header can carry (RFC 9110 section 5.5): blank, with
 * control characters such as line breaks, or with characters beyond Latin-1
 */
export function assertSendable(key: string, source: string): void {
  if (key.trim() === "" || /[^\x20-\x7e\xa0-\xff]/u.test(key)) {
    throw new CredentialsError(`the API key of ${source} cannot be sent: ${keyFlaw(key)}.`);
  }
}
