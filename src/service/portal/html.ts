import { htmlText } from "../../contract/values/html-text.ts";

/** Safe markup, made by `html`, which escapes all texts. */
export interface Html {
  readonly markup: string;
}

/** Template tag that escapes texts and numbers. Markup and lists of markup are inserted unchanged. */
export function html(strings: TemplateStringsArray, ...values: (string | number | Html | readonly Html[])[]): Html {
  const parts = values.map((value, index) => `${renderValue(value)}${strings[index + 1] ?? ""}`);
  return { markup: `${strings[0] ?? ""}${parts.join("")}` };
}

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

function renderValue(value: string | number | Html | readonly Html[]): string {
  if (typeof value === "object") {
    return "markup" in value ? value.markup : value.map(({ markup }) => markup).join("");
  }
  return htmlText(String(value));
}
