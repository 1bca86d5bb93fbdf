import type { FastifyReply } from "fastify";
import { ASSETS } from "./assets.ts";
import { type Html, html } from "./html.ts";

interface PageParts {
  title: string;
  /** Path of the entry of the menu that the page belongs to. */
  section?: string;
  /** For forms and short messages. */
  narrow?: boolean;
  script?: boolean;
}

const MENU = [
  ["/reference", "Reference"],
  ["/errors", "Errors"],
  ["/status", "Status"],
  ["/changelog", "Changelog"],
  ["/portal", "API keys"],
] as const;

/** A whole page: readable on a phone, light or dark as the reader's system is. */
export function page({ title, section, narrow = false, script = false }: PageParts, content: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Retail Catalog Read API</title>
<link rel="stylesheet" href="${ASSETS.style.path}">
<link rel="icon" href="${ASSETS.icon.path}">
${script ? html`<script src="${ASSETS.script.path}" defer></script>` : ""}
</head>
<body>
<a class="skip" href="#content">To the content</a>
<header class="top"><div>
<a class="brand" href="/">Retail Catalog Read API</a>
<nav aria-label="Portal"><ul>${MENU.map(([path, name]) =>
    path === section
      ? html`<li><a href="${path}" aria-current="page">${name}</a></li>`
      : html`<li><a href="${path}">${name}</a></li>`,
  )}</ul></nav>
</div></header>
<main id="content" class="${narrow ? "narrow" : "wide"}">
${content}
</main>
<footer>Version 0.2.0, draft: shapes and names may change before general availability, announced in the <a href="/changelog">changelog</a>.</footer>
</body>
</html>
`;
}

/** Nothing but the portal's own files is loaded, nothing inline runs, no other page may frame it. */
const CONTENT_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/**
 * Sends a page.
 *
 * @param cacheControl `no-store` for what only one person may see
 */
export function sendPage(
  reply: FastifyReply,
  { markup }: Html,
  cacheControl: "no-cache" | "no-store" = "no-cache",
): FastifyReply {
  return reply
    .headers({
      "cache-control": cacheControl,
      "content-security-policy": CONTENT_POLICY,
      "cross-origin-opener-policy": "same-origin",
      // Not no-referrer: browsers would then send `Origin: null` with the portal's own forms.
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
    })
    .type("text/html; charset=utf-8")
    .send(markup);
}
