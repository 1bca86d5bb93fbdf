import type { Context, Output } from "../context.ts";

/** Whether a stream is a terminal whose locale lacks UTF-8, as `LANG=C` does. Without a locale, UTF-8 is assumed. */
export function isAsciiTerminal({ isTTY }: Output, { LC_ALL, LC_CTYPE, LANG }: Context["env"]): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG || "UTF-8";
  return isTTY === true && !/utf-?8/i.test(locale);
}

/** ASCII replacements for the symbols that the tool draws. */
const DRAWN: Readonly<Record<string, string>> = {
  ...{ "─": "-", "–": "-", "▲": "^", "▼": "v", "·": "|", "…": "~", "│": "|", "█": "#", "▏": "|" },
  ...{ "▐": "#", "▉": "#", "▊": "#", "▋": "#", "▌": "#", "▍": "|", "▎": "|", "░": ".", "▒": ":", "▓": "%" },
  ...{ "▁": "_", "▂": ".", "▃": "-", "▄": "=", "▅": "+", "▆": "*", "▇": "%" },
};

/** A text for stdout, without symbols that its terminal cannot show. */
export function textForStdout(text: string, { stdout, env }: Pick<Context, "stdout" | "env">): string {
  return isAsciiTerminal(stdout, env) ? asciiText(text) : text;
}

export function asciiText(text: string): string {
  return text.replace(/[─–▲▼·…│▁-▓]/g, (drawn) => DRAWN[drawn] ?? "?");
}
