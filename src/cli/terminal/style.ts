export type Style = "bold" | "dim" | "red" | "green" | "yellow";

/** How a text for people is drawn. */
export interface Screen {
  /** Width in cells; undefined if nothing limits it. */
  width: number | undefined;
  colour: boolean;
  /** Whether the terminal shows links. */
  links: boolean;
}

/** The codes that begin and end a style. */
const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;

/** `text` in a style (ECMA-48, 8.3.117), or unchanged if colour is off. */
export function style(name: Style, text: string, colour: boolean): string {
  const [on, off] = CODES[name];
  return colour && text !== "" ? `\x1b[${on}m${text}\x1b[${off}m` : text;
}

/**
 * `text` as a terminal link (OSC 8). The address comes from crawled pages. One that is not plain ASCII http(s) could
 * contain a control sequence, so it is dropped.
 */
export function linked(text: string, address: string | undefined): string {
  const isSafe = address !== undefined && text !== "" && /^https?:\/\/[\x21-\x7e]+$/.test(address);
  return isSafe ? `\x1b]8;;${address}\x1b\\${text}\x1b]8;;\x1b\\` : text;
}
