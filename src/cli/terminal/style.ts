export type Style = "bold" | "dim" | "red" | "green" | "yellow";

export interface Screen {
  /** In cells; undefined without a limit. */
  width: number | undefined;
  colour: boolean;
  links: boolean;
}

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;

/** Applies a style (ECMA-48, 8.3.117) if colour is on. */
export function style(name: Style, text: string, colour: boolean): string {
  const [on, off] = CODES[name];
  return colour && text !== "" ? `\x1b[${on}m${text}\x1b[${off}m` : text;
}

/**
 * Makes a text a terminal link (OSC 8). Addresses come from crawled pages, so any that is not a plain ASCII http(s) URL is
 * dropped: it could contain a control sequence.
 */
export function linked(text: string, address: string | undefined): string {
  const isSafe = address !== undefined && text !== "" && /^https?:\/\/[\x21-\x7e]+$/.test(address);
  return isSafe ? `\x1b]8;;${address}\x1b\\${text}\x1b]8;;\x1b\\` : text;
}
