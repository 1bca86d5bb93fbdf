/** A character that a terminal would obey or hide. The joiners inside of emoji and words are none. */
const HIDDEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u;

/** The name of a team or a key as it is stored, without white space around it; undefined if the text is no name. */
export function normalName(text: string): string | undefined {
  const name = text.trim();
  return name === "" || HIDDEN.test(name) ? undefined : name;
}
