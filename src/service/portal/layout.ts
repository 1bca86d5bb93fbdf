import type { FastifyInstance, FastifyReply } from "fastify";
import { type Html, htmlTag } from "../../contract/values/html-tag.ts";
import { ASSETS } from "./assets.ts";

/** Template tag of the portal's pages. */
export const html = htmlTag();

interface PageParts {
  title: string;
  /** Path of the page's entry in the menu. */
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

/** A whole page. It fits a phone and follows the light or dark mode of the system. */
export function portalPage({ title, section, narrow = false, script = false }: PageParts, content: Html): Html {
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
<a class="skip" href="#content">Skip to content</a>
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
<footer>Version 0.2.0, draft. Shapes and names may change before general availability. The <a href="/changelog">changelog</a> announces changes.</footer>
</body>
</html>
`;
}

/** Lets pages load only the portal's own files, run no inline scripts, and appear in no frame. */
const CONTENT_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Matches the markup before a path in a page. Texts never match, because their quotes are escaped. */
const LOCAL_ADDRESS = / (?:href|src|action)="(?=\/)/g;

/** Sends a page that only one person may see. */
export function sendPrivatePage(reply: FastifyReply, status: number, content: Html): FastifyReply {
  return sendPage(reply.code(status), content, "no-store");
}

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
      // With `no-referrer`, browsers send `Origin: null` with the portal's own forms.
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
    })
    .type("text/html; charset=utf-8")
    .send(markup);
}

/** Prefixes the paths in pages and redirects with `root`, the path of the public address. */
export function addRoot(app: FastifyInstance, root: string): void {
  const { markup } = html`${root}`;
  app.addHook("onSend", async (_, reply, payload) => {
    const location = reply.getHeader("location");
    if (location !== undefined) {
      reply.header("location", `${root}${location}`);
    }
    const isPage = String(reply.getHeader("content-type")).startsWith("text/html");
    return isPage ? String(payload).replaceAll(LOCAL_ADDRESS, (start) => `${start}${markup}`) : payload;
  });
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
