/** A character that a terminal would obey or hide, except the joiners that emoji and some scripts need. */
const HIDDEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u;

/** The name of a team or a key as it is stored, without white space around it; undefined if the text is no name. */
export function normalName(text: string): string | undefined {
  const name = text.trim();
  const visible = name.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "");
  return visible === "" || HIDDEN.test(name) ? undefined : name;
}
