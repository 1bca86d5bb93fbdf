import { createHash } from "node:crypto";
import { type Html, htmlTag } from "../../contract/values/html-tag.ts";
import { visible } from "../../contract/values/visible.ts";

/** The template tag of the tool's pages. It also replaces control characters and invisible characters with visible escapes. */
export const html = htmlTag(visible);

interface HtmlDocument {
  title: string;
  body: Html;
  style: string;
  /** Additional JavaScript; undefined for a page without any script, which suits mail programs. */
  script: string | undefined;
}

/**
 * Renders a page as a single file. Its Content-Security-Policy allows no network access and no script but its own. The script
 * shows tooltips on elements with `data-tip` and on cells of `table.map`, and opens the `details` element that a link points
 * to.
 */
export function renderPage({ title, body, style, script: more }: HtmlDocument): string {
  const script = more === undefined ? undefined : `${SCRIPT}${more}`;
  const allowed =
    script === undefined ? "" : ` script-src 'sha256-${createHash("sha256").update(script).digest("base64")}';`;
  const policy = `default-src 'none'; img-src data:; style-src 'unsafe-inline';${allowed} base-uri 'none'; form-action 'none'`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${{ markup: STYLE + style }}</style>
</head>
<body>
<main>
${body}
</main>
${script === undefined ? "" : html`<div id="tip" role="tooltip" hidden></div>\n<script>${{ markup: script }}</script>`}
</body>
</html>
`.markup;
}

/** A link if a browser can open the address, else only the text. */
export function link(text: string, address: string | undefined): Html {
  return address !== undefined && /^https?:\/\//i.test(address) && URL.canParse(address)
    ? html`<a href="${new URL(address).href}" rel="noopener noreferrer">${text}</a>`
    : html`${text}`;
}

const STYLE = `
:root { --paper: #fff; --ink: #1b1f24; --soft: #59636e; --line: #d8dee4; --faint: #f1f4f7; --accent: #1f5fc4; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #0e1217; --ink: #e6eaef; --soft: #97a1ad; --line: #2b323b; --faint: #171d24; --accent: #6ba4ff; }
}
* { box-sizing: border-box; }
body { margin: 1.5rem auto; max-width: 64rem; padding: 0 1rem; background: var(--paper); color: var(--ink);
  font: 15px/1.45 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; scroll-margin-top: 1rem; }
p, small, .days, thead { color: var(--soft); }
p { margin: .25rem 0; overflow-wrap: anywhere; }
a { color: var(--accent); text-underline-offset: .15em; }
table { width: 100%; border-collapse: collapse; }
th { text-align: left; font-weight: 600; }
th.count, .count { text-align: right; white-space: nowrap; }
.day { white-space: nowrap; }
.scroll { overflow-x: auto; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
details { border-top: 1px solid var(--line); }
summary { cursor: pointer; padding: .5rem 0; }
[hidden] { display: none !important; }
#tip { position: fixed; z-index: 1; max-width: min(20rem, calc(100vw - 16px)); padding: .3rem .6rem; border-radius: .4rem;
  background: var(--ink); color: var(--paper); font-size: .85rem; pointer-events: none; overflow-wrap: anywhere; }
`;

/** In a chart, the tooltip is that of the nearest point, because a finger is larger than a point. */
const SCRIPT = `
{
  const tip = document.querySelector("#tip");
  const nearest = (chart, { clientX, clientY }) => {
    const { left, top, width, height } = chart.getBoundingClientRect();
    const [x, y] = [(clientX - left) / width * chart.viewBox.baseVal.width, (clientY - top) / height * chart.viewBox.baseVal.height];
    const away = (point) => Math.hypot(point.cx.baseVal.value - x, point.cy.baseVal.value - y);
    return [...chart.querySelectorAll("[data-tip]")].reduce((best, point) => !best || away(point) < away(best) ? point : best, null);
  };
  const textAt = (event) => {
    const { target } = event;
    const cell = target.closest?.("table.map tbody td");
    if (cell) {
      const days = cell.closest("table").querySelectorAll("col")[cell.cellIndex].dataset.tip;
      return cell.parentElement.cells[0].textContent + ", " + days + ": " + cell.textContent;
    }
    const chart = target.closest?.("svg");
    return (chart ? nearest(chart, event) : target.closest?.("[data-tip]"))?.dataset.tip ?? "";
  };
  const show = (event) => {
    const text = textAt(event);
    tip.textContent = text;
    tip.hidden = text === "";
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = Math.max(8, Math.min(event.clientX - width / 2, innerWidth - width - 8)) + "px";
    tip.style.top = (event.clientY - height < 24 ? event.clientY + 20 : event.clientY - height - 16) + "px";
  };
  addEventListener("pointerdown", show);
  addEventListener("pointermove", (event) => { if (event.pointerType === "mouse") show(event); });
  const open = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target?.matches("details")) {
      target.open = true;
      target.scrollIntoView();
    }
  };
  addEventListener("hashchange", open);
  addEventListener("DOMContentLoaded", open);
  for (const kind of ["scroll", "blur"]) addEventListener(kind, () => { tip.hidden = true; }, true);
}
`;
