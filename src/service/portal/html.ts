import { type Html, htmlTag } from "../../contract/values/html-tag.ts";

export type { Html };

/** Template tag of the portal's pages. */
export const html = htmlTag();

/** A text of the contract. Names in backticks become `<code>`. */
export function prose(text: string): Html[] {
  return text.split("`").map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}

/** A point in time to the minute, in UTC. */
export function timeElement(timestamp: string): Html {
  return html`<time datetime="${timestamp}">${timestamp.slice(0, 16).replace("T", " ")} UTC</time>`;
}

/** A day. Its tooltip shows the time. */
export function dayElement(timestamp: string): Html {
  return html`<time datetime="${timestamp}" title="${timestamp.slice(0, 16).replace("T", " ")} UTC">${timestamp.slice(0, 10)}</time>`;
}
