/** Whether the locale lacks UTF-8, as `LANG=C` does. Without a locale, UTF-8 is assumed. */
export function isAscii({ LC_ALL, LC_CTYPE, LANG }: Readonly<Record<string, string | undefined>>): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG || "UTF-8";
  return !/utf-?8/i.test(locale);
}

/** ASCII replacements for the symbols that the tool draws. */
const DRAWN: Readonly<Record<string, string>> = {
  ...{ "─": "-", "–": "-", "▲": "^", "▼": "v", "·": "|", "…": "~", "│": "|", "█": "#", "▏": "|" },
  ...{ "▐": "#", "▉": "#", "▊": "#", "▋": "#", "▌": "#", "▍": "|", "▎": "|", "░": ".", "▒": ":", "▓": "%" },
  ...{ "▁": "_", "▂": ".", "▃": "-", "▄": "=", "▅": "+", "▆": "*", "▇": "%" },
};

export function asciiText(text: string): string {
  return text.replace(/[─–▲▼·…│▁-▓]/g, (drawn) => DRAWN[drawn] ?? "?");
}
