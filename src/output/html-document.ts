import { createHash } from "node:crypto";
import { htmlText } from "../contract/values/html-text.ts";
import { visible } from "./terminal/visible.ts";

/** Escapes text for an HTML element or a quoted attribute, including characters that a browser would obey or hide. */
export function escapeHtml(text: string): string {
  return htmlText(visible(text));
}

interface HtmlDocument {
  title: string;
  /** HTML. */
  body: string;
  style: string;
  script: string;
}

/** A page in a single file; its policy lets the browser load nothing and run only the script of the page. */
export function renderPage({ title, body, style, script }: HtmlDocument): string {
  const hash = createHash("sha256").update(script).digest("base64");
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
${body}
</main>
<script>${script}</script>
</body>
</html>
`;
}
