/** Select Graphic Rendition codes (ECMA-48, 8.3.117) that turn a style on and off. */
const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
} as const;

export type Style = keyof typeof STYLES;

/** How a text for people is drawn. */
export interface Screen {
  /** Width in cells; undefined if nothing limits it. */
  width: number | undefined;
  colour: boolean;
}

/** `text` in a style, or unchanged if colour is off. */
export function style(name: Style, text: string, colour: boolean): string {
  const [on, off] = STYLES[name];
  return colour && text !== "" ? `\x1b[${on}m${text}\x1b[${off}m` : text;
}
