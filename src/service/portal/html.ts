import type { FastifyReply } from "fastify";

/** Markup that is safe to send: made by `html`, which escapes every text put into it. */
export interface Html {
  readonly markup: string;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Template tag: texts and numbers are escaped, markup and lists of markup are taken as they are. */
export function html(strings: TemplateStringsArray, ...values: (string | number | Html | readonly Html[])[]): Html {
  const parts = values.map((value, index) => `${render(value)}${strings[index + 1] ?? ""}`);
  return { markup: `${strings[0] ?? ""}${parts.join("")}` };
}

function render(value: string | number | Html | readonly Html[]): string {
  if (typeof value === "object") {
    return "markup" in value ? value.markup : value.map(({ markup }) => markup).join("");
  }
  return String(value).replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** Sends a page that runs no script and loads nothing. */
export async function sendHtml(reply: FastifyReply, { markup }: Html): Promise<FastifyReply> {
  return reply
    .headers({
      "cache-control": "no-cache",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
      "x-content-type-options": "nosniff",
    })
    .type("text/html; charset=utf-8")
    .send(markup);
}
