import { createHash } from "node:crypto";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { html, link, renderPage } from "../../../src/cli/html/html-document.ts";
import { minuteOf } from "../../../src/contract/values/day-arithmetic.ts";

test("text is escaped in an element and in an attribute, and markup is not", () => {
  const text = `<script>"&'\u202e\u0000`;
  expect(html`<b title="${text}">${html`<i>${text}</i>`}</b>`.markup).toBe(
    '<b title="&lt;script&gt;&quot;&amp;&#39;\\u202e\\x00"><i>&lt;script&gt;&quot;&amp;&#39;\\u202e\\x00</i></b>',
  );
});

test.each([
  [
    'https://shop.example/a b|c?d="&e',
    '<a href="https://shop.example/a%20b|c?d=%22&amp;e" rel="noopener noreferrer">x</a>',
  ],
  ["http://shop.example/", '<a href="http://shop.example/" rel="noopener noreferrer">x</a>'],
  ["HTTPS://shop.example/", '<a href="https://shop.example/" rel="noopener noreferrer">x</a>'],
  ["javascript:alert(1)", "x"],
  ["javascript:alert(1)//https://shop.example/", "x"],
  ["//cdn.example/i.jpg", "x"],
  ["https://", "x"],
  [undefined, "x"],
])("the address %j becomes %s", (address, written) => {
  expect(link("x", address).markup).toBe(written);
});

test("the browser may load nothing for the page but its empty icon, and run only its own script", () => {
  const page = renderPage({ title: "<t>", body: html`<p>`, style: "p{}", script: "run()" });
  const script = /<script>([\s\S]*)<\/script>/.exec(page)?.[1] ?? "";
  const hash = createHash("sha256").update(script).digest("base64");
  expect(script.endsWith("run()")).toBe(true);
  expect(page).toContain(
    `content="default-src &#39;none&#39;; img-src data:; style-src &#39;unsafe-inline&#39;; script-src &#39;sha256-${hash}&#39;;`,
  );
  expect(page).toContain("<title>&lt;t&gt;</title>");
});

test("a page without a script allows none, and a page tells no shop where its reader comes from", () => {
  const page = renderPage({ title: "t", body: html`<p>`, style: "", script: undefined });
  expect(page).not.toMatch(/script|id="tip"/);
  expect(page).toContain('<meta name="referrer" content="no-referrer">');
});

test("a page has its title, its style after that of every page, and its body", () => {
  const page = renderPage({ title: "t", body: html`<p>`, style: "p{}", script: undefined });
  const [, common = ""] = /<style>([^<]*)p\{\}<\/style>/.exec(page) ?? [];
  expect(common).toMatch(/^\n:root \{ --paper: #fff;/);
  expect(page.replace(common, "")).toBe(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; img-src data:; style-src &#39;unsafe-inline&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>t</title>
<style>p{}</style>
</head>
<body>
<main>
<p>
</main>

</body>
</html>
`,
  );
});

test("the script of a page shows the tip of what is pointed at", () => {
  const page = renderPage({ title: "t", body: html`<p>`, style: "", script: "" });
  expect(page).toContain('<div id="tip" role="tooltip" hidden></div>\n<script>');
  const [, script = ""] = /<script>([\s\S]*)<\/script>/.exec(page) ?? [];
  const listeners = new Map<string, (event: unknown) => void>();
  const tip = { textContent: "", hidden: true, style: {}, getBoundingClientRect: () => ({ width: 10, height: 10 }) };
  runInNewContext(script, {
    addEventListener: (kind: string, listener: () => void) => listeners.set(kind, listener),
    document: { querySelector: () => tip },
    innerWidth: 100,
  });
  const target = {
    closest: (selector: string) => (selector === "[data-tip]" ? { dataset: { tip: "12 rows" } } : null),
  };
  listeners.get("pointerdown")?.({ target, clientX: 50, clientY: 50 });
  expect(tip).toMatchObject({ textContent: "12 rows", hidden: false, style: { left: "45px", top: "24px" } });
});

test("a point in time is shown to the minute, in UTC", () => {
  expect(minuteOf(Date.UTC(2026, 0, 5, 12, 34, 56))).toBe("2026-01-05 12:34 UTC");
});
