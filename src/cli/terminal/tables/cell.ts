import { groupDigits } from "../../../contract/values/phrases.ts";
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

/** A price with the decimals of its currency, and more where it has more: 59.90 in USD, 7,524 in JPY. */
export function priceCell(price: number | string | null | undefined, currency: string): Cell {
  if (price === null || price === undefined) {
    return numberCell(undefined);
  }
  const text = String(price);
  const decimals = decimalsOf(currency);
  const own = text.split(".")[1]?.length ?? 0;
  if (/e/i.test(text) || own >= decimals) {
    return numberCell(text);
  }
  return numberCell(`${text}${own === 0 ? "." : ""}${"0".repeat(decimals - own)}`);
}

const knownDecimals = new Map<string, number>();

/** The decimals that a currency has by ISO 4217; two of one that there is not. */
export function decimalsOf(currency: string): number {
  const known = knownDecimals.get(currency);
  if (known !== undefined) {
    return known;
  }
  const isCode = /^[A-Z]{3}$/.test(currency);
  const format = isCode ? new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions() : undefined;
  const decimals = format?.maximumFractionDigits ?? 2;
  knownDecimals.set(currency, decimals);
  return decimals;
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

/** A percentage with one decimal, rounded half away from zero by its digits: `toFixed` rounds its binary value. */
export function percentText(percent: number | undefined): string | undefined {
  if (percent === undefined || !Number.isFinite(percent)) {
    return undefined;
  }
  const tenths = Math.round(Number(`${Math.abs(percent)}e1`));
  return `${percent < 0 && tenths > 0 ? "-" : ""}${(tenths / 10).toFixed(1)}`;
}

/** A price change in percent with arrow, sign and colour; empty if it is undefined. */
export function percentCell(percent: number | undefined): Cell {
  const digits = percentText(percent);
  if (percent === undefined || digits === undefined) {
    return numberCell(undefined);
  }
  const text = `${percent > 0 ? "+" : percent < 0 && !digits.startsWith("-") ? "-" : ""}${digits}`;
  const direction = percent < 0 ? { sign: "▼", style: "green" as const } : { sign: "▲", style: "red" as const };
  return Number(text) === 0
    ? { text, numeric: true }
    : { text: `${direction.sign} ${text}`, numeric: true, style: direction.style };
}
