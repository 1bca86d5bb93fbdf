import { inspect } from "node:util";

export type Style = "bold" | "dim" | "red" | "green" | "yellow";

/** How a text for people is drawn. */
export interface Screen {
  /** Width in cells; undefined if nothing limits it. */
  width: number | undefined;
  colour: boolean;
  /** Whether the terminal shows links. */
  links: boolean;
}

/** `text` in a style (ECMA-48, 8.3.117), or unchanged if colour is off. */
export function style(name: Style, text: string, colour: boolean): string {
  const [on, off] = inspect.colors[name] ?? [0, 0];
  return colour && text !== "" ? `\x1b[${on}m${text}\x1b[${off}m` : text;
}
