import { groupDigits } from "../../../contract/values/counted.ts";
import type { Style } from "../style.ts";
import { visible } from "../visible.ts";

/** A cell of a table: one line, safe for a terminal. */
export interface Cell {
  text: string;
  /** Aligned to the right, never cut. */
  numeric: boolean;
  /** Address that the text links to, if the terminal supports links. */
  link?: string | undefined;
  /** Style if colour is on; it only repeats what the text says. */
  style?: Style | undefined;
}

/** Shown for null. */
const NULL_CELL: Cell = { text: "–", numeric: false, style: "dim" };

export function textCell(text: string): Cell {
  return { text: visible(text), numeric: false };
}

/** A number with all its digits, the integer part in groups of three; empty without a number. */
export function numberCell(digits: number | string | null | undefined): Cell {
  return { text: groupDigits(digits ?? ""), numeric: true };
}

/** A value from its JSON text: a string unescaped, null as a dash, an object or array as JSON. */
export function jsonCell(raw: string): Cell {
  if (raw.startsWith('"')) {
    return textCell(JSON.parse(raw) as string);
  }
  if (/^[-\d]/.test(raw)) {
    return numberCell(raw);
  }
  return raw === "null" ? NULL_CELL : textCell(raw);
}

/** A price change in percent with arrow, sign and colour; empty if it is undefined. */
export function percentCell(percent: number | undefined): Cell {
  if (percent === undefined || !Number.isFinite(percent)) {
    return numberCell(undefined);
  }
  const text = `${percent > 0 ? "+" : ""}${percent.toFixed(1)}`;
  const direction = percent < 0 ? { sign: "▼", style: "green" as const } : { sign: "▲", style: "red" as const };
  return Number(text) === 0
    ? { text, numeric: true }
    : { text: `${direction.sign} ${text}`, numeric: true, style: direction.style };
}
