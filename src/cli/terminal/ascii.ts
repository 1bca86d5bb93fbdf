/** Whether the locale has no UTF-8, as `LANG=C`; an environment without a locale has it. */
export function isAscii({ LC_ALL, LC_CTYPE, LANG }: Readonly<Record<string, string | undefined>>): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG || "UTF-8";
  return !/utf-?8/i.test(locale);
}

/** What the tool itself draws, each with the letter that stands for it in ASCII. */
const DRAWN: Readonly<Record<string, string>> = {
  ...{ "─": "-", "–": "-", "▲": "^", "▼": "v", "·": "|", "…": "~", "│": "|", "█": "#", "▏": "|" },
};

/** A text of the tool's own for a terminal without UTF-8. */
export function asciiText(text: string): string {
  return text.replace(/[─–▲▼·…│█▏]/g, (drawn) => DRAWN[drawn] ?? "?");
}
