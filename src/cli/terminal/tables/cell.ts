import { groupDigits } from "../../../contract/values/phrases.ts";
import { visible } from "../../../contract/values/visible.ts";
import type { Style } from "../style.ts";

/** A cell of a table: one line, safe for a terminal. */
export interface Cell {
  text: string;
  /** Whether it is aligned to the right and never cut. */
  numeric: boolean;
  /** The address that the text links to, on terminals with links. */
  link?: string | undefined;
  /** The style if colour is on. Decoration only: the text must make sense without it. */
  style?: Style | undefined;
}

const NULL_CELL: Cell = { text: "–", numeric: false, style: "dim" };

export function textCell(text: string): Cell {
  return { text: visible(text), numeric: false };
}

/** A number with all its digits, grouped by thousands; an empty cell without a number. */
export function numberCell(digits: number | string | null | undefined): Cell {
  return { text: digits === null || digits === undefined ? "" : groupDigits(digits), numeric: true };
}

/** A price with at least the decimals of its currency: 59.90 in USD, 7,524 in JPY. */
export function priceCell(price: number | string | null | undefined, currency: string): Cell {
  if (price === null || price === undefined) {
    return numberCell(undefined);
  }
  const text = String(price);
  const decimals = decimalsOf(currency);
  const [whole, fraction = ""] = text.split(".");
  return numberCell(/e/i.test(text) || decimals === 0 ? text : `${whole}.${fraction.padEnd(decimals, "0")}`);
}

const knownDecimals = new Map<string, number>();

/** The number of decimals of a currency by ISO 4217; two for an unknown one. */
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

/** A cell for a JSON value: a string unescaped, null as a dash, an object or array as JSON. */
export function jsonCell(raw: string): Cell {
  if (raw.startsWith('"')) {
    return textCell(JSON.parse(raw) as string);
  }
  if (/^[-\d]/.test(raw)) {
    return numberCell(raw);
  }
  return raw === "null" ? NULL_CELL : textCell(raw);
}

/** A number with some decimals. Rounds its decimal digits half away from zero; `toFixed` rounds the binary value. */
export function roundedText(number: number, decimals: number): string {
  const digits = String(Math.abs(number));
  const unit = 10 ** decimals;
  // Numbers with an exponent are far too small or large for a rounded digit to matter.
  const units = Math.round(digits.includes("e") ? Math.abs(number) * unit : Number(`${digits}e${decimals}`));
  return `${number < 0 && units > 0 ? "-" : ""}${(units / unit).toFixed(decimals)}`;
}

/** A percentage with one decimal. */
export function percentText(percent: number | undefined): string | undefined {
  return percent === undefined || !Number.isFinite(percent) ? undefined : roundedText(percent, 1);
}

/** A share as a percentage, without the binary error of a product. */
export function percentOfShare(share: number): number {
  return Number(`${share}e2`);
}

/** A change in percent with arrow, sign and colour; an empty cell if `percent` is undefined or not finite. */
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
