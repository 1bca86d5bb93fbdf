import { groupDigits } from "../../../contract/decimal.ts";
import type { Style } from "../style.ts";
import { visible } from "../visible.ts";

/** What a table shows in one place: safe for a terminal, one line. */
export interface Cell {
  text: string;
  /** Aligned to the right, never cut. */
  numeric: boolean;
  /** Address that the text links to, where the terminal has links. */
  link?: string | undefined;
  /** How it looks where there is colour; it says nothing that the text does not. */
  style?: Style | undefined;
}

/** What stands in place of a value that is null. */
const NULL: Cell = { text: "–", numeric: false, style: "dim" };

export function textCell(text: string): Cell {
  return { text: visible(text), numeric: false };
}

/** A number with its own digits, the integer part in groups of three. */
export function numberCell(digits: number | string): Cell {
  return { text: groupDigits(digits), numeric: true };
}

/** The raw JSON text of a value: a string unescaped, null as a dash, an object or array as its JSON. */
export function jsonCell(raw: string): Cell {
  if (raw.startsWith('"')) {
    return textCell(JSON.parse(raw) as string);
  }
  if (/^[-\d]/.test(raw)) {
    return numberCell(raw);
  }
  return raw === "null" ? NULL : textCell(raw);
}

/** A change of a price in percent, its direction by arrow, sign and colour; nothing where there is none to tell. */
export function percentCell(percent: number | undefined): Cell {
  if (percent === undefined || !Number.isFinite(percent)) {
    return { text: "", numeric: true };
  }
  const text = `${percent > 0 ? "+" : ""}${percent.toFixed(1)}`;
  const direction = percent < 0 ? { sign: "▼", style: "green" as const } : { sign: "▲", style: "red" as const };
  return Number(text) === 0
    ? { text, numeric: true }
    : { text: `${direction.sign} ${text}`, numeric: true, style: direction.style };
}
